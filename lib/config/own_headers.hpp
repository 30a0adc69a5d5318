// Names of headers that frame, route or describe a request, or that ticketgate writes itself. No
// setting may give one of them another content.
#pragma once

#include <string>
#include <string_view>

#include "config/model.hpp"

namespace ticketgate::config {

/// Returns the name as a backend may see it: CGI keeps only letters and digits.
std::string folded(std::string_view name);

/// True: the header has a meaning already, or is removed from what clients send, so that it can
/// carry no id and no fencing number.
bool is_spoken_for(std::string_view name, const Clients& clients);
/// True: the fencing number has it where no queue says otherwise.
bool is_fencing_token(std::string_view name);

}  // namespace ticketgate::config

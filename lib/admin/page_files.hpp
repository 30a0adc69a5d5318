// The files of the live page, which are part of the program. See lib/admin/page.
#pragma once

#include <optional>
#include <string_view>

#include "admin/answers.hpp"

namespace ticketgate::admin {

/// `/`, /page.js, /page.css and /page.svg; null: none of them.
std::optional<HttpResponse> page_file(std::string_view path);

}  // namespace ticketgate::admin

// Describes what is wrong with a refused head, for readers of the log. Pure; the texts are
// constants.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

/// Returns what FieldRules finds wrong with a field of this name.
std::string_view complaint_of(FieldName name);

/// Describes an error of Beast's parser; empty: there is no text for it.
std::string_view complaint_of(error_code error);

}  // namespace ticketgate::http

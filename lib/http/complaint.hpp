// What is wrong with a head that was refused, in words for whoever reads the log. Pure; what comes
// back lives for ever.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

/// What FieldRules found wrong with a field of this name.
std::string_view complaint_of(FieldName name);

/// Of an error of Beast's parser; empty where we have no words for it.
std::string_view complaint_of(error_code error);

}  // namespace ticketgate::http

// Detects a request that names another method than its request line, as frameworks allow. Pure.
#pragma once

#include <string_view>

#include "config/model.hpp"
#include "http/head.hpp"
#include "http/name_set.hpp"

namespace ticketgate {

/// Applies the route's `method_override`; false with `forward`. `headers`: the fields in which a
/// method may be named. The body is not read: a GET, HEAD, OPTIONS or DELETE that has one counts as
/// a form that names another method.
bool names_another_method(const http::RequestHead& head, config::MethodOverride policy,
                          const http::NameSet& headers);

/// True if the target's query has a parameter that PHP calls `_method`, in any spelling that PHP,
/// or a framework that ignores case, takes for it.
bool has_method_parameter(std::string_view target);

}  // namespace ticketgate

// Does a request name another method than its request line, in a way that frameworks heed? Pure.
#pragma once

#include <string_view>

#include "config/model.hpp"
#include "http/head.hpp"
#include "http/name_set.hpp"

namespace ticketgate {

/// As the route's `method_override` says: false where it does not ask. `headers`: the fields in
/// which a method may be named. Of the body nothing is known yet.
bool names_another_method(const http::RequestHead& head, config::MethodOverride policy,
                          const http::NameSet& headers);

/// Has the target's query a parameter that PHP calls `_method`? In any spelling that PHP, or a
/// framework that ignores case, takes for it.
bool has_method_parameter(std::string_view target);

}  // namespace ticketgate

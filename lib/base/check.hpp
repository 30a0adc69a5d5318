// TG_CHECK: an invariant of ours, checked in release builds too. A violated one prints where and
// what, then aborts: for mutual exclusion it is better to be dead than to be two in flight.
#pragma once

namespace ticketgate {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace ticketgate

#define TG_CHECK(expression)                 \
    (static_cast<bool>(expression) ? void(0) \
                                   : ::ticketgate::check_failed(#expression, __FILE__, __LINE__))

// TG_CHECK: checks an invariant, in release builds too. A failed check prints its place and
// expression, then aborts: mutual exclusion prefers a dead process to two requests in flight.
#pragma once

namespace ticketgate {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace ticketgate

#define TG_CHECK(expression)                 \
    (static_cast<bool>(expression) ? void(0) \
                                   : ::ticketgate::check_failed(#expression, __FILE__, __LINE__))

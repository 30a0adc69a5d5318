#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace ticketgate {

void check_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "ticketgate: broken invariant: %s (%s:%d)\n", expression, file, line);
    std::abort();
}

}  // namespace ticketgate

#include "base/check.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace ticketgate {

// A pipe or a terminal that takes nothing must not keep the process alive. One that takes something
// takes a short line whole.
void check_failed(const char* expression, const char* file, int line) {
    std::array<char, 1024> text;
    const int size =
        std::snprintf(text.data(), text.size(), "ticketgate: broken invariant: %s (%s:%d)\n",
                      expression, file, line);
    pollfd err{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&err, 1, 1000) == 1)
        (void)!::write(err.fd, text.data(), std::min(static_cast<std::size_t>(size), text.size()));
    std::abort();
}

}  // namespace ticketgate

#include "app/lost_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/exit_codes.hpp"

namespace ticketgate {

int after_output(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "ticketgate: cannot write the output: %s\n", std::strerror(errno));
    return code == commands::ok ? commands::failed : code;
}

}  // namespace ticketgate

#include <fcntl.h>
#include <unistd.h>

#include "app/options.hpp"
#include "app/signals.hpp"

namespace {

// Started without them, sockets would get their numbers, and logs would go into these.
void fill_standard_descriptors() {
    for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;) fd = ::open("/dev/null", O_RDWR);
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    ticketgate::hold_signals();
    return ticketgate::run_command_line(argc, argv);
}

#include <fcntl.h>
#include <unistd.h>

#include <new>
#include <string_view>

#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/signals.hpp"

namespace {

// Started without them, sockets would get their numbers, and logs would go into these.
void fill_standard_descriptors() {
    for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;) fd = ::open("/dev/null", O_RDWR);
}

// Memory can run out anywhere in a start, also where nothing may be allocated to tell of it.
int without_memory() {
    constexpr std::string_view words = "ticketgate: the system has no memory for it\n";
    (void)!::write(STDERR_FILENO, words.data(), words.size());
    return ticketgate::commands::failed;
}

}  // namespace

int main(int argc, char** argv) try {
    fill_standard_descriptors();
    ticketgate::hold_signals();
    return ticketgate::run_command_line(argc, argv);
} catch (const std::bad_alloc&) {
    return without_memory();
}

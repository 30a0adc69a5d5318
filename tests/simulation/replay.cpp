#include "simulation/replay.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace ticketgate::sim {
namespace {

std::array<char, 200> line;

void tell() {
    std::size_t size = 0;
    while (size < line.size() && line[size] != '\0') ++size;
    (void)!::write(2, line.data(), size);
}

void on_abort(int) {
    tell();
}

}  // namespace

void remember(const std::string& arguments) {
    std::snprintf(line.data(), line.size(), "replay: tg_simulate %s\n", arguments.c_str());
}

void tell_on_abort() {
    std::signal(SIGABRT, on_abort);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(tell);
#endif
}

void give_up(const std::string& failure) {
    std::printf("%s\n", failure.c_str());
    std::fflush(stdout);
    tell();
    std::_Exit(1);
}

}  // namespace ticketgate::sim

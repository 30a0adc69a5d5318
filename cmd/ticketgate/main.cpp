#include "app/options.hpp"
#include "app/signals.hpp"

int main(int argc, char** argv) {
    ticketgate::hold_signals();
    return ticketgate::run_command_line(argc, argv);
}

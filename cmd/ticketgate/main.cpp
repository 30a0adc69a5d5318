#include "app/options.hpp"

int main(int argc, char** argv) {
    return ticketgate::run_command_line(argc, argv);
}

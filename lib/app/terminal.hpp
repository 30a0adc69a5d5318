// The terminal of a command that fills it: raw keys and another screen, and everything as it was
// before at any end, also at a crash. One object at a time; one thread.
#pragma once

#include <string_view>

#include "top/screen.hpp"

namespace ticketgate {

class Terminal {
 public:
    /// Keys from standard input, pictures to standard output. enter() begins it.
    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Both are terminals, and of a kind that knows control sequences.
    static bool usable(std::string_view type);

    void enter();
    void leave();
    /// 80 x 24 if the terminal does not tell.
    static top::Size size();
    /// False: the terminal is gone.
    static bool write(std::string_view bytes);
};

}  // namespace ticketgate

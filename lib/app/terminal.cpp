#include "app/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "top/ansi.hpp"

namespace ticketgate {
namespace {

// For the handler of a crash, which can reach nothing else.
struct Before {
    termios mode{};
    volatile std::sig_atomic_t changed = 0;
};
Before before;

void restore() {
    if (before.changed == 0) return;
    before.changed = 0;
    (void)Terminal::write(top::leave_screen);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before.mode);
}

// SA_RESETHAND: the signal ends the process after this.
void on_crash(int signal) {
    restore();
    ::raise(signal);
}

void hear_crashes() {
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        ::sigaction(signal, &action, nullptr);
}

}  // namespace

Terminal::Terminal() {
    hear_crashes();
}

Terminal::~Terminal() {
    leave();
}

bool Terminal::usable(std::string_view type) {
    return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 && !type.empty() &&
           type != "dumb";
}

void Terminal::enter() {
    if (before.changed == 0 && ::tcgetattr(STDIN_FILENO, &before.mode) != 0) return;
    before.changed = 1;
    termios raw = before.mode;
    // Keys one by one and unseen; Ctrl-C and Ctrl-Z arrive as keys. Output stays as it is.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    (void)write(top::enter_screen);
}

void Terminal::leave() {
    restore();
}

top::Size Terminal::size() {
    winsize told{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &told) != 0 || told.ws_col == 0 || told.ws_row == 0)
        return {};
    return {told.ws_col, told.ws_row};
}

bool Terminal::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // another program has made it non-blocking
            pollfd waits{STDOUT_FILENO, POLLOUT, 0};
            if (::poll(&waits, 1, 1000) <= 0) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace ticketgate

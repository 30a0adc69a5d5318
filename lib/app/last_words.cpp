#include "app/last_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <initializer_list>
#include <string_view>

#include "log/line_sink.hpp"

namespace ticketgate {
namespace {

// How long one wait for the reader is: a signal may come just before it.
constexpr milliseconds look_again = 100ms;

volatile std::sig_atomic_t told_to_end = 0;

// The signals were held for the service. They interrupt a write, too, so no SA_RESTART.
void hear_the_end() {
    struct sigaction note {};
    note.sa_handler = [](int) { told_to_end = 1; };
    sigset_t both;
    sigemptyset(&both);
    for (const int signal : {SIGTERM, SIGINT}) {
        sigaction(signal, &note, nullptr);
        sigaddset(&both, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
}

}  // namespace

// No thread of its own: that there is none may be what the words say.
void print_last_words(const std::string& lines, milliseconds patience) {
    hear_the_end();
    LogFile out(STDERR_FILENO);
    std::string_view rest = lines;
    Time give_up = monotonic_now() + patience;
    for (;;) {
        const auto taken = out.write(rest);
        rest.remove_prefix(taken.bytes);
        if (rest.empty() && !out.unfinished()) return;
        if (taken.bytes != 0) give_up = monotonic_now() + patience;
        if (told_to_end != 0 || monotonic_now() >= give_up) return;
        out.wait_writable(look_again);
    }
}

}  // namespace ticketgate

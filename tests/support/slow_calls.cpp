// Slows one system call down on the threads that run an event loop (they call epoll_wait), for
// ./dev test-slow: TICKETGATE_SLOW=call=microseconds. A test that reads a counter that a loop
// changes after its answer is sent fails then each time, where a busy machine shows it once in a
// thousand runs. And fails calls on these threads, as tests ask for it (failing_calls.hpp).
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <string_view>

#include "support/failing_calls.hpp"
#include "support/patience.hpp"

namespace {

thread_local bool runs_loop = false;

std::chrono::microseconds pause_after(std::string_view call) {
    const char* const wanted = std::getenv("TICKETGATE_SLOW");
    if (wanted == nullptr) return {};
    const std::string_view text = wanted;
    const auto sign = text.find('=');
    if (text.substr(0, sign) != call || sign == std::string_view::npos) return {};
    return std::chrono::microseconds(std::strtol(wanted + sign + 1, nullptr, 10));
}

using ticketgate::test::FailingCalls;

int error_of_send(const void* from, size_t size) {
    const iovec part{const_cast<void*>(from), size};
    return FailingCalls::error_of("send", [&] { return FailingCalls::first_bytes({&part, 1}); });
}
int error_of_sendmsg(const msghdr* message) {
    const std::span parts(message->msg_iov, message->msg_iovlen);
    return FailingCalls::error_of("send", [&] { return FailingCalls::first_bytes(parts); });
}
int error_of_socket() {
    return FailingCalls::error_of("socket", [] { return std::string(); });
}
// Looks at the bytes that are there.
int error_of_recv(int from) {
    return FailingCalls::error_of("recv", [from] {
        std::string bytes(FailingCalls::looked_at, 0);
        iovec part{bytes.data(), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        const auto n = ::recvmsg(from, &message, MSG_PEEK | MSG_DONTWAIT);
        bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
        return bytes;
    });
}

}  // namespace

// Defines a function of the C library that calls the library's own and then pauses.
#define TG_SLOW_CALL(result, name, parameters, arguments, failure)             \
    extern "C" result name parameters {                                        \
        static const auto call =                                               \
            reinterpret_cast<result(*) parameters>(::dlsym(RTLD_NEXT, #name)); \
        static const auto pause = pause_after(#name);                          \
        if (const int refused = runs_loop ? failure : 0; refused != 0) {       \
            errno = refused;                                                   \
            return -1;                                                         \
        }                                                                      \
        const result answer = call arguments;                                  \
        const int error = errno;                                               \
        if (runs_loop && pause.count() > 0) ticketgate::test::be_slow(pause);  \
        errno = error;                                                         \
        return answer;                                                         \
    }

extern "C" int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
    static const auto call =
        reinterpret_cast<int (*)(int, epoll_event*, int, int)>(::dlsym(RTLD_NEXT, "epoll_wait"));
    static const auto pause = pause_after("epoll_wait");
    runs_loop = true;
    const int ready = call(epoll, events, most, timeout);
    if (ready > 0 && pause.count() > 0) ticketgate::test::be_slow(pause);
    return ready;
}

TG_SLOW_CALL(ssize_t, send, (int to, const void* from, size_t size, int flags),
             (to, from, size, flags), error_of_send(from, size))
TG_SLOW_CALL(ssize_t, sendmsg, (int to, const msghdr* message, int flags), (to, message, flags),
             error_of_sendmsg(message))
TG_SLOW_CALL(ssize_t, writev, (int to, const iovec* parts, int count), (to, parts, count), 0)
TG_SLOW_CALL(ssize_t, write, (int to, const void* from, size_t size), (to, from, size), 0)
TG_SLOW_CALL(ssize_t, recv, (int from, void* to, size_t size, int flags), (from, to, size, flags),
             error_of_recv(from))
TG_SLOW_CALL(ssize_t, recvmsg, (int from, msghdr* message, int flags), (from, message, flags), 0)
TG_SLOW_CALL(ssize_t, read, (int from, void* to, size_t size), (from, to, size), 0)
TG_SLOW_CALL(int, socket, (int family, int type, int protocol), (family, type, protocol),
             error_of_socket())
TG_SLOW_CALL(int, shutdown, (int descriptor, int how), (descriptor, how), 0)
TG_SLOW_CALL(int, close, (int descriptor), (descriptor), 0)

// A FastCGI worker for ticketgate's `workers:`. Its script runs at tg_backend, which logs it: the
// worker passes one request at a time on to the backend's FastCGI port, and the answer back. If the
// worker is killed, its connection to the backend ends, and the script with it (tg_backend
// --process). If its client leaves, the script runs to its end, as PHP's does.
//
//   tg_worker HOST:PORT
//
// It accepts connections from descriptor 0, or is passed them (FCGI_LISTENSOCK_DESCRIPTORS).

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "net_lite.hpp"

namespace loadtest {

namespace {

constexpr std::size_t header_size = 8, flags_at = header_size + 2;
constexpr std::string_view end_of_request{"\x01\x03\x00\x01\x00\x08\x00\x00", header_size};

constexpr std::string_view end_of_input{"\x01\x05\x00\x01\x00\x00\x00\x00", header_size};

volatile std::sig_atomic_t ends = 0;
std::array<char, 64UL * 1024> buffer;

void write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return;  // it has left
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

// The last two records' worth of what has passed.
void keep_last(std::string& kept, std::string_view bytes) {
    kept.append(bytes.substr(bytes.size() - std::min(bytes.size(), 2 * header_size)));
    kept.erase(0, kept.size() - std::min(kept.size(), 2 * header_size));
}

class Request {
 public:
    Request(int client, const Endpoint& backend) : client_{client}, address_{backend} {}

    // Returns true if the connection may carry another one.
    bool serve() {
        while (!answered_) {
            std::array<pollfd, 2> both{{{client_, POLLIN, 0}, {backend_.get(), POLLIN, 0}}};
            if (client_ended_ || taken_) both[0].fd = -1;
            if (::poll(both.data(), both.size(), -1) < 0) continue;
            if (both[0].revents != 0 && !take_request()) return false;
            if (both[1].revents != 0) take_answer();
        }
        return whole_ && keeps_ && !client_ended_;
    }

 private:
    // False: nothing of a request was there.
    bool take_request() {
        const auto n = ::recv(client_, buffer.data(), buffer.size(), 0);
        if (n <= 0) {
            client_ended_ = true;
            if (!backend_.open()) return false;
            ::shutdown(backend_.get(), SHUT_WR);
            return true;
        }
        const std::string_view bytes{buffer.data(), static_cast<std::size_t>(n)};
        head_.append(bytes);
        keep_last(first_, bytes);
        taken_ = first_.ends_with(end_of_input);
        if (!backend_.open() && head_.size() > flags_at) begin();
        if (backend_.open()) write_all(backend_.get(), std::exchange(head_, {}));
        return true;
    }

    // The backend closes its connection after each answer, as the flag to keep it is dropped.
    void begin() {
        keeps_ = (head_[flags_at] & 1) != 0;
        head_[flags_at] = 0;
        const int fd = ::socket(address_.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        backend_ = Fd{fd};
        const int on = 1;  // head and body come in two pieces: no 40 ms between them
        (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address_.address), address_.size) != 0)
            _exit(1);
    }

    void take_answer() {
        const auto n = ::recv(backend_.get(), buffer.data(), buffer.size(), 0);
        if (n <= 0) {
            answered_ = true;
            whole_ = std::string_view{last_}.substr(0, header_size) == end_of_request;
            return;
        }
        const std::string_view bytes{buffer.data(), static_cast<std::size_t>(n)};
        keep_last(last_, bytes);
        if (!client_ended_) write_all(client_, bytes);
    }

    const int client_;
    const Endpoint& address_;
    Fd backend_;
    std::string head_, first_, last_;
    bool taken_ =
        false;  // a worker reads nothing beyond its request: that is how it shows that it is busy
    bool keeps_ = false, client_ended_ = false, answered_ = false, whole_ = false;
};

void accept_each(const Endpoint& backend) {
    while (ends == 0) {
        const Fd client{::accept(STDIN_FILENO, nullptr, nullptr)};
        if (!client.open()) break;
        while (Request{client.get(), backend}.serve()) {
        }
    }
}

void be_passed_each(int control, const Endpoint& backend) {
    ::fcntl(control, F_SETFL, ::fcntl(control, F_GETFL) & ~O_NONBLOCK);
    for (;;) {
        std::array<char, 8> cookie{};
        iovec piece{cookie.data(), cookie.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = room.data();
        message.msg_controllen = room.size();
        if (::recvmsg(control, &message, 0) != 8 || CMSG_FIRSTHDR(&message) == nullptr) return;
        int passed = -1;
        std::memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(passed));
        const Fd client{passed};
        (void)Request{client.get(), backend}.serve();
        write_all(control, {cookie.data(), cookie.size()});
    }
}

}  // namespace

}  // namespace loadtest

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("tg_worker HOST:PORT\n", stderr);
        return 2;
    }
    try {
        struct sigaction end {};
        end.sa_handler = [](int) { loadtest::ends = 1; };
        ::sigaction(SIGTERM, &end, nullptr);  // as php-cgi: between two connections
        const auto backend = loadtest::resolve(argv[1]);
        const char* const control = std::getenv("FCGI_LISTENSOCK_DESCRIPTORS");
        if (control == nullptr)
            loadtest::accept_each(backend);
        else
            loadtest::be_passed_each(std::atoi(control), backend);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "tg_worker: %s\n", e.what());
        return 1;
    }
}

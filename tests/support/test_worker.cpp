// A FastCGI worker for the tests, with a parser of its own. As php-cgi it accepts connections from
// descriptor 0; with FCGI_LISTENSOCK_DESCRIPTORS it is passed them one by one, as kfcgi's workers.
//
// QUERY_STRING holds what a request does, separated by `&`, in this order:
//   wait=NAME   waits until the file $TEST_FOLDER/NAME exists
//   die=N       exits with status N        kill      is killed
//   late=NAME   ends the request, then waits for NAME before it is idle
//   badcookie   says another cookie than it got        say=TEXT   writes to its standard error
//   child       leaves a process behind that holds all its descriptors; its pid is in the marks
//   job=NAME    leaves a process behind that holds its standard error, waits for NAME, writes two
//               lines there, and marks `job done`
//   garbage     writes bytes that are no record before its answer
//   more        writes bytes behind its answer     flood      writes many more than a socket takes
//   tail=NAME   declares the length of its answer, and waits for NAME before it ends the request
//   twice       gives its cookie back twice
//   part, cut   closes its control socket behind, or ahead of, its cookie, and lives on
//   deaf        ends the reading side of its control socket behind its cookie, and lives on
//   deafahead   ahead of its cookie, which it never gives back
//   leak        gives its cookie back without an answer, and keeps the connection open
//   leakhalf    the same, behind a part of its answer
//   linger      reads to the end of the connection behind its answer
//   away=NAME   waits for the next request's first bytes, closes the connection with them unread,
//               and waits for NAME before it is idle
//   shut        shuts its listening socket behind its answer, closes the connection, and lives on
//   shutkept    the same, but keeps the connection, unread
//   shutlate    the same, but closes the connection first, and waits until the next one is there
//   shutread    ends only the reading side of its listening socket, else as shutlate
//   shutahead   shuts its listening socket down ahead of its answer, and serves on
//   refuse      closes each connection that comes behind this one, unread
//   regroup     goes to the group of a child, which ends with it, and takes no SIGTERM from then on
// With TEST_FIRST $TEST_FOLDER/first links to the pid of the first process of a folder; =hang: it
// then waits for ever; =die: it exits when a request comes, of which it takes nothing; =all: so
// does each process; =blind: it takes the cookie of a connection without that, and lives on. With
// TEST_LEAVES it exits behind the first bytes of a request; with TEST_ENDS it has called
// end_at_usr1(). Each request appends `begin ID` and `end ID` to $TEST_FOLDER/marks, ID being
// PATH's last segment; `end` is written when nothing of the request is left to do.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "end_at_usr1.hpp"

namespace {

using Params = std::map<std::string, std::string>;

std::string folder() {
    const char* path = std::getenv("TEST_FOLDER");
    return path == nullptr ? "/tmp" : path;
}

void mark(const std::string& text) {
    const int file = ::open((folder() + "/marks").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
    ::flock(file, LOCK_EX);
    const std::string line = text + "\n";
    (void)!::write(file, line.data(), line.size());
    ::close(file);
}

bool read_all(int from, char* into, std::size_t size) {
    for (std::size_t got = 0; got < size;) {
        const auto n = ::read(from, into + got, size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        got += static_cast<std::size_t>(n);
    }
    return true;
}

void write_all(int to, const std::string& bytes) {
    for (std::size_t put = 0; put < bytes.size();) {
        const auto n = ::write(to, bytes.data() + put, bytes.size() - put);
        if (n <= 0) return;
        put += static_cast<std::size_t>(n);
    }
}

struct Record {
    int type = 0;
    std::string content;
};

bool read_record(int from, Record& out) {
    std::array<unsigned char, 8> head{};
    if (!read_all(from, reinterpret_cast<char*>(head.data()), head.size())) return false;
    out.type = head[1];
    out.content.resize(static_cast<std::size_t>(head[4] << 8 | head[5]));
    std::string padding(head[6], ' ');
    return read_all(from, out.content.data(), out.content.size()) &&
           read_all(from, padding.data(), padding.size());
}

std::size_t take_length(const std::string& text, std::size_t& at) {
    const auto byte = [&] {
        return static_cast<std::size_t>(static_cast<unsigned char>(text.at(at++)));
    };
    const std::size_t first = byte();
    if (first < 128) return first;
    std::size_t size = first & 127;
    for (int i = 0; i < 3; ++i) size = size << 8 | byte();
    return size;
}

Params parse(const std::string& text) {
    Params out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t name = take_length(text, at), value = take_length(text, at);
        out[text.substr(at, name)] = text.substr(at + name, value);
        at += name + value;
    }
    return out;
}

std::string record(int type, const std::string& content) {
    std::string out{1, static_cast<char>(type), 0, 1};
    out += static_cast<char>(content.size() >> 8);
    out += static_cast<char>(content.size() & 255);
    out += std::string(2, '\0');
    return out + content;
}

void wait_for(const std::string& name) {
    const std::string path = folder() + "/" + name;
    const int changes = ::inotify_init();
    ::inotify_add_watch(changes, folder().c_str(), IN_CREATE | IN_MOVED_TO);
    std::array<char, 4096> events{};
    while (::access(path.c_str(), F_OK) != 0) (void)!::read(changes, events.data(), events.size());
    ::close(changes);
}

void leave_child() {
    const pid_t child = ::fork();
    if (child != 0) return mark("child " + std::to_string(child));
    for (;;) ::pause();
}

void leave_job(const std::string& door) {
    if (::fork() != 0) return;
    ::close(STDIN_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    wait_for(door);
    write_all(STDERR_FILENO, "first of the job\n");
    write_all(STDERR_FILENO, "last of the job\n");
    mark("job done");
    _exit(0);
}

// What the request says of its answer, what is left to do, and whether the cookie is true.
struct After {
    std::string late, garbage, more, tail, away, shut, leak;
    bool bad_cookie = false, twice = false, linger = false, part = false, cut = false, deaf = false,
         deaf_ahead = false, refuse = false, deaf_to_term = false;
};

std::string flood() {
    std::string out;
    for (int i = 0; i < 64; ++i) out += record(6, std::string(32 << 10, 'x'));
    return out;
}

// A shell with job control does so.
void regroup() {
    ::signal(SIGTERM, SIG_IGN);
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) ::pause();
    }
    ::setpgid(child, child);
    ::setpgid(0, child);
}

After act(const std::string& query) {
    After after;
    std::istringstream words(query);
    for (std::string word; std::getline(words, word, '&');) {
        const std::string value = word.substr(std::min(word.find('=') + 1, word.size()));
        if (word.starts_with("wait=")) wait_for(value);
        if (word.starts_with("die=")) _exit(std::atoi(value.c_str()));
        if (word == "kill") ::raise(SIGKILL);
        if (word.starts_with("late=")) after.late = value;
        if (word == "badcookie") after.bad_cookie = true;
        if (word == "twice") after.twice = true;
        if (word.starts_with("say=")) write_all(STDERR_FILENO, value + "\n");
        if (word == "garbage") after.garbage = std::string(40, '\xff');
        if (word == "more") after.more = record(6, "more");
        if (word == "flood") after.more = flood();
        if (word.starts_with("leak")) after.leak = word;
        if (word == "refuse") after.refuse = true;
        if (word == "shutahead") ::shutdown(STDIN_FILENO, SHUT_RDWR);
        if (word == "regroup") {
            regroup();
            after.deaf_to_term = true;
        }
        if (word.starts_with("tail=")) after.tail = value;
        if (word == "linger") after.linger = true;
        if (word == "part") after.part = true;
        if (word == "cut") after.cut = true;
        if (word == "deaf") after.deaf = true;
        if (word == "deafahead") after.deaf_ahead = true;
        if (word.starts_with("shut") && word != "shutahead") after.shut = word;
        if (word.starts_with("away=")) after.away = value;
        if (word == "child") leave_child();
        if (word.starts_with("job=")) leave_job(value);
    }
    return after;
}

std::string describe(const Params& params, std::size_t body) {
    std::ostringstream out;
    out << "pid " << ::getpid() << "\nbody " << body << "\n";
    for (const char* name : {"UNIQUE_ID", "SCRIPT_FILENAME", "SCRIPT_NAME", "PATH_INFO",
                             "DOCUMENT_ROOT", "REQUEST_URI", "QUERY_STRING", "REQUEST_METHOD"}) {
        const auto found = params.find(name);
        if (found != params.end()) out << name << ' ' << found->second << "\n";
    }
    for (const char* name : {"TEST_VARIABLE", "PHP_FCGI_MAX_REQUESTS"}) {
        const char* value = std::getenv(name);
        if (value != nullptr) out << name << ' ' << value << "\n";
    }
    return out.str();
}

// Waits for bytes of the next request, or for the next connection.
void wait_for_bytes(int at) {
    pollfd next{at, POLLIN, 0};
    (void)::poll(&next, 1, -1);
}

// One request. False: the connection is over.
bool serve(int connection, After& after, bool& keep) {
    Record next;
    std::string pairs;
    std::size_t body = 0;
    keep = false;
    for (bool whole = false; !whole;) {
        if (!read_record(connection, next)) return false;
        if (next.type == 1) keep = (next.content.at(2) & 1) != 0;
        if (next.type == 2) _exit(3);  // an abort is a fatal error for kcgi's workers
        if (next.type == 4) pairs += next.content;
        if (next.type == 5) whole = next.content.empty();
        if (next.type == 5) body += next.content.size();
    }
    const Params params = parse(pairs);
    const std::string uri = params.at("REQUEST_URI");
    const std::string path = uri.substr(0, uri.find('?'));
    const std::string id = path.substr(path.rfind('/') + 1);
    mark("begin " + id);
    after = act(params.at("QUERY_STRING"));
    write_all(connection, after.garbage);
    const std::string text = describe(params, body);
    std::string head = "Content-Type: text/plain\r\n";
    if (!after.tail.empty()) head += "Content-Length: " + std::to_string(text.size()) + "\r\n";
    std::string answer = record(6, head + "\r\n" + text);
    if (!after.leak.empty()) {
        if (after.leak == "leakhalf") write_all(connection, answer);
        mark("end " + id);
        return true;
    }
    if (!after.tail.empty()) {
        write_all(connection, std::exchange(answer, {}));
        wait_for(after.tail);
    }
    write_all(connection, answer + record(6, "") + record(3, std::string(8, '\0')) + after.more);
    if (!after.late.empty()) wait_for(after.late);
    if (!after.away.empty()) {
        wait_for_bytes(connection);
        ::close(connection);
        keep = false;
        wait_for(after.away);
    }
    keep = keep && after.shut.empty() && !after.refuse;
    while (after.linger && read_record(connection, next)) {
    }
    mark("end " + id);
    return true;
}

[[noreturn]] void leave(int connection) {
    std::array<char, 8> first{};
    (void)read_all(connection, first.data(), first.size());
    _exit(0);
}

// Until a signal ends the process.
[[noreturn]] void shut(int connection, const After& after) {
    const std::string& how = after.shut;
    if (!after.deaf_to_term) std::signal(SIGTERM, SIG_DFL);
    if (how == "shut") ::shutdown(STDIN_FILENO, SHUT_RDWR);
    if (how != "shutkept") ::close(connection);
    if (how == "shutlate" || how == "shutread") wait_for_bytes(STDIN_FILENO);
    ::shutdown(STDIN_FILENO, how == "shutread" ? SHUT_RD : SHUT_RDWR);
    for (;;) ::pause();
}

[[noreturn]] void refuse_each() {
    std::signal(SIGTERM, SIG_DFL);
    for (;;) ::close(::accept(STDIN_FILENO, nullptr, nullptr));
}

volatile std::sig_atomic_t ends = 0;

// As php-cgi: SIGTERM ends it between two connections.
void accept_each() {
    struct sigaction end {};
    end.sa_handler = [](int) { ends = 1; };
    ::sigaction(SIGTERM, &end, nullptr);
    while (ends == 0) {
        const int connection = ::accept(STDIN_FILENO, nullptr, nullptr);
        if (connection < 0) break;
        if (std::getenv("TEST_LEAVES") != nullptr) leave(connection);
        After after;
        bool keep = true;
        while (keep && serve(connection, after, keep)) {
        }
        if (!after.shut.empty()) shut(connection, after);
        if (after.away.empty()) ::close(connection);
        if (after.refuse) refuse_each();
    }
    _exit(0);
}

bool take_descriptor(int control, std::array<char, 8>& cookie, int& connection) {
    iovec piece{cookie.data(), cookie.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const auto got = ::recvmsg(control, &message, 0);
    if (got <= 0) return false;
    const cmsghdr* const item = CMSG_FIRSTHDR(&message);
    if (got != 8 || item == nullptr || item->cmsg_len != 20 || item->cmsg_type != SCM_RIGHTS)
        _exit(5);  // not what kfcgi sends (tests/vectors/fcgi_descriptors.json)
    for (std::size_t i = 4; i < 8; ++i)
        if (cookie[i] != 0) _exit(6);
    std::memcpy(&connection, CMSG_DATA(item), sizeof(connection));
    return true;
}

void be_passed_each(int control) {
    ::fcntl(control, F_SETFL, ::fcntl(control, F_GETFL) & ~O_NONBLOCK);
    std::array<char, 8> cookie{};
    for (int connection = -1; take_descriptor(control, cookie, connection);) {
        After after;
        bool keep = false;
        (void)serve(connection, after, keep);
        if (keep) _exit(7);  // a fatal error for kcgi's workers
        if (after.bad_cookie) cookie[0] = static_cast<char>(cookie[0] + 1);
        if (after.cut) {
            ::close(connection);
            ::close(control);
            for (;;) ::pause();
        }
        if (after.deaf_ahead) {
            ::close(connection);
            ::shutdown(control, SHUT_RD);
            for (;;) ::pause();
        }
        // In two pieces: the manager must not wait for the second one.
        (void)!::write(control, cookie.data(), 3);
        (void)!::write(control, cookie.data() + 3, 5);
        if (after.twice) (void)!::write(control, cookie.data(), cookie.size());
        if (after.leak.empty()) ::close(connection);
        if (after.deaf) {
            ::shutdown(control, SHUT_RD);
            mark("deaf " + std::to_string(::getpid()));
        }
        while (after.deaf) ::pause();
        if (after.part) ::close(control);
        while (after.part) ::pause();
    }
}

void start(const char* control) {
    const char* const how = std::getenv("TEST_FIRST");
    if (how == nullptr) return;
    const std::string word = how;
    const std::string first = folder() + "/first";
    // In one step: it may be killed at any time, as behind start_timeout.
    const bool is_first = ::symlink(std::to_string(::getpid()).c_str(), first.c_str()) == 0;
    if (!is_first && word != "all") return;
    while (word == "hang") ::pause();
    std::array<char, 8> cookie{};
    // Its connection ends with the first of these reads, ahead of the rest of the cookie.
    if (word == "blind") (void)read_all(std::atoi(control), cookie.data(), cookie.size() - 1);
    if (word == "blind") (void)read_all(std::atoi(control), cookie.data(), 1);
    while (word == "blind") ::pause();
    pollfd next{control == nullptr ? STDIN_FILENO : std::atoi(control), POLLIN, 0};
    (void)::poll(&next, 1, -1);
    _exit(3);
}

}  // namespace

int main() {
    const char* const control = std::getenv("FCGI_LISTENSOCK_DESCRIPTORS");
    start(control);
    if (std::getenv("TEST_ENDS") != nullptr) ticketgate::test::end_at_usr1();
    if (control == nullptr) accept_each();
    be_passed_each(std::atoi(control));
}

#include "support/backend.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace ticketgate::test {
namespace {

// Leaves the handler: the connection has ended, or the test is over.
struct Gone {};

net::Endpoint any_port() {
    return *net::Endpoint::from_ip("127.0.0.1", 0);
}

net::Endpoint bind_to(int descriptor, const net::Endpoint& at) {
    if (::bind(descriptor, at.address(), at.size()) != 0)
        throw std::runtime_error("cannot bind " + at.text());
    net::Endpoint local = at;
    socklen_t size = sizeof(sockaddr_storage);
    if (!at.is_unix() && ::getsockname(descriptor, local.address(), &size) == 0)
        local.set_size(size);
    return local;
}

bool parse_request_head(Seen& seen) {
    const auto end = seen.raw_head.find("\r\n");
    const std::string line = seen.raw_head.substr(0, end);
    const auto first = line.find(' '), last = line.rfind(' ');
    if (first == std::string::npos || first == last) return false;
    seen.method = line.substr(0, first);
    seen.target = line.substr(first + 1, last - first - 1);
    seen.version = line.substr(last + 1);
    const auto lines = std::string_view(seen.raw_head).substr(end + 2);
    return seen.fields.parse(lines.substr(0, lines.size() - 2));
}

bool has_body(const Seen& seen) {
    return seen.fields.has("Content-Length") || seen.fields.has("Transfer-Encoding");
}

// Waits until the peer's kernel has acknowledged the FIN.
void await_fin_arrived(int descriptor) {
    eventually([&] {
        tcp_info info{};
        socklen_t size = sizeof(info);
        if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;
        return info.tcpi_state != TCP_FIN_WAIT1;
    });
}

// Small enough for a socket's buffer, so that it can be sent under the lock.
constexpr std::size_t last_piece = 1024;

}  // namespace

// ── operations for handlers
// ────────────────────────────────────────────────────────────────────────────

Seen Call::seen() const {
    const std::lock_guard lock(backend_.lock_);
    return backend_.seen_[index_];
}

void Call::read_body() {
    if (body_read_) return;
    read_body_until(static_cast<std::size_t>(-1));
}

// Records each piece as it arrives, because a test may be watching.
void Call::read_body_until(std::size_t bytes) {
    const Seen before = seen();
    if (!has_body(before)) bytes = 0;
    const bool chunked = before.fields.has("Transfer-Encoding");
    const std::size_t length = chunked ? 0 : std::stoul("0" + before.header("Content-Length"));
    std::size_t have = before.body.size();
    body_read_ = body_read_ || !has_body(before) || (!chunked && have == length);
    while (!body_read_ && have < bytes) {
        std::string piece;
        if (chunked) {
            if (!read_chunk(reader_, piece, body_read_).empty()) throw Gone();
        } else {
            const std::size_t wanted = std::min(length, bytes) - have;
            if (!reader_.exactly(std::min<std::size_t>(wanted, 16 << 10), piece)) throw Gone();
            body_read_ = have + piece.size() == length;
        }
        have += piece.size();
        const std::lock_guard lock(backend_.lock_);
        backend_.seen_[index_].body += piece;
        backend_.seen_[index_].body_whole = body_read_;
    }
    const std::lock_guard lock(backend_.lock_);
    backend_.seen_[index_].body_whole = body_read_;
}

void Call::respond(int status, std::string_view body, std::string_view lines) {
    std::string answer = "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: ";
    answer.append(std::to_string(body.size())).append("\r\n").append(lines).append("\r\n");
    finish(answer.append(body));
}

void Call::send(std::string_view bytes) {
    if (socket_.send(bytes) != Socket::Status::ok) throw Gone();
}

void Call::send_past_tls(std::string_view bytes) {
    const auto sent = ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes.size())) throw Gone();
}

void Call::drop_to_fin() {
    char dropped[4096];
    while (::recv(socket_.descriptor(), dropped, sizeof dropped, 0) > 0) continue;
}

// Records the end under the lock that also covers the last bytes, so that a request that starts
// because of them also starts later in our order.
void Call::finish(std::string_view bytes) {
    const std::size_t before = bytes.size() > last_piece ? bytes.size() - last_piece : 0;
    send(bytes.substr(0, before));
    bytes.remove_prefix(before);
    pollfd p{socket_.descriptor(), POLLOUT, 0};
    (void)::poll(&p, 1, 30'000);
    {
        const std::lock_guard lock(backend_.lock_);
        bytes.remove_prefix(socket_.send_some(bytes));
        backend_.end(index_);
    }
    send(bytes);
}

void Call::note(std::string_view text) {
    const std::lock_guard lock(backend_.lock_);
    backend_.seen_[index_].noted += text;
}

void Call::close() {
    const std::lock_guard lock(backend_.lock_);
    closed_ = true;
    socket_.close();
    backend_.end(index_);
}

void Call::reset() {
    const std::lock_guard lock(backend_.lock_);
    closed_ = true;
    socket_.reset();
    backend_.end(index_);
}

void Call::drop() {
    const std::lock_guard lock(backend_.lock_);
    closed_ = true;
    socket_.drop();
    backend_.end(index_);
}

void Call::wait_for(const std::string& name) {
    std::unique_lock lock(backend_.lock_);
    backend_.changed_.wait(
        lock, [&] { return backend_.stopping_ || backend_.released_.count(name) != 0; });
    if (backend_.stopping_) throw Gone();
}

// ── the server
// ─────────────────────────────────────────────────────────────────────────────────────

Backend::Backend() {
    listen(any_port());
}

Backend::Backend(const std::string& unix_path) {
    listen(*net::Endpoint::from_unix(unix_path));
}

Backend::Backend(TlsEnd tls) : tls_(std::move(tls)) {
    listen(any_port());
}

void Backend::listen(const net::Endpoint& at) {
    listener_ = ::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    const net::Endpoint local = bind_to(listener_, at);
    if (::listen(listener_, 1024) != 0) throw std::runtime_error("cannot listen");
    url_ = at.is_unix() ? local.text() : (tls_ ? "https://" : "http://") + local.text();
    // Signals are the program's alone, as they are in its own threads: its handlers write to
    // descriptors that its main thread closes. The threads that accept_all() starts inherit it.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    acceptor_ = std::thread([this] { accept_all(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Backend::~Backend() {
    {
        const std::lock_guard lock(lock_);
        stopping_ = true;
        for (auto& connection : connections_)
            if (connection->socket.open()) connection->socket.shut_down();
    }
    changed_.notify_all();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& thread : threads_) thread.join();
    ::close(listener_);
}

void Backend::accept_all() {
    for (;;) {
        const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0) return;
        Socket socket(descriptor);
        // Else a short answer behind another write, as of TLS' tickets, waits 40 ms for an
        // acknowledgement.
        const int on = 1;
        (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        const std::lock_guard lock(lock_);
        if (stopping_) return;
        connections_.push_back(std::make_unique<Connection>());
        connections_.back()->socket = std::move(socket);
        threads_.emplace_back([this, c = connections_.back().get(),
                               n = static_cast<int>(connections_.size())] { serve(*c, n); });
    }
}

void Backend::serve(Connection& connection, int number) {
    Reader reader(connection.socket);
    try {
        const bool secured = !tls_ || connection.socket.secure(*tls_);
        for (int i = 1; secured && serve_one(connection, reader, number, i); ++i) {
        }
    } catch (const Gone&) {
    }
    const std::lock_guard lock(lock_);
    for (std::size_t i = 0; i < seen_.size(); ++i)
        if (seen_[i].connection == number) end(i);
    connection.socket.close();
}

bool Backend::serve_one(Connection& connection, Reader& reader, int number, int on_connection) {
    Seen seen;
    seen.connection = number;
    seen.on_connection = on_connection;
    seen.raw_head = reader.through("\r\n\r\n", 24h);
    if (seen.raw_head.empty() || !parse_request_head(seen)) return false;
    const Route route = route_of(seen.path());
    Call call(*this, connection.socket, reader, write_down(connection, seen));
    if (!route.early) call.read_body();
    route.handler(call);
    if (call.closed_) return false;
    call.read_body();  // the rest that an early handler did not read
    const std::lock_guard lock(lock_);
    if (seen_[call.index_].end == 0) throw std::logic_error("a handler did not finish");
    return true;
}

std::size_t Backend::write_down(Connection& connection, Seen seen) {
    const std::lock_guard lock(lock_);
    connection.idle = false;
    seen.start = ++events_;
    seen.body_whole = !has_body(seen);
    seen_.push_back(std::move(seen));
    return seen_.size() - 1;
}

// Requires lock_.
void Backend::end(std::size_t index) {
    if (seen_[index].end != 0) return;
    seen_[index].end = ++events_;
    connections_[static_cast<std::size_t>(seen_[index].connection) - 1]->idle = true;
}

Backend::Route Backend::route_of(const std::string& path) const {
    const std::lock_guard lock(lock_);
    const auto found = routes_.find(path);
    if (found != routes_.end()) return found->second;
    return {[](Call& call) { call.respond(200, call.seen().target); }, false};
}

// ── the test's side
// ────────────────────────────────────────────────────────────────────────────────

void Backend::set(const std::string& path, Handler handler, bool early) {
    const std::lock_guard lock(lock_);
    routes_[path] = {std::move(handler), early};
}

void Backend::hold(const std::string& path) {
    on(path, [path](Call& call) {
        call.wait_for(path);
        call.respond(200, call.seen().target);
    });
}

void Backend::release(const std::string& name) {
    {
        const std::lock_guard lock(lock_);
        released_.insert(name);
    }
    changed_.notify_all();
}

void Backend::close_idle() {
    const std::lock_guard lock(lock_);
    for (auto& connection : connections_)
        if (connection->idle && connection->socket.open()) {
            connection->socket.shut_down();
            await_fin_arrived(connection->socket.descriptor());
        }
}

std::vector<Seen> Backend::all() const {
    const std::lock_guard lock(lock_);
    return seen_;
}

std::vector<Seen> Backend::of(std::string_view path) const {
    std::vector<Seen> found = all();
    std::erase_if(found, [&](const Seen& seen) { return seen.path() != path; });
    return found;
}

std::vector<std::string> Backend::order() const {
    std::vector<std::string> targets;
    for (const Seen& seen : all()) targets.push_back(seen.target);
    return targets;
}

std::size_t Backend::count(std::string_view path) const {
    const std::lock_guard lock(lock_);
    return static_cast<std::size_t>(
        std::ranges::count_if(seen_, [&](const Seen& seen) { return seen.path() == path; }));
}

bool Backend::wait_for(std::string_view path, std::size_t starts) const {
    return eventually([&] { return count(path) >= starts; });
}

bool Backend::wait_for_end(std::string_view path, std::size_t ends) const {
    return eventually([&] {
        const std::lock_guard lock(lock_);
        const auto ended = std::ranges::count_if(
            seen_, [&](const Seen& seen) { return seen.end != 0 && seen.path() == path; });
        return static_cast<std::size_t>(ended) >= ends;
    });
}

int Backend::most_in_flight(std::string_view path) const {
    std::vector<std::pair<std::uint64_t, int>> events;
    for (const Seen& seen : all()) {
        if (!seen.target.starts_with(path)) continue;
        events.emplace_back(seen.start, 1);
        if (seen.end != 0) events.emplace_back(seen.end, -1);
    }
    std::ranges::sort(events);
    int now = 0, most = 0;
    for (const auto& [place, change] : events) most = std::max(most, now += change);
    return most;
}

int Backend::connections() const {
    const std::lock_guard lock(lock_);
    return static_cast<int>(connections_.size());
}

RefusingPort::RefusingPort() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    url_ = "http://" + bind_to(descriptor_, any_port()).text();
}

RefusingPort::~RefusingPort() {
    ::close(descriptor_);
}

}  // namespace ticketgate::test

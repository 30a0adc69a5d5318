#include "admin/server.hpp"

#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

#include "admin/answers.hpp"
#include "admin/house.hpp"
#include "admin/reading.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/listen_error.hpp"
#include "net/listener.hpp"

namespace ticketgate::admin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// Of a refused request; longer ones lose the answer to a reset.
constexpr std::uint64_t most_dropped = 4 << 20;
constexpr auto linger_time = std::chrono::seconds(2);
// The pause after a failed accept.
constexpr auto accept_pause = std::chrono::milliseconds(100);

bool is_local(const asio::basic_stream_socket<asio::local::stream_protocol>&) {
    return true;
}
bool is_local(const asio::basic_stream_socket<asio::ip::tcp>& socket) {
    error_code error;
    const auto peer = socket.remote_endpoint(error).address();
    if (error) return false;
    return peer.is_loopback() ||
           (peer.is_v6() && peer.to_v6().is_v4_mapped() &&
            asio::ip::make_address_v4(asio::ip::v4_mapped, peer.to_v6()).is_loopback());
}

bool no_descriptors(const error_code& error) {
    return error == boost::system::errc::too_many_files_open ||
           error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

struct Server::Listening {
    virtual ~Listening() = default;
    virtual void close() = 0;
    virtual void hand_over(bool on) = 0;
    virtual void go_on() = 0;
    virtual int descriptor() = 0;
    net::Endpoint local;
    bool owns_file = false;  // of a unix socket
};

namespace {

/// Serves one connection.
template <class Protocol>
class Service {
 public:
    explicit Service(Connection<Protocol>& self)
        : self_(self), house_(self.house()), stream_(self.stream()), requests_(self.requests()) {}

    asio::awaitable<void> run() {
        const bool local = is_local(stream_.socket());
        for (bool keep = true; keep;) {
            Parser parser;
            co_await read(parser);
            if (self_.closed()) co_return;
            if (error_) refused_ = refusal_of(error_);
            if (refused_ != http::status::unknown) {
                co_await refuse();
                co_return;
            }
            if (error_) co_return;
            self_.busy = true;
            house_.guests.answers(self_);
            auto events = house_.watch ? house_.watch(parser.get()) : nullptr;
            if (events != nullptr) {
                self_.busy = false;
                co_await send_events(self_, std::move(events));
                co_return;
            }
            HttpResponse response = house_.handle(parser.get(), local);
            // In a crowd one answer each: those who ask without end would keep the others waiting.
            keep = parser.get().keep_alive() && !house_.guests.crowded() && !house_.handed_over;
            response.keep_alive(keep);
            co_await write(response, parser.get().method() == http::verb::head);
            if (error_) co_return;
            self_.busy = false;
            keep = keep && !house_.handed_over;
        }
    }

 private:
    auto token() { return asio::redirect_error(asio::use_awaitable, error_); }

    asio::awaitable<void> read(Parser& parser) {
        parser.body_limit(most_body);
        parser.header_limit(most_head);
        // What came behind the request before is a part of this one, or all of it.
        requests_.bound(most_request - std::min(most_request, buffer_.size()),
                        monotonic_now() + house_.limits.read_timeout);
        co_await http::async_read_header(requests_, buffer_, parser, token());
        if (error_) co_return;
        const Expects wish = expects(parser);
        if (wish == Expects::other) refused_ = http::status::expectation_failed;
        if (wish == Expects::other) co_return;
        if (wish == Expects::go_on)
            co_await asio::async_write(stream_, asio::buffer(go_on), token());
        if (error_) co_return;
        co_await http::async_read(requests_, buffer_, parser, token());
    }

    asio::awaitable<void> write(HttpResponse& response, bool head_only) {
        response.prepare_payload();
        http::response_serializer<http::string_body> serializer(response);
        stream_.expires_after(house_.limits.write_timeout);
        if (head_only)  // RFC 9110 9.3.2
            co_await http::async_write_header(stream_, serializer, token());
        else
            co_await http::async_write(stream_, serializer, token());
    }

    // A close with bytes unread would reset the connection and lose the answer (RFC 9112 9.6).
    asio::awaitable<void> refuse() {
        house_.guests.answers(self_);
        HttpResponse response = page(refused_, why(refused_));
        response.keep_alive(false);
        co_await write(response, false);
        if (error_ || self_.closed()) co_return;
        error_code ignored;
        stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
        stream_.expires_after(linger_time);
        std::array<char, 16 << 10> dropped;
        for (std::uint64_t all = 0; !error_ && !self_.closed() && all < most_dropped;) {
            const std::size_t got =
                co_await stream_.async_read_some(asio::buffer(dropped), token());
            all += got;
        }
    }

    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    Connection<Protocol>& self_;
    House& house_;
    beast::basic_stream<Protocol>& stream_;
    net::BoundedStream<beast::basic_stream<Protocol>>& requests_;
    beast::flat_buffer buffer_;
    error_code error_;
    http::status refused_ = http::status::unknown;
};

template <class Protocol>
asio::awaitable<void> serve(std::unique_ptr<Connection<Protocol>> owned) {
    Service<Protocol> service(*owned);
    co_await service.run();
}

template <class Protocol, class Listening>
struct Acceptor final : Listening, std::enable_shared_from_this<Acceptor<Protocol, Listening>> {
    Acceptor(asio::io_context& control, const Protocol& protocol, net::Opened opened,
             std::shared_ptr<House> h, Server::Report r)
        : acceptor(control), retry(control), house(std::move(h)), report(std::move(r)) {
        acceptor.assign(protocol, opened.socket.get());
        (void)opened.socket.release();
        const auto bound = acceptor.local_endpoint();
        this->local = net::Endpoint(bound.data(), static_cast<socklen_t>(bound.size()));
        this->owns_file = this->local.is_unix() && !opened.passed;
    }

    void accept() {
        acceptor.async_accept(
            [self = this->shared_from_this()](error_code error, typename Protocol::socket socket) {
                const bool cancelled = error == asio::error::operation_aborted;
                if (cancelled || !self->acceptor.is_open()) return;
                if (!error) self->begin(std::move(socket));
                if (self->handed_over) return;
                if (!error || (no_descriptors(error) && self->house->guests.make_room()))
                    return self->accept();
                self->report(error.value());
                self->accept_later();
            });
    }

    // An exception may have ended an accept before its handler ran.
    void go_on() override {
        if (handed_over) return;
        acceptor.cancel();
        accept();
    }

    void begin(typename Protocol::socket socket) {
        auto connection = std::make_unique<Connection<Protocol>>(house, std::move(socket));
        asio::co_spawn(acceptor.get_executor(), serve(std::move(connection)), asio::detached);
    }

    // Waits before the next accept: no descriptor is free yet, so an immediate retry would spin.
    void accept_later() {
        retry.expires_after(accept_pause);
        retry.async_wait([self = this->shared_from_this()](error_code error) {
            if (!error && self->acceptor.is_open() && !self->handed_over) self->accept();
        });
    }

    // A socket that another process holds as well stays in the epoll set when it is closed;
    // release() takes it out.
    void close() override {
        if (handed_over) ::close(acceptor.release());
        acceptor.close();
        retry.cancel();
    }

    // The file of a unix socket is the other process's from here on, even if that ends soon. A
    // viewer that stayed would see this process's line, and a health check that it drains.
    void hand_over(bool on) override {
        if (on == std::exchange(handed_over, on)) return;
        this->owns_file = false;
        house->handed_over = on;
        if (on) house->guests.send_idle_away();
        if (!on) {
            net::listen_again(acceptor.native_handle());
            return accept();
        }
        acceptor.cancel();
        retry.cancel();
    }

    int descriptor() override { return acceptor.native_handle(); }

    typename Protocol::acceptor acceptor;
    asio::steady_timer retry;
    const std::shared_ptr<House> house;  // shared with the connections
    const Server::Report report;
    bool handed_over = false;
};

template <class Protocol, class Listening>
std::shared_ptr<Listening> listen_on(asio::io_context& control, const Protocol& protocol,
                                     net::Opened opened, std::shared_ptr<House> house,
                                     Server::Report report) {
    auto acceptor = std::make_shared<Acceptor<Protocol, Listening>>(
        control, protocol, std::move(opened), std::move(house), std::move(report));
    acceptor->accept();
    return acceptor;
}

}  // namespace

Server::Server(asio::io_context& control, const net::Endpoint& at, Limits limits, Handler handle,
               Report report, Watch watch, const net::OpenListener& open) {
    auto house = std::make_shared<House>(limits, std::move(handle), std::move(watch));
    try {
        using Local = asio::local::stream_protocol;
        using Tcp = asio::ip::tcp;
        if (at.is_unix())
            listening_ = listen_on<Local, Listening>(control, Local(), open(at), std::move(house),
                                                     std::move(report));
        else
            listening_ =
                listen_on<Tcp, Listening>(control, at.family() == AF_INET6 ? Tcp::v6() : Tcp::v4(),
                                          open(at), std::move(house), std::move(report));
    } catch (const boost::system::system_error& error) {
        throw net::ListenError(at, error.code().value());
    }
}

Server::~Server() {
    listening_->close();
    if (listening_->owns_file) ::unlink(listening_->local.text().substr(5).c_str());
}

const net::Endpoint& Server::local() const {
    return listening_->local;
}

int Server::descriptor() const {
    return listening_->descriptor();
}

void Server::own_file() {
    listening_->owns_file = listening_->local.is_unix();
}

void Server::hand_over(bool on) {
    listening_->hand_over(on);
}

void Server::go_on() {
    listening_->go_on();
}

}  // namespace ticketgate::admin

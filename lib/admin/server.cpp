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
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/listener.hpp"

namespace ticketgate::admin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint64_t most_body = 64 << 10;
constexpr auto patience = std::chrono::seconds(10);

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

template <class Protocol>
asio::awaitable<void> serve(beast::basic_stream<Protocol> stream, Handler handle) {
    beast::flat_buffer buffer;
    error_code error;
    const bool local = is_local(stream.socket());
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (bool keep = true; keep;) {
        http::request_parser<http::string_body> parser;
        parser.body_limit(most_body);
        stream.expires_after(patience);
        co_await http::async_read(stream, buffer, parser, token);
        if (error) co_return;
        HttpResponse response = handle(parser.get(), local);
        keep = parser.get().keep_alive();
        response.keep_alive(keep);
        response.prepare_payload();
        co_await http::async_write(stream, response, token);
        if (error) co_return;
    }
}

}  // namespace

struct Server::Listening {
    virtual ~Listening() = default;
    virtual void close() = 0;
    net::Endpoint local;
};

namespace {

template <class Protocol, class Listening>
struct Acceptor final : Listening, std::enable_shared_from_this<Acceptor<Protocol, Listening>> {
    Acceptor(asio::io_context& control, const typename Protocol::endpoint& at, Handler h)
        : acceptor(control), handle(std::move(h)) {
        acceptor.open(at.protocol());
        acceptor.set_option(asio::socket_base::reuse_address(true));
        acceptor.bind(at);
        acceptor.listen();
        const auto bound = acceptor.local_endpoint();
        this->local = net::Endpoint(bound.data(), static_cast<socklen_t>(bound.size()));
    }

    void accept() {
        acceptor.async_accept(
            [self = this->shared_from_this()](error_code error, typename Protocol::socket socket) {
                if (error == asio::error::operation_aborted || !self->acceptor.is_open()) return;
                if (!error) {
                    asio::co_spawn(
                        self->acceptor.get_executor(),
                        serve(beast::basic_stream<Protocol>(std::move(socket)), self->handle),
                        asio::detached);
                }
                self->accept();
            });
    }

    void close() override { acceptor.close(); }

    typename Protocol::acceptor acceptor;
    Handler handle;
};

template <class Protocol, class Listening>
std::shared_ptr<Listening> listen_on(asio::io_context& control, const net::Endpoint& at,
                                     Handler handle) {
    typename Protocol::endpoint endpoint;
    endpoint.resize(at.size());
    std::copy_n(reinterpret_cast<const char*>(at.address()), at.size(),
                reinterpret_cast<char*>(endpoint.data()));
    auto acceptor =
        std::make_shared<Acceptor<Protocol, Listening>>(control, endpoint, std::move(handle));
    acceptor->accept();
    return acceptor;
}

}  // namespace

Server::Server(asio::io_context& control, const net::Endpoint& at, Handler handle) {
    try {
        if (at.is_unix()) {
            net::remove_stale_socket(at);
            listening_ =
                listen_on<asio::local::stream_protocol, Listening>(control, at, std::move(handle));
        } else {
            listening_ = listen_on<asio::ip::tcp, Listening>(control, at, std::move(handle));
        }
    } catch (const boost::system::system_error& error) {
        throw std::system_error(error.code().value(), std::system_category(),
                                "cannot listen on " + at.text());
    }
}

Server::~Server() {
    listening_->close();
    if (listening_->local.is_unix()) ::unlink(listening_->local.text().substr(5).c_str());
}

const net::Endpoint& Server::local() const {
    return listening_->local;
}

}  // namespace ticketgate::admin

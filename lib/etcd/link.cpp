#include "etcd/link.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>

namespace ticketgate::etcd {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// All keys of a cluster: 256 queues and 16 replicas with 1 KiB each, in base64.
constexpr std::uint64_t most_body = 16 << 20;
// With its head, the framing of its chunks, and TLS; also a handshake's.
constexpr std::uint64_t most_bytes = most_body + (1 << 20);

// Beast names its own part that is full; here it is the answer that is too long.
error_code told(const error_code& error) {
    const bool too_long = error == http::error::buffer_overflow ||
                          error == http::error::body_limit || error == http::error::header_limit;
    return too_long ? make_error_code(boost::system::errc::message_size) : error;
}

template <class Stream>
Awaitable<error_code> exchange_over(Stream& stream, beast::flat_buffer& buffer,
                                    const HttpRequest& request, HttpResponse& response) {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await http::async_write(stream, request, token);
    if (error) co_return error;
    http::response_parser<http::string_body> parser;
    parser.body_limit(most_body);
    co_await http::async_read(stream, buffer, parser, token);
    if (!error) response = parser.release();
    co_return told(error);
}

}  // namespace

Link::Link(asio::io_context& io, asio::ssl::context* tls) : stream_(std::in_place_type<Plain>, io) {
    if (tls != nullptr) stream_.emplace<Tls>(io, *tls);
}

Link::Plain& Link::socket() {
    if (auto* const tls = std::get_if<Tls>(&stream_)) return tls->next_layer();
    return std::get<Plain>(stream_);
}

Awaitable<error_code> Link::open(const Addresses& to, const std::string& name, Time deadline) {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    socket().bound(most_bytes, deadline);
    co_await socket().next_layer().async_connect(to, token);
    auto* const tls = std::get_if<Tls>(&stream_);
    if (error || tls == nullptr) co_return error;
    if (!name.empty()) SSL_set_tlsext_host_name(tls->native_handle(), name.c_str());
    co_await tls->async_handshake(asio::ssl::stream_base::client, token);
    co_return error;
}

Awaitable<error_code> Link::exchange(const HttpRequest& request, HttpResponse& response,
                                     Time deadline) {
    socket().bound(most_bytes, deadline);
    if (auto* const tls = std::get_if<Tls>(&stream_))
        return exchange_over(*tls, buffer_, request, response);
    return exchange_over(std::get<Plain>(stream_), buffer_, request, response);
}

bool Link::is_quiet() {
    char byte = 0;
    const int from = socket().lowest_layer().native_handle();
    return ::recv(from, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace ticketgate::etcd

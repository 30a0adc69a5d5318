// One connection to a node of etcd, with or without TLS; one exchange at a time. An exchange ends
// at its deadline and within a number of bytes, whatever the node sends. Runs on the io_context of
// its client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/bounded_stream.hpp"

namespace ticketgate::etcd {

using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;
template <class T>
using Awaitable = boost::asio::awaitable<T>;

class Link {
 public:
    /// `tls`: null for none; it outlives the link.
    Link(boost::asio::io_context& io, boost::asio::ssl::context* tls);

    /// Connects to the first address that answers. `name` goes into the TLS greeting, unless empty.
    Awaitable<error_code> open(const Addresses& to, const std::string& name, Time deadline);
    Awaitable<error_code> exchange(const HttpRequest&, HttpResponse&, Time deadline);
    /// Nothing has arrived since the last exchange, not even an end.
    bool is_quiet();

 private:
    using Plain = net::BoundedStream<boost::beast::tcp_stream>;
    using Tls = boost::beast::ssl_stream<Plain>;
    Plain& socket();
    // The largest head, or trailers, or extension of one chunk.
    static constexpr std::size_t most_unread = 128 << 10;

    std::variant<Plain, Tls> stream_;
    boost::beast::flat_buffer buffer_{most_unread};
};

}  // namespace ticketgate::etcd

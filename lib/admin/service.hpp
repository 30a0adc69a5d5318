// Serves one connection of the admin listener. A part of server.cpp. Control thread.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "admin/answers.hpp"
#include "admin/house.hpp"
#include "admin/reading.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "upgrade/message.hpp"

namespace ticketgate::admin {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// So many bytes of a refused request are read and dropped. Behind a longer one a reset may overtake
// the answer.
inline constexpr std::uint64_t most_dropped = 4 << 20;
inline constexpr auto linger_time = std::chrono::seconds(2);

inline bool is_local(const asio::basic_stream_socket<asio::local::stream_protocol>&) {
    return true;
}
inline bool is_local(const asio::basic_stream_socket<asio::ip::tcp>& socket) {
    error_code error;
    const auto peer = socket.remote_endpoint(error).address();
    if (error) return false;
    return peer.is_loopback() ||
           (peer.is_v6() && peer.to_v6().is_v4_mapped() &&
            asio::ip::make_address_v4(asio::ip::v4_mapped, peer.to_v6()).is_loopback());
}

template <class Part>
std::string text_of(const Part& part) {
    std::ostringstream text;
    text << part;
    return std::move(text).str();
}

// The whole lines of an incomplete head. The parser has taken them from the buffer.
inline std::string begun_head(const HttpRequest& request) {
    if (request.target().empty()) return {};
    std::string text = text_of(request.base());
    text.resize(text.size() - std::string_view("\r\n").size());  // the empty line
    return text;
}

/// Serves one connection: its requests, one after the other.
template <class Protocol>
class Service {
 public:
    Service(Connection<Protocol>& self, std::string_view arrived)
        : self_(self), house_(self.house()), stream_(self.stream()), requests_(self.requests()) {
        buffer_.commit(asio::buffer_copy(buffer_.prepare(arrived.size()), asio::buffer(arrived)));
    }

    asio::awaitable<void> run() {
        const bool local = is_local(stream_.socket());
        for (bool keep = true; keep;) {
            Parser parser;
            if (house_.handed_over()) error_ = asio::error::operation_aborted;
            if (!error_) co_await read(parser);
            if (self_.closed()) co_return;
            if (house_.handed_over()) co_return pass_on(parser);
            if (error_) refused_ = refusal_of(error_);
            if (refused_ != http::status::unknown) {
                co_await refuse(parser);
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
            keep = parser.get().keep_alive() && !house_.guests.crowded();
            response.keep_alive(keep);
            co_await write(response, parser.get().method() == http::verb::head);
            if (error_) co_return;
            self_.busy = false;
            keep = keep && !house_.handed_over();
        }
    }

 private:
    auto token() { return asio::redirect_error(asio::use_awaitable, error_); }

    asio::awaitable<void> read(Parser& parser) {
        parser.body_limit(most_body);
        parser.header_limit(most_head);
        // The buffer already holds bytes that came behind the last request: they count, too.
        requests_.bound(most_request - std::min(most_request, buffer_.size()),
                        monotonic_now() + house_.limits.read_timeout);
        co_await http::async_read_header(requests_, buffer_, parser, token());
        if (error_) co_return;
        refused_ = refusal_of(parser);
        if (refused_ != http::status::unknown) co_return;
        if (expects(parser) == Expects::go_on)
            co_await asio::async_write(stream_, asio::buffer(go_on), token());
        if (error_) co_return;
        co_await http::async_read(requests_, buffer_, parser, token());
    }

    // Nothing of it has been acted on. A request whose body is not whole, or that is too long for a
    // message, ends with its connection.
    void pass_on(const Parser& parser) {
        if (error_ && error_ != asio::error::operation_aborted) return;
        if (parser.is_header_done() && !parser.is_done()) return;
        const HttpRequest& request = parser.get();
        std::string arrived = parser.is_done() ? text_of(request) : begun_head(request);
        arrived.append(static_cast<const char*>(buffer_.data().data()), buffer_.size());
        if (arrived.size() <= upgrade::longest_text)
            house_.pass_on(self_.release(), std::move(arrived));
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
    asio::awaitable<void> refuse(const Parser& parser) {
        house_.guests.answers(self_);
        HttpResponse response = page(refused_, why(refused_));
        response.keep_alive(false);
        // While the method is unknown, a body would be wrong for HEAD.
        if (parser.get().method_string().empty()) response.body().clear();
        co_await write(response, parser.get().method() == http::verb::head);
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

}  // namespace ticketgate::admin

#include "app/admin_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <boost/url/url.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "admin/answers.hpp"
#include "base/error.hpp"
#include "config/syntax.hpp"
#include "net/bounded_stream.hpp"

namespace ticketgate {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto patience = std::chrono::seconds(3);
// The most bytes of one answer: Beast's limit of a body, and 1 MiB for its head and framing.
constexpr std::uint64_t most_bytes = 9 << 20;
// The most bytes of the head, of the trailers, and of the extension of one chunk.
constexpr std::size_t most_unread = 128 << 10;

// A client port, or another program: nothing that it says is an answer to a command.
AdminAnswer of_another() {
    return {0,
            {},
            "answers, but it is not ticketgate's admin listener",
            "give the admin.address of the running process: --admin ADDRESS"};
}

// Does what arrived break the rules of HTTP? An answer that is cut short does not.
bool is_no_http(const error_code& error) {
    if (error == boost::system::errc::message_size) return true;
    static const auto& category = make_error_code(http::error::bad_version).category();
    return error.category() == category && error != http::error::end_of_stream &&
           error != http::error::partial_message && error != http::error::body_limit;
}

// The other process has ended the connection, and has not begun an answer.
bool is_cut(const error_code& error) {
    return error == http::error::end_of_stream || error == asio::error::connection_reset ||
           error == asio::error::broken_pipe;
}

AdminAnswer no_answer(const error_code& error, bool write) {
    if (is_no_http(error)) return of_another();
    if (write && is_cut(error))
        return {0,
                {},
                "it closed the connection without an answer",
                "it is not known whether it did what was asked: look (`ticketgate queues`) before "
                "you ask again; a process that an upgrade has just replaced does nothing"};
    if (error == beast::error::timeout)
        return {0,
                {},
                "no answer within " + std::to_string(patience.count()) + " s",
                "something else may listen there, or the process is stopped or overloaded"};
    if (error == boost::system::errc::permission_denied)
        return {0,
                {},
                error.message(),
                "the socket is open to ticketgate's user and group; run the command as one of "
                "them, or as root"};
    return {0, {}, error.message(), {}};
}

// One request under way. Its handlers own it.
template <class Protocol>
class Asking : public std::enable_shared_from_this<Asking<Protocol>> {
 public:
    Asking(asio::io_context& io, const AdminQuestion& question, OnAnswer on_answer)
        : stream_(io),
          request_(question.write ? http::verb::post : http::verb::get, question.target, 11),
          on_answer_(std::move(on_answer)) {
        request_.set(http::field::host, "localhost");
        if (!question.token.empty())
            request_.set(http::field::authorization, "Bearer " + question.token);
        request_.prepare_payload();
    }

    void start(const typename Protocol::endpoint& at) {
        at_ = at;
        stream_.bound(most_bytes, monotonic_now() + patience);
        stream_.next_layer().async_connect(at, [self = this->shared_from_this()](error_code error) {
            error ? self->end(error) : self->write();
        });
    }

 private:
    void write() {
        http::async_write(stream_, request_,
                          [self = this->shared_from_this()](error_code error, std::size_t) {
                              error ? self->end(error) : self->read();
                          });
    }
    void read() {
        http::async_read(
            stream_, buffer_, response_,
            [self = this->shared_from_this()](error_code error, std::size_t) { self->end(error); });
    }
    // A process that has handed over closes what it can neither answer nor pass on: the next
    // connection reaches the new one.
    void again() {
        stream_.next_layer().close();
        buffer_.clear();
        response_ = {};
        start(at_);
    }
    void end(const error_code& error) {
        const bool write = request_.method() != http::verb::get;
        if (!write && is_cut(error) && !std::exchange(repeated_, true)) return again();
        if (error) return on_answer_(no_answer(error, write));
        if (!response_.base().count(admin::admin_header)) return on_answer_(of_another());
        on_answer_({response_.result_int(), std::move(response_.body()), {}, {}});
    }

    net::BoundedStream<beast::basic_stream<Protocol>> stream_;
    http::request<http::string_body> request_;
    http::response<http::string_body> response_;
    beast::flat_buffer buffer_{most_unread};
    typename Protocol::endpoint at_;
    bool repeated_ = false;
    const OnAnswer on_answer_;
};

template <class Protocol>
void ask_at(asio::io_context& io, const typename Protocol::endpoint& at,
            const AdminQuestion& question, OnAnswer on_answer) {
    std::make_shared<Asking<Protocol>>(io, question, std::move(on_answer))->start(at);
}

asio::ip::address look_up(const std::string& host, error_code& error) {
    auto literal = asio::ip::make_address(host, error);
    if (!error) return literal;
    asio::io_context io;
    const auto found = asio::ip::tcp::resolver(io).resolve(host, "", error);
    return error ? literal : found.begin()->endpoint().address();
}

boost::urls::url url_of(const std::string& queue) {
    boost::urls::url url("/api/v1/queues");
    url.segments().push_back(queue);
    return url;
}

}  // namespace

std::string queue_target(const std::string& queue) {
    return url_of(queue).buffer();
}

std::string release_target(const std::string& queue, std::uint64_t number,
                           const std::string& request_id) {
    auto url = url_of(queue);
    url.segments().push_back("release");
    const auto text = std::to_string(number);
    url.params().append({"number", text});
    if (request_id.empty()) return url.buffer();
    // A plus sign in a query is a blank, and params() leaves it as it is.
    const auto id = boost::urls::encode(request_id, boost::urls::unreserved_chars);
    url.encoded_params().append({"request_id", id});
    return url.buffer();
}

std::string pause_target(const std::string& queue, const std::string& how_long) {
    auto url = url_of(queue);
    url.segments().push_back("pause");
    if (!how_long.empty()) url.params().append({"for", how_long});
    return url.buffer();
}

std::string resume_target(const std::string& queue) {
    auto url = url_of(queue);
    url.segments().push_back("resume");
    return url.buffer();
}

std::optional<config::Listen> parse_admin_address(std::string_view text, std::string& why) {
    if (auto listen = config::parse_address(text, why)) return listen;
    if (text.starts_with("unix:")) return std::nullopt;
    why.clear();
    config::Upstream named;  // an authority with a name follows the URL grammar
    if (text.find(':') == std::string_view::npos ||
        !config::parse_url("http://" + std::string(text), named, why)) {
        why = "write the address of the admin listener, as 127.0.0.1:9901 or unix:/path";
        return std::nullopt;
    }
    config::Listen listen;
    listen.address = text;
    listen.host = named.host;
    listen.port = named.port;
    return listen;
}

void ask_later(asio::io_context& io, const config::Listen& admin, const AdminQuestion& question,
               OnAnswer on_answer) {
    if (!admin.unix_path.empty())
        return ask_at<asio::local::stream_protocol>(io, {admin.unix_path}, question,
                                                    std::move(on_answer));
    error_code error;
    auto address = look_up(admin.host, error);
    if (error) return asio::post(io, [=] { on_answer({0, {}, error.message(), {}}); });
    if (address.is_unspecified() && address.is_v4()) address = asio::ip::address_v4::loopback();
    if (address.is_unspecified()) address = asio::ip::address_v6::loopback();
    ask_at<asio::ip::tcp>(io, {address, admin.port}, question, std::move(on_answer));
}

AdminAnswer ask(const config::Listen& admin, const AdminQuestion& question) {
    asio::io_context io;
    AdminAnswer got;
    ask_later(io, admin, question, [&got](AdminAnswer answer) { got = std::move(answer); });
    io.run();
    return got;
}

}  // namespace ticketgate

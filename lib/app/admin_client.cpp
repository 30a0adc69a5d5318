#include "app/admin_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>

#include "base/error.hpp"

namespace ticketgate {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto patience = std::chrono::seconds(3);

template <class Protocol>
AdminAnswer ask_at(const typename Protocol::endpoint& at, const AdminQuestion& question) {
    asio::io_context io;
    beast::basic_stream<Protocol> stream(io);
    http::request<http::string_body> request(question.write ? http::verb::post : http::verb::get,
                                             question.target, 11);
    request.set(http::field::host, "localhost");
    if (!question.token.empty())
        request.set(http::field::authorization, "Bearer " + question.token);
    request.prepare_payload();
    http::response<http::string_body> response;
    beast::flat_buffer buffer;
    error_code failure = asio::error::timed_out;
    stream.expires_after(patience);
    stream.async_connect(at, [&](error_code connecting) {
        if ((failure = connecting)) return;
        http::async_write(stream, request, [&](error_code writing, std::size_t) {
            if ((failure = writing)) return;
            http::async_read(stream, buffer, response,
                             [&](error_code reading, std::size_t) { failure = reading; });
        });
    });
    io.run();
    if (failure) return {0, {}, failure.message()};
    return {response.result_int(), response.body(), {}};
}

}  // namespace

AdminAnswer ask(const config::Listen& admin, const AdminQuestion& question) {
    if (!admin.unix_path.empty())
        return ask_at<asio::local::stream_protocol>({admin.unix_path}, question);
    error_code error;
    auto address = asio::ip::make_address(admin.host, error);
    if (error) return {0, {}, error.message()};
    if (address.is_unspecified() && address.is_v4()) address = asio::ip::address_v4::loopback();
    if (address.is_unspecified()) address = asio::ip::address_v6::loopback();
    return ask_at<asio::ip::tcp>({address, admin.port}, question);
}

}  // namespace ticketgate

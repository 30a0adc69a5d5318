#include "otlp/collector.hpp"

#include <algorithm>
#include <charconv>

namespace ticketgate::otlp {
namespace {

namespace http = boost::beast::http;

boost::beast::string_view beast(std::string_view text) {
    return {text.data(), text.size()};
}

// In seconds; a date counts as none.
Duration retry_after(const etcd::HttpResponse& response) {
    const auto text = response[http::field::retry_after];
    std::uint32_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return std::min<Duration>(seconds(number), trace::longest_pause);
}

Posted outcome_of(etcd::HttpResponse& response) {
    Posted posted;
    posted.reply = trace::reply_of(response.result_int());
    posted.pause = retry_after(response);
    if (posted.reply == trace::Reply::taken)
        posted.body = std::move(response.body());
    else
        posted.why = "it answers with status " + std::to_string(response.result_int());
    return posted;
}

}  // namespace

Collector::Collector(boost::asio::io_context& io, Settings settings)
    : settings_(std::move(settings)), node_(io, settings_.at, settings_.tls) {}

etcd::HttpRequest Collector::request_with(std::string body) const {
    etcd::HttpRequest request(http::verb::post, beast(settings_.path), 11);
    request.set(http::field::host, beast(settings_.at.url().substr(settings_.at.tls ? 8 : 7)));
    request.set(http::field::user_agent, "ticketgate");
    for (const auto& [name, value] : settings_.headers) request.set(beast(name), beast(value));
    request.set(http::field::content_type, "application/json");
    request.body() = std::move(body);
    request.prepare_payload();
    return request;
}

// A kept connection may end at the very moment at which it is used: then once more on another.
Awaitable<Posted> Collector::post(std::string body, Time deadline) {
    const etcd::HttpRequest request = request_with(std::move(body));
    etcd::HttpResponse response;
    auto error = co_await node_.ask(request, response, deadline);
    const bool again = error && monotonic_now() < deadline;
    if (again) error = co_await node_.ask(request, response, deadline);
    if (!error) co_return outcome_of(response);
    Posted posted;
    posted.why = error.message();
    co_return posted;
}

}  // namespace ticketgate::otlp

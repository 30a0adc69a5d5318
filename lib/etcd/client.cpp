#include "etcd/client.hpp"

#include <utility>

#include "base/check.hpp"

namespace ticketgate::etcd {
namespace {

namespace http = boost::beast::http;
namespace wire = cluster::etcd;
using wire::Fault;

HttpRequest request_of(const Endpoint& to, wire::Call call, const std::string& token) {
    HttpRequest request(http::verb::post, {call.path.data(), call.path.size()}, 11);
    request.set(http::field::host, to.url().substr(to.tls ? 8 : 7));
    request.set(http::field::content_type, "application/json");
    if (!token.empty()) request.set(http::field::authorization, token);
    request.body() = std::move(call.body);
    request.prepare_payload();
    return request;
}

wire::Failure not_etcd() {
    return {Fault::not_etcd, "not an answer of etcd"};
}

Answer failed(const Node& node, const wire::Failure& failure) {
    return {std::nullopt, {failure.fault, node.endpoint().url() + ": " + failure.message}};
}

}  // namespace

Client::Client(boost::asio::io_context& io, const Settings& settings)
    : user_(settings.user), password_(settings.password), timeout_(settings.timeout) {
    TG_CHECK(!settings.endpoints.empty());
    for (const Endpoint& one : settings.endpoints)
        nodes_.push_back(std::make_unique<Node>(io, one, settings.tls));
}

Awaitable<Answer> Client::call(wire::Call call) {
    const std::size_t asked = current_;
    const Time deadline = monotonic_now() + timeout_;
    Answer answer = co_await ask_logged_in(*nodes_[asked], std::move(call), deadline);
    const Fault fault = answer.failure.fault;
    const bool next = !answer.body && (fault == Fault::away || fault == Fault::not_etcd);
    if (next && asked == current_) current_ = (current_ + 1) % nodes_.size();
    co_return answer;
}

// A token ends (etcd's --auth-token-ttl), and with the node that gave it (simple tokens). etcd
// looks at it first, so a call that it refuses for that has not happened and is sent again.
Awaitable<Answer> Client::ask_logged_in(Node& node, wire::Call call, Time deadline) {
    if (user_.empty()) co_return co_await ask(node, std::move(call), deadline);
    if (token_.empty())
        if (auto failure = co_await log_in(node, deadline)) co_return failed(node, *failure);
    const std::string used = token_;
    Answer answer = co_await ask(node, call, deadline);
    if (answer.failure.fault != Fault::no_login) co_return answer;
    if (token_ == used) token_.clear();
    if (token_.empty())
        if (auto failure = co_await log_in(node, deadline)) co_return failed(node, *failure);
    co_return co_await ask(node, std::move(call), deadline);
}

Awaitable<std::optional<wire::Failure>> Client::log_in(Node& node, Time deadline) {
    auto call = wire::log_in(user_, password_);
    HttpResponse response;
    if (auto failure = co_await exchange(node, std::move(call), response, deadline)) {
        const bool needless = failure->message.ends_with("authentication is not enabled");
        co_return needless ? std::nullopt : std::move(failure);
    }
    auto token = wire::read_login(response.body());
    if (!token) co_return not_etcd();
    token_ = std::move(*token);
    co_return std::nullopt;
}

Awaitable<Answer> Client::ask(Node& node, wire::Call call, Time deadline) {
    HttpResponse response;
    if (auto failure = co_await exchange(node, std::move(call), response, deadline))
        co_return failed(node, *failure);
    Answer answer;
    answer.body = std::move(response.body());
    co_return answer;
}

Awaitable<std::optional<wire::Failure>> Client::exchange(Node& node, wire::Call call,
                                                         HttpResponse& response, Time deadline) {
    auto request = request_of(node.endpoint(), std::move(call), token_);
    const auto error = co_await node.ask(std::move(request), response, deadline);
    std::optional<Failure> failure;
    if (error)
        failure = Failure{Fault::away, error.message()};
    else if (response.result() != http::status::ok)
        failure = wire::read_failure(response.result_int(), response.body());
    co_return failure;
}

}  // namespace ticketgate::etcd

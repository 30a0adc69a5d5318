#include "etcd/node.hpp"

#include <openssl/ssl.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "net/endpoint.hpp"

namespace ticketgate::etcd {
namespace {

namespace asio = boost::asio;

constexpr std::size_t most_kept = 4;

asio::ssl::context context_of(net::TlsClientSettings settings, const std::string& host) {
    if (settings.server_name.empty()) settings.server_name = host;
    const auto rules = net::client_rules(settings);
    SSL_CTX_up_ref(rules.get());  // the context takes a reference
    return asio::ssl::context(rules.get());
}

Addresses addresses_of(const std::vector<net::Endpoint>& found) {
    Addresses addresses;
    for (const net::Endpoint& one : found)
        addresses.emplace_back(asio::ip::make_address(one.ip()), one.port());
    return addresses;
}

}  // namespace

std::string Endpoint::url() const {
    const bool bracketed = host.find(':') != std::string::npos;
    return (tls ? "https://" : "http://") + (bracketed ? '[' + host + ']' : host) + ':' +
           std::to_string(port);
}

Node::Node(asio::io_context& io, Endpoint endpoint, net::TlsClientSettings tls)
    : io_(io), endpoint_(std::move(endpoint)), lookup_(std::make_shared<Lookup>(io)) {
    error_code no_address;
    const auto address = asio::ip::make_address(endpoint_.host, no_address);
    is_address_ = !no_address;
    if (is_address_) lookup_->found.emplace_back(address, endpoint_.port);
    if (endpoint_.tls) tls_.emplace(context_of(std::move(tls), endpoint_.host));
}

void Node::look_up() {
    if (lookup_->under_way) return;
    lookup_->under_way = true;
    lookup_->done.expires_at(asio::steady_timer::time_point::max());
    lookup_->resolver.resolve(
        endpoint_.host, endpoint_.port,
        [weak = std::weak_ptr(lookup_)](const error_code& error,
                                        const std::vector<net::Endpoint>& found) {
            const auto self = weak.lock();
            if (!self) return;
            self->under_way = false;
            self->error = error;
            self->found = addresses_of(found);
            self->done.cancel();
        });
}

// A look-up in the system cannot be ended, so it goes on behind the deadline, for the next call.
Awaitable<error_code> Node::find_addresses(Time deadline) {
    using asio::experimental::awaitable_operators::operator||;
    if (!lookup_->found.empty()) co_return error_code();
    look_up();
    const auto lookup = lookup_;
    error_code done, late;
    asio::steady_timer timer(io_, deadline);
    auto until_done = lookup->done.async_wait(asio::redirect_error(asio::use_awaitable, done));
    auto until_late = timer.async_wait(asio::redirect_error(asio::use_awaitable, late));
    co_await (std::move(until_done) || std::move(until_late));
    if (lookup->under_way) co_return asio::error::timed_out;
    if (lookup->found.empty() && !lookup->error) co_return asio::error::host_not_found;
    co_return lookup->error;
}

std::unique_ptr<Link> Node::take_kept() {
    while (!kept_.empty()) {
        auto link = std::move(kept_.back());
        kept_.pop_back();
        if (link->is_quiet()) return link;
    }
    return nullptr;
}

Awaitable<error_code> Node::connect(std::unique_ptr<Link>& link, Time deadline) {
    if (link = take_kept(); link) co_return error_code();
    if (auto error = co_await find_addresses(deadline)) co_return error;
    link = std::make_unique<Link>(io_, tls_ ? &*tls_ : nullptr);
    const Addresses to = lookup_->found;
    const std::string name = is_address_ ? std::string() : endpoint_.host;
    const auto error = co_await link->open(to, name, deadline);
    if (error && !is_address_) lookup_->found.clear();  // it may have moved
    co_return error;
}

Awaitable<error_code> Node::ask(HttpRequest request, HttpResponse& response, Time deadline) {
    std::unique_ptr<Link> link;
    if (auto error = co_await connect(link, deadline)) co_return error;
    const auto error = co_await link->exchange(request, response, deadline);
    if (!error && response.keep_alive() && kept_.size() < most_kept)
        kept_.push_back(std::move(link));
    co_return error;
}

}  // namespace ticketgate::etcd

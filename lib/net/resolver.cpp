#include "net/resolver.hpp"

#include <boost/asio/post.hpp>
#include <new>
#include <utility>

namespace ticketgate::net {
namespace {

// RFC 6761 6.3: localhost is loopback, also where no hosts file names it (a bare chroot).
std::vector<Endpoint> loopback(std::uint16_t port) {
    return {*Endpoint::from_ip("127.0.0.1", port), *Endpoint::from_ip("::1", port)};
}

error_code no_memory() {
    return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
}

template <class Found>
std::vector<Endpoint> endpoints_of(const Found& found) {
    std::vector<Endpoint> endpoints;
    for (const auto& entry : found)
        endpoints.emplace_back(entry.endpoint().data(),
                               static_cast<socklen_t>(entry.endpoint().size()));
    return endpoints;
}

}  // namespace

void Resolver::resolve(std::string host, std::uint16_t port, Done done) {
    const auto asked = std::make_shared<Question>(Question{std::move(host), port, std::move(done)});
    boost::asio::post(control_, [this, asked] { ask(asked); });
}

void Resolver::ask(const std::shared_ptr<Question>& asked) try {
    resolver_.async_resolve(
        asked->host, std::to_string(asked->port),
        [asked](const error_code& error, const Found& found) { answer(*asked, error, found); });
} catch (const std::bad_alloc&) {
    asked->done(no_memory(), {});
}

void Resolver::answer(const Question& asked, const error_code& error, const Found& found) try {
    const bool local = error && asked.host == "localhost";
    asked.done(local ? error_code() : error, local ? loopback(asked.port) : endpoints_of(found));
} catch (const std::bad_alloc&) {
    asked.done(no_memory(), {});
}

}  // namespace ticketgate::net

#include "net/resolver.hpp"

#include <boost/asio/post.hpp>

namespace ticketgate::net {
namespace {

// RFC 6761 6.3: localhost is loopback, also where no hosts file says so (a bare chroot).
std::vector<Endpoint> loopback(std::uint16_t port) {
    return {*Endpoint::from_ip("127.0.0.1", port), *Endpoint::from_ip("::1", port)};
}

}  // namespace

void Resolver::resolve(std::string host, std::uint16_t port, Done done) {
    using Results = boost::asio::ip::tcp::resolver::results_type;
    boost::asio::post(
        control_, [this, host = std::move(host), port, done = std::move(done)]() mutable {
            resolver_.async_resolve(host, std::to_string(port),
                                    [done = std::move(done), local = host == "localhost", port](
                                        const error_code& error, const Results& found) {
                                        if (error && local) return done({}, loopback(port));
                                        std::vector<Endpoint> endpoints;
                                        for (const auto& entry : found)
                                            endpoints.emplace_back(
                                                entry.endpoint().data(),
                                                static_cast<socklen_t>(entry.endpoint().size()));
                                        done(error, std::move(endpoints));
                                    });
        });
}

}  // namespace ticketgate::net

#include "net/resolver.hpp"

#include <boost/asio/post.hpp>

namespace ticketgate::net {

void Resolver::resolve(std::string host, std::uint16_t port, Done done) {
    using Results = boost::asio::ip::tcp::resolver::results_type;
    boost::asio::post(
        control_, [this, host = std::move(host), port, done = std::move(done)]() mutable {
            resolver_.async_resolve(
                host, std::to_string(port),
                [done = std::move(done)](const error_code& error, const Results& found) {
                    std::vector<Endpoint> endpoints;
                    for (const auto& entry : found)
                        endpoints.emplace_back(entry.endpoint().data(),
                                               static_cast<socklen_t>(entry.endpoint().size()));
                    done(error, std::move(endpoints));
                });
        });
}

}  // namespace ticketgate::net

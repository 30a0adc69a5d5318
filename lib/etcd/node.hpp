// One endpoint of a store, with its addresses and kept connections. Runs on the io_context of its
// client.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "etcd/link.hpp"
#include "net/resolver.hpp"
#include "net/tls_client.hpp"

namespace ticketgate::etcd {

struct Endpoint {
    std::string host;  ///< a name, or an address (IPv6 without brackets)
    std::uint16_t port = 0;
    bool tls = false;

    std::string url() const;
    bool operator==(const Endpoint&) const = default;
};

class Node {
 public:
    /// Without `tls.server_name` the endpoint's host is checked. Throws std::runtime_error that
    /// names the bad file.
    Node(boost::asio::io_context&, Endpoint, net::TlsClientSettings tls);

    const Endpoint& endpoint() const { return endpoint_; }
    /// Sends it over a kept connection or a new one; an error: no whole answer came.
    Awaitable<error_code> ask(HttpRequest, HttpResponse&, Time deadline);

 private:
    Awaitable<error_code> find_addresses(Time deadline);
    void look_up();
    std::unique_ptr<Link> take_kept();
    Awaitable<error_code> connect(std::unique_ptr<Link>& link, Time deadline);

    /// A call that waits for it may outlive the node.
    struct Lookup {
        explicit Lookup(boost::asio::io_context& io) : resolver(io), done(io) {}
        net::Resolver resolver;
        boost::asio::steady_timer done;  ///< cancelled at its end
        Addresses found;
        error_code error;
        bool under_way = false;
    };

    boost::asio::io_context& io_;
    const Endpoint endpoint_;
    bool is_address_ = false;
    std::optional<boost::asio::ssl::context> tls_;
    std::shared_ptr<Lookup> lookup_;
    std::vector<std::unique_ptr<Link>> kept_;
};

}  // namespace ticketgate::etcd

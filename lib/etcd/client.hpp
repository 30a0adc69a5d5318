// A client of etcd's JSON gateway: sends the calls of cluster/etcd_wire.hpp to one of its endpoints
// and logs in where asked. Calls may run side by side. It decides nothing about what they mean.
// Owned by the shell of the cluster; all of it runs on one io_context, with one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/etcd_wire.hpp"
#include "etcd/node.hpp"

namespace ticketgate::etcd {

struct Settings {
    std::vector<Endpoint> endpoints;  ///< at least one; of one store
    std::string user, password;       ///< empty: no login
    net::TlsClientSettings tls;
    milliseconds timeout = 1s;  ///< of one call with all its steps
};

struct Answer {
    std::optional<std::string> body;  ///< of status 200
    cluster::etcd::Failure failure;   ///< without a body; its message names the endpoint
};

class Client {
 public:
    /// Throws std::runtime_error that names a bad file.
    Client(boost::asio::io_context&, const Settings&);

    /// Asks one endpoint, within the timeout. If that endpoint gives no answer, or has no leader,
    /// the next call goes to the next one. Without an answer the call may have happened, or may
    /// still happen.
    Awaitable<Answer> call(cluster::etcd::Call);
    std::size_t endpoints() const { return nodes_.size(); }

 private:
    using Failure = cluster::etcd::Failure;
    Awaitable<Answer> ask(Node&, cluster::etcd::Call, Time deadline);
    Awaitable<Answer> ask_logged_in(Node&, cluster::etcd::Call, Time deadline);
    Awaitable<std::optional<Failure>> log_in(Node&, Time deadline);
    /// A failure: another status than 200, or no whole answer.
    Awaitable<std::optional<Failure>> exchange(Node&, cluster::etcd::Call, HttpResponse&,
                                               Time deadline);

    std::vector<std::unique_ptr<Node>> nodes_;
    const std::string user_, password_;
    const milliseconds timeout_;
    std::size_t current_ = 0;
    std::string token_;  // of the login
};

}  // namespace ticketgate::etcd

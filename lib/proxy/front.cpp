#include "proxy/front.hpp"

#include <cstring>

#include "proxy/session.hpp"

namespace ticketgate {
namespace {

net::Endpoint endpoint_of(const config::Listen& listen) {
    if (!listen.unix_path.empty()) return *net::Endpoint::from_unix(listen.unix_path);
    return *net::Endpoint::from_ip(listen.host, listen.port);
}

void start_session(Station& station, Station& settle_on, int descriptor, Peer peer) {
    std::unique_ptr<net::Stream> client =
        std::make_unique<net::SocketStream>(station.loop, descriptor);
    if (auto tls = station.snapshot()->tls(peer.listener))
        client = net::secure(std::move(tls), std::move(client));
    station.metrics.connections_accepted.add();
    peer.trusted = station.snapshot()->trusted.contains(peer.ip);
    Session::serve(
        std::make_unique<Session>(station, settle_on, std::move(client), std::move(peer)));
}

}  // namespace

Front::Front(Commons& commons, const std::vector<config::Listen>& listen,
             std::uint32_t max_connections)
    : commons_(commons), max_connections_(max_connections) {
    net::Loop& loop = commons_.stations.front()->loop;
    const auto report = [&log = commons_.log](int error) {
        log.error("cannot accept a connection", {{"why", std::strerror(error)}});
    };
    for (const auto& l : listen) {
        const net::Endpoint at = endpoint_of(l);
        const auto take = [this, index = listeners_.size()](int descriptor,
                                                            const net::Endpoint& peer,
                                                            const net::Endpoint& local) {
            accepted(descriptor, Peer{peer.ip(), false, local.port(), index});
        };
        listeners_.push_back(std::make_unique<net::Listener>(loop, at, take, report));
    }
}

std::vector<net::Endpoint> Front::addresses() const {
    std::vector<net::Endpoint> out;
    for (const auto& listener : listeners_) out.push_back(listener->local());
    return out;
}

// Sessions start when the batch of events is done with: a session may close things that others of
// the batch are about.
void Front::accepted(int descriptor, Peer peer) {
    ++commons_.connections;
    update();
    Station& first = *commons_.stations.front();
    Station& settle_on = *commons_.stations[next_++ % commons_.stations.size()];
    first.loop.defer([&first, &settle_on, descriptor, p = std::move(peer)] {
        start_session(first, settle_on, descriptor, p);
    });
}

// Loop 0. At the limit new connections wait in the kernel's backlog.
void Front::update() {
    full_ = true;  // first: a connection that closes from now on asks for another look
    const bool full = commons_.connections >= max_connections_;
    if (!full) full_ = false;
    for (auto& listener : listeners_) full ? listener->pause() : listener->resume();
}

void Front::connection_closed() {
    if (full_.exchange(false)) commons_.stations.front()->loop.post([this] { update(); });
}

void Front::max_connections(std::uint32_t limit) {
    max_connections_ = limit;
    commons_.stations.front()->loop.post([this] { update(); });
}

}  // namespace ticketgate

#include "proxy/greeting.hpp"

#include <exception>
#include <utility>

#include "http/proxy_protocol.hpp"
#include "proxy/connection.hpp"
#include "proxy/standing.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {
namespace {

// Closes without an answer: over TLS a 429 would cost a handshake first, which helps an attacker,
// and one that never comes would hold a place of max_connections.
void turn_away(Station& station, const Peer& peer) {
    station.commons.log.debug("a client has too many connections", {{"client_ip", peer.ip}});
}

void begin_session(Arrival arrival) {
    const Snapshot& snapshot = *arrival.station.snapshot();
    Peer& peer = arrival.peer;
    auto claim = std::move(arrival.claim);
    peer = believed(peer, claim ? &claim->header : nullptr, snapshot.trusted);
    const bool admitted =
        peer.many ||
        arrival.admission.enter(peer.ip, snapshot.config.clients.max_connections_per_client);
    if (!admitted) arrival.station.metrics.connections_refused.add();
    std::unique_ptr<net::Stream> client = std::move(arrival.client);
    auto tls = snapshot.tls(peer.listener);
    if (tls && !admitted) return turn_away(arrival.station, peer);
    std::string guests = tls ? tls->guests() : std::string();
    if (tls) client = net::secure(std::move(tls), std::move(client));
    Caller caller{std::move(peer), std::move(claim), std::move(guests), snapshot.number,
                  arrival.arrived_after};
    Connection::serve(std::make_unique<Connection>(arrival.station, arrival.settle_on,
                                                   std::move(client), std::move(caller),
                                                   std::move(arrival.admission), admitted));
}

/// Reads the PROXY header. Owned by its coroutine.
class Greeting final : public Resident, public IdleClient {
 public:
    explicit Greeting(Arrival arrival)
        : arrival_(std::move(arrival)),
          station_(arrival_.station),
          signal_(station_.loop.scheduler()),
          deadline_(signal_) {
        arrival_.client->observe(&signal_);
        station_.join(*this);
    }
    ~Greeting() { station_.leave(*this); }

    static Detached serve(std::unique_ptr<Greeting> self) {
        Log& log = self->station_.commons.log;
        try {
            const error_code failure = co_await self->read_header();
            if (failure) {
                self->tell(failure);
                co_return;
            }
            Arrival arrival = std::move(self->arrival_);
            arrival.client->observe(nullptr);
            self.reset();
            begin_session(std::move(arrival));
        } catch (const std::exception& e) {
            log.error("a connection ended by an exception", {{"what", e.what()}});
        }
    }

    void look_up() override { signal_.notify(); }
    bool make_room() override {
        makes_room_ = true;
        signal_.notify();
        return true;
    }

 private:
    task<error_code> read_header() {
        net::SocketStream& client = *arrival_.client;
        const config::Clients& clients = station_.snapshot()->config.clients;
        const std::size_t max_size = clients.max_head;
        if (!may_speak_for_others(arrival_.peer, station_.snapshot()->trusted))
            co_return errc::not_trusted;
        station_.loop.arm(deadline_, clients.head_timeout);
        for (;;) {
            const auto got = client.peek(station_.loop.buffer());
            if (got.status == net::Io::ended || got.status == net::Io::failed) co_return errc::idle;
            const std::string_view bytes(station_.loop.buffer().data(), got.bytes);
            const auto header = http::parse_proxy_header(bytes, max_size);
            if (!header) co_return header.error();
            if (header->bytes > 0) {
                (void)client.read_some(station_.loop.buffer().first(header->bytes));  // was peeked
                co_return accept(*header);
            }
            if (bytes.empty()) station_.rest(*this);
            co_await signal_;
            station_.wake(*this);
            if (makes_room_ || station_.draining() || station_.stopping()) co_return errc::idle;
            if (deadline_.expired()) co_return errc::head_timeout;
        }
    }

    // A reload may have taken the trust away meanwhile.
    error_code accept(const http::ProxyHeader& header) {
        const Peer& sender = arrival_.peer;
        if (!may_speak_for_others(sender, station_.snapshot()->trusted)) return errc::not_trusted;
        arrival_.claim = std::make_unique<const Claim>(Claim{sender, header});
        return {};
    }

    void tell(error_code failure) {
        if (failure == errc::idle) return;
        const bool trust = failure == errc::not_trusted;
        station_.commons.log.warn(
            trust ? "a PROXY header from an untrusted peer: add its network "
                    "to clients.trusted_proxies"
                  : "no valid PROXY header: this listener has proxy_protocol on",
            {{"peer", arrival_.peer.ip}, {"why", failure.message()}});
    }

    Arrival arrival_;
    Station& station_;
    Signal signal_;
    Deadline deadline_;
    bool makes_room_ = false;
};

}  // namespace

void greet(Arrival arrival) {
    if (!arrival.proxy_protocol) return begin_session(std::move(arrival));
    Greeting::serve(std::make_unique<Greeting>(std::move(arrival)));
}

}  // namespace ticketgate

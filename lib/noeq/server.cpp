#include "noeq/server.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "noeq/connection.hpp"

namespace ticketgate::noeq {
namespace {

constexpr Duration between_complaints = 1s;
// Waits for the next millisecond must not end 50 µs late, the kernel's default slack.
constexpr unsigned long timer_slack_ns = 1000;

metrics::Counter& refused(metrics::Registry& registry, const char* reason) {
    return registry.counter("ticketgate_id_service_refused_total",
                            "Connections of the id service that were closed for a reason.",
                            {{"reason", reason}});
}

}  // namespace

Metrics::Metrics(metrics::Registry& r)
    : ids(r.counter("ticketgate_id_service_ids_total", "Ids given out by the id service.")),
      requests(r.counter("ticketgate_id_service_requests_total", "Requests it answered.")),
      accepted(r.counter("ticketgate_id_service_accepted_total", "Connections it accepted.")),
      bad_token(refused(r, "token")),
      bad_request(refused(r, "request")),
      clock_behind(refused(r, "clock")),
      no_state(refused(r, "state_file")),
      timed_out(refused(r, "timeout")),
      per_client(refused(r, "per_client")),
      oldest_idle(refused(r, "oldest_idle")),
      clock_waits(r.counter("ticketgate_id_service_clock_waits_total",
                            "Checks that found the clock behind the last id.")),
      connections(r.gauge("ticketgate_id_service_connections", "Its open connections.")) {}

Server::Server(const net::Endpoint& at, Settings settings, std::unique_ptr<IdSource> source,
               Log& log, metrics::Registry& registry, const net::OpenListener& open)
    : settings_(std::move(settings)),
      source_(std::move(source)),
      log_(log),
      metrics_(registry),
      loop_(0),
      listener_(std::make_unique<net::Listener>(
          loop_, at,
          [this](Descriptor& descriptor, const net::Endpoint& peer, const net::Endpoint&) {
              accepted(descriptor, peer);
          },
          [this](int error) { no_means(error); }, nullptr, settings_.shut_at, open)),
      local_(listener_->local()),
      descriptor_(listener_->descriptor()) {}

Server::~Server() {
    if (!thread_) return;
    loop_.post(stop_);
    thread_->join();
}

void Server::start(net::LoopThread thread) {
    loop_.post([] { ::prctl(PR_SET_TIMERSLACK, timer_slack_ns); });
    thread_.emplace(std::move(thread)).run(loop_);
}

// Starts the connection after the present batch of events; see proxy/front.
void Server::accepted(Descriptor& descriptor, const net::Endpoint& peer) {
    metrics_.accepted.add();
    const std::string ip = peer.ip();
    // Any number of clients may share a unix socket.
    std::string client = ip == net::unix_peer ? std::string() : client_key(ip);
    const auto guest = std::make_shared<std::unique_ptr<Connection>>();
    const auto place = place_for(client);
    if (place == nullptr && !client.empty()) {
        metrics_.per_client.add();
        return complain("one client has reached max_connections_per_client", ip);
    }
    if (open_ >= settings_.max_connections) (void)send_away_first();
    try {
        *guest = std::make_unique<Connection>(*this, descriptor.get(), ip);
    } catch (const std::bad_alloc&) {
        if (place != nullptr) clients_.leave(place);
        throw;
    }
    (void)descriptor.release();  // the connection owns it
    (*guest)->client = std::move(client);
    (*guest)->place = place;
    ++open_;
    update();
    loop_.defer([this, guest]() noexcept {
        try {
            Connection::serve(std::move(*guest));
        } catch (const std::bad_alloc&) {
            no_means(ENOMEM);
        }
    });
}

// A client at its limit loses its oldest idle connection, which it may no longer know of.
ClientCounts::Place Server::place_for(const std::string& client) {
    if (client.empty()) return nullptr;
    const auto limit = settings_.max_connections_per_client;
    const auto place = clients_.enter(client, limit);
    if (place != nullptr) return place;
    return send_away_first_of(client) ? clients_.enter(client, limit) : nullptr;
}

bool Server::send_away_first() {
    if (nobody_may_go()) return false;
    send_away(idle_.empty() ? slow_.front() : idle_.front());
    return true;
}

bool Server::send_away_first_of(const std::string& client) {
    for (Guests* among : {&idle_, &slow_}) {
        const auto oldest = std::ranges::find(*among, client, &Guest::client);
        if (oldest == among->end()) continue;
        send_away(*oldest);
        return true;
    }
    return false;
}

// Frees its place at once; the connection ends in this turn of the loop.
void Server::send_away(Guest& guest) {
    guest.may_go.unlink();
    guest.sent_away = true;
    give_back(guest);
    ++going_;
    metrics_.oldest_idle.add();
    guest.look_up();
}

void Server::give_back(Guest& guest) {
    --open_;
    if (guest.place != nullptr) clients_.leave(std::exchange(guest.place, nullptr));
}

// When descriptors run out, a client's connection is closed for the next one.
void Server::no_means(int error) {
    if (error != EMFILE || !send_away_first())
        complain("cannot accept a connection", std::strerror(error));
}

// At the limit the connection that has been idle for longest makes room, else the one that has not
// taken its ids for longest. While all others are busy, newcomers wait.
void Server::update() {
    if (!listener_) return;
    const bool full = open_ >= settings_.max_connections && nobody_may_go();
    full ? listener_->pause() : listener_->resume();
}

void Server::join(Guest& guest) {
    guests_.push_back(guest);
    metrics_.connections.add(1);
    idle(guest);
}

void Server::leave(Guest& guest) {
    guests_.erase(guests_.iterator_to(guest));
    metrics_.connections.add(-1);
    guest.may_go.unlink();
    if (guest.sent_away)
        --going_;
    else
        give_back(guest);
    update();
    if (stopping_ && open_ + going_ == 0) loop_.stop();
}

void Server::busy(Guest& guest) {
    if (!guest.may_go.is_linked()) return;
    guest.may_go.unlink();
    if (nobody_may_go()) update();
}

void Server::lets_go(Guest& guest, Guests& among) {
    if (guest.may_go.is_linked() || guest.sent_away) return;
    const bool first = nobody_may_go();
    among.push_back(guest);
    if (first) update();
}

void Server::stop() {
    stopping_ = true;
    listener_.reset();
    if (open_ + going_ == 0) loop_.stop();
    for (Guest& guest : guests_) guest.look_up();
}

void Server::refused_by(IdSource::Made why, milliseconds behind) {
    const bool clock = why == IdSource::Made::behind;
    (clock ? metrics_.clock_behind : metrics_.no_state).add();
    if (clock)
        complain("the clock is behind the last id", std::to_string(behind.count()) + " ms");
    else
        complain("the state file cannot be written", std::strerror(errno));
}

void Server::complain(std::string_view what, std::string_view of) {
    const Time now = monotonic_now();
    if (now < quiet_until_) return;
    quiet_until_ = now + between_complaints;
    log_.warn("id service: refused", {{"why", what}, {"of", of}});
}

}  // namespace ticketgate::noeq

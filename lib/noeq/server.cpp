#include "noeq/server.hpp"

#include <sys/prctl.h>

#include <cstring>

#include "noeq/connection.hpp"

namespace ticketgate::noeq {
namespace {

constexpr Duration between_complaints = 1s;
// Waits for the next millisecond must not end 50 µs late, as they usually may.
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
      clock_waits(r.counter("ticketgate_id_service_clock_waits_total",
                            "Looks at a clock that was behind the last id.")),
      connections(r.gauge("ticketgate_id_service_connections", "Its open connections.")) {}

Server::Server(const net::Endpoint& at, Settings settings, std::unique_ptr<IdSource> source,
               Log& log, metrics::Registry& registry)
    : settings_(std::move(settings)),
      source_(std::move(source)),
      log_(log),
      metrics_(registry),
      loop_(0),
      listener_(std::make_unique<net::Listener>(
          loop_, at,
          [this](int descriptor, const net::Endpoint& peer, const net::Endpoint&) {
              accepted(descriptor, peer);
          },
          [this](int error) { complain("cannot accept a connection", std::strerror(error)); },
          settings_.shut_at)),
      local_(listener_->local()) {}

Server::~Server() {
    if (!thread_.joinable()) return;
    loop_.post([this] { stop(); });
    thread_.join();
}

void Server::start() {
    thread_ = std::jthread([this] {
        ::prctl(PR_SET_TIMERSLACK, timer_slack_ns);
        loop_.run();
    });
}

// A connection begins when the batch of events is done with; see proxy/front.
void Server::accepted(int descriptor, const net::Endpoint& peer) {
    metrics_.accepted.add();
    if (++open_ >= settings_.max_connections) listener_->pause();
    loop_.defer([this, descriptor, ip = peer.ip()] {
        Connection::serve(std::make_unique<Connection>(*this, descriptor, ip));
    });
}

void Server::join(Guest& guest) {
    guests_.push_back(guest);
    metrics_.connections.add(1);
}

void Server::leave(Guest& guest) {
    guests_.erase(guests_.iterator_to(guest));
    metrics_.connections.add(-1);
    if (open_-- == settings_.max_connections && listener_) listener_->resume();
    if (stopping_ && open_ == 0) loop_.stop();
}

void Server::stop() {
    stopping_ = true;
    listener_.reset();
    if (open_ == 0) loop_.stop();
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

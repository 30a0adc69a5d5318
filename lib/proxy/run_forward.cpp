// A run whose request goes to the replica that keeps the line of its queue (CLUSTER.md section 9).
#include <algorithm>

#include "cluster/forward.hpp"
#include "proxy/peers.hpp"
#include "proxy/run_state.hpp"

namespace ticketgate {

// A body waits until the keeper has given the ticket: until then the request can go elsewhere.
Body& Run::body_to_send() {
    Body& body = request_->body;
    if (!request_->peer || request_->asked_for || request_->repeatable) return body;
    if (!no_body_yet_) {
        no_body_yet_ = std::make_unique<Body>(station_.commons.spool);
        no_body_yet_->complete = false;
        no_body_yet_->chunked = body.chunked;
    }
    return *no_body_yet_;
}

constexpr Duration to_tell = 2s;  // of a time-out at the keeper

// The keeper has the time-outs of its line and its backend, and tells their ends. Only one that
// stands still, or whose machine is gone, is silent for longer. It asks for a body at once.
Duration Run::keeper_silence(Duration backend) const {
    const Duration line = settings().wait_timeout;
    if (line >= never) return never;
    if (awaits_keeper() && !request_->repeatable) return line + to_tell;
    return backend >= never ? never : line + backend + to_tell;
}

// How long a keeper may have it that has not begun with it, over all tries to reach one.
Time Run::unstarted_until() const {
    const Duration line = settings().wait_timeout;
    return line >= never ? Time::max() : request_->started + line + to_tell;
}

// It can go to another keeper: nothing of it has started there, or it may be repeated.
bool Run::awaits_keeper() const {
    return request_->peer && !request_->asked_for && !request_->reply.begun();
}

bool Run::looks_for_keeper() const {
    const bool may_have_begun = request_->asked_for && request_->line_idle == 0;
    return request_->peer && !may_have_begun && !request_->reply.begun();
}

// The keeper that stands still says nothing, and neither does its connection, while the line goes
// on at another one.
void Run::arm_keeper() {
    constexpr Duration look_again = 1s;
    const Duration left = std::max<Duration>(keeper_ends_ - monotonic_now(), 1ms);
    station_.loop.arm(deadline_, std::min(left, look_again));
}

// As long as the line waits for the end of what that keeper started, the request may be of it.
bool Run::line_went_on() const {
    const Whereabouts at = request_->route->gate->where();
    using enum Whereabouts::Where;
    if (at.where != here && at.where != peer) return false;
    const auto is_there = [&](const auto& keeper) {
        return keeper && keeper->epoch == request_->line_epoch;
    };
    return !is_there(at.keeper) && !is_there(at.prior);
}

// The keeper has asked for its body, and may have started it unless its line proves that it never
// opened: from before the request went there until another replica had it.
bool Run::was_never_started() const {
    return request_->line_idle != 0 &&
           request_->route->gate->where().replaced_idle == request_->line_idle;
}

error_code Run::look_for_keeper() {
    const bool awaits = awaits_keeper();
    if (awaits ? line_went_on() : was_never_started()) return errc::line_moved;
    if (monotonic_now() < keeper_ends_) return arm_keeper(), error_code();
    if (!exchange_->connected()) return errc::upstream_connect_timeout;
    return request_->repeatable || !awaits ? errc::keeper_silent : errc::line_moved;
}

// A client that ends its side may have left; the keeper decides, as of its own clients.
void Run::pass_end_on() {
    if (!request_->client_ended || !all_sent_ || !exchange_->connected()) return;
    request_->client_ended = false;
    exchange_->finish_sending();
}

// What a failure means if the request went to the replica that keeps its line. In TLS 1.3 the other
// side judges our certificate when our side is done, and says so in an alert.
error_code Run::of_keeper(error_code failure) {
    if (!request_->peer || request_->asked_for) return failure;
    const std::string fault = exchange_->fault();
    if (fault.find("alert") == std::string::npos) return failure;
    tell_keeper(fault, Peers::remedy(fault));
    return errc::line_moved;
}

// It was not started, or it may be repeated, so its session tries again: one line for many tries.
bool Run::goes_to_another_keeper(error_code failure) const {
    if (!request_->peer || request_->asked_for) return false;
    const bool secured = exchange_ && !exchange_->fault().empty();
    return failure == errc::upstream_refused || failure == errc::upstream_untrusted ||
           failure == errc::upstream_connect_timeout ||
           (failure == errc::upstream_broke && secured);
}

void Run::tell_keeper(const std::string& why, const std::string& remedy) {
    const std::string address = exchange_->address();
    request_->route->gate->notes.keeper_refuses = true;
    if (!station_.commons.peers->tells(address, why)) return;
    std::string more = remedy.empty() ? exchange_->remedy() : remedy;
    if (!more.empty()) more.insert(0, ": ");
    station_.commons.log.warn("a request cannot be sent to the replica that keeps its queue",
                              {{"request_id", request_->record.request_id},
                               {"queue", request_->record.queue},
                               {"address", address},
                               {"why", why + more}});
}

// In words of a replica: those of a failure speak of a backend.
std::string Run::fault_of_keeper(error_code failure, const std::string& why) const {
    if (failure == errc::upstream_broke) return "it ended its connection before its answer";
    if (failure == errc::upstream_lost) return "the network to it failed";
    if (failure != errc::keeper_silent) return why;
    return streaming_ ? "it sent nothing within tunnel_timeout and wait_timeout"
                      : "it sent nothing within wait_timeout, response_timeout and 2s";
}

// One that has not begun there, or may be repeated, goes to a keeper again, every 50 ms.
void Run::tell_of_keeper(error_code failure, const std::string& why) {
    const Record& record = request_->record;
    const std::string fault = fault_of_keeper(failure, why);
    const Field id("request_id", record.request_id), queue("queue", record.queue);
    const Field replica("replica", record.cluster->forwarded_to), reason("why", fault);
    auto& log = station_.commons.log;
    if (failure == errc::keeper_silent)
        log.warn("the replica that keeps the queue is silent",
                 {id,
                  queue,
                  replica,
                  reason,
                  {"remedy",
                   "does that replica run, or does it stand still? `ticketgate cluster status` "
                   "tells what its queue waits for"}});
    else if (request_->asked_for || request_->reply.begun())
        log.warn("the replica that keeps the queue did not answer to the end",
                 {id, queue, replica, reason, {"remedy", "see the log of that replica"}});
    else
        log.debug("the replica that keeps the queue did not serve the request",
                  {id, queue, replica, reason});
}

// What a replica answers before it takes the request for one of a replica: it has not started it,
// and its client must not get that answer. Every later answer tells a place.
bool Run::hear_refusal() {
    constexpr unsigned handshake_outdated = 421;  // the next connection is under its new files
    const unsigned status = station_.response.view()->status;
    const std::string remedy = Peers::remedy(status);
    if (!remedy.empty()) tell_keeper("it answers " + std::to_string(status), remedy);
    return !remedy.empty() || status == handshake_outdated;
}

std::optional<cluster::Place> Run::told_place() const {
    std::optional<cluster::Place> place;
    if (!request_->peer) return place;
    for (const auto& field : station_.response.view()->fields)
        if (iequals(field.name, cluster::place_header)) place = cluster::read_place(field.value);
    return place;
}

// True: the keeper has told where the request waits. The first place of all counts: the numbers of
// a later keeper are higher.
bool Run::keep_place() {
    const auto place = told_place();
    if (place && request_->place == 0) request_->place = place->number;
    return place.has_value();
}

// False: the keeper does not keep the line any more, and has not started the request.
bool Run::hear_place() {
    const auto place = told_place();
    if (!place) return !hear_refusal();
    auto& refuses = request_->route->gate->notes.keeper_refuses;
    if (refuses) refuses = false;
    if (place->moved) return false;
    Record& record = request_->record;
    record.number = place->number;
    record.position = place->position;
    record.blocked_by = place->blocked_by;
    record.queue_wait = place->waited;
    record.cluster->token = place->token;
    // Without what the keeper saw itself: its line, its backend, and the upload of the body.
    const Duration forwarding = monotonic_now() - request_->started - place->age;
    if (place->age > Duration{0})
        request_->route->gate->count_forward(std::max(Duration{0}, forwarding));
    return true;
}

}  // namespace ticketgate

// How a session treats a request of a queue that is one line over all replicas of a cluster: it
// takes its ticket here if this replica keeps the line; else the request goes to the replica that
// does, as to a backend, and is answered as that one answers (CLUSTER.md section 9).
#include <algorithm>

#include "cluster/forward.hpp"
#include "proxy/identify.hpp"
#include "proxy/inside.hpp"
#include "proxy/peers.hpp"
#include "proxy/session.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {
namespace {

// Between two looks for the replica that keeps the line, and between two tries at one that refuses
// this replica: it logs each of them.
constexpr Duration look_again = 50ms, ask_again = 1s;

std::string_view value_of(const http::RequestHead& head, std::string_view name) {
    for (const auto& field : head.fields)
        if (iequals(field.name, name)) return field.value;
    return {};
}

}  // namespace

// A request of another replica. What that one knows of it replaces what this connection shows.
error_code Session::hear_replica() {
    if (!client_.peer().replica) return {};
    const http::RequestHead& head = *station().head.view();
    const std::string_view line = value_of(head, cluster::forward_header);
    const auto asked = cluster::read_ask(value_of(head, cluster::ask_header));
    if (asked && line.empty()) return answer_replica(*asked);
    const auto told = cluster::read_forward(line);
    const Peers* const peers = station().commons.peers.get();
    if (!told || peers == nullptr || !peers->proves_itself(told->secret))
        return errc::not_a_replica;
    auto about = std::make_unique<Told>();
    about->peer = client_.peer();
    about->peer.ip = told->client;
    about->peer.trusted = true;     // its X-Forwarded-* are those of the replica
    about->peer.secured = nullptr;  // of the connection between replicas; the client has its own
    if (!request_->record.client_ip.empty()) request_->record.client_ip = told->client;
    about->queue = told->queue;
    about->peer.listener = request_->snapshot->listener(told->listener);
    if (told->unknown) about->peer.speaks_for = SpeaksFor::nobody;
    about->term = told->term;
    if (told->inside) about->inside = std::string(*told->inside);
    request_->started -= told->waited;
    request_->place = told->place;
    request_->by_replica = true;
    request_->record.cluster = std::make_unique<ClusterPart>();
    request_->record.cluster->forwarded_by = client_.peer().ip;
    told_ = std::move(about);
    return {};
}

error_code Session::answer_replica(const cluster::Ask& asked) const {
    const Peers* const peers = station().commons.peers.get();
    if (peers == nullptr || !peers->proves_itself(asked.secret)) return errc::not_a_replica;
    request_->unlogged = true;
    Gate* const gate = request_->snapshot->gate(asked.queue);
    const bool over = gate != nullptr && gate->give_word(asked.instance, asked.term, asked.by);
    return over ? errc::word_given : errc::no_word;
}

// The replica that sent it has decided that it queues, and in which queue; here the same config
// must say the same.
error_code Session::check_told_queue() const {
    const Route& route = *request_->route;
    if (!told_) return {};
    const bool same = route.gate && route.gate->clustered() && route.gate->name() == told_->queue;
    if (same) return {};
    station().commons.log.error(
        "a request of another replica has another queue here: their configs differ",
        {{"request_id", request_->record.request_id},
         {"queue", told_->queue},
         {"here", route.gate ? std::string_view(route.gate->name()) : "off"}});
    return errc::line_moved;
}

// Where it takes its ticket. While it is not known, it gathers here with others, and moves.
error_code Session::find_line() {
    request_->peer.reset();
    request_->asked_for = false;
    request_->line_epoch = request_->line_idle = 0;
    if (const auto failure = check_told_queue()) return failure;
    queues_ = queues_ || told_ != nullptr;  // so has the replica decided that sent it
    if (!queues_ || !request_->route->gate->clustered()) return {};
    using enum Whereabouts::Where;
    const Whereabouts at = request_->route->gate->where();
    gathers_ = at.where == nowhere;
    auto& refuses = request_->route->gate->notes.keeper_refuses;
    if (at.where != peer && refuses) refuses = false;  // written seldom: all threads read it
    if (!request_->record.cluster) request_->record.cluster = std::make_unique<ClusterPart>();
    request_->record.cluster->forwarded_to.clear();
    only_within_ = at.where != here && names_caller() && (told_ || calls_from_here());
    if (only_within_) return {};
    if (at.where == stands) return errc::cluster_away;
    if (at.where == away) return told_ ? errc::line_moved : errc::cluster_away;
    if (told_ && !(at.where == here && is_of(at.epoch))) return errc::line_moved;  // forwarded once
    const LineKeeper* const keeper = keeper_for(at);
    if (keeper == nullptr) return {};
    request_->peer = station().commons.peers->at(keeper->address);
    if (!request_->peer) return errc::cluster_away;
    request_->record.cluster->forwarded_to = keeper->address;
    request_->line_epoch = keeper->epoch;
    request_->line_idle = keeper->idle_version;
    return {};
}

// A replica takes a keeper of another term for another one, and would send the request again once
// the term that it knows is over.
bool Session::is_of(std::uint64_t epoch) const {
    return told_->term == 0 || told_->term == epoch;
}

// Null: it takes its ticket here. A line that settles waits for the requests of the keeper before.
// If one of them has made this call, the call runs within that one's slot, there: in the line the
// two would wait for each other.
const LineKeeper* Session::keeper_for(const Whereabouts& at) {
    const bool asks_prior = at.prior && !told_ && !asked_prior_ && names_caller();
    asked_prior_ = asked_prior_ || asks_prior;
    return asks_prior ? at.prior.get() : at.keeper.get();
}

// Its caller runs here still, in a term that this replica has kept before.
bool Session::calls_from_here() const {
    return request_->route->gate->runs(*inside_);
}

// The other replica keeps the number for the case that this one is lost. One that was granted a
// slot at once is told with its answer.
void Session::tell_place(const Pass& pass) const {
    if (told_ == nullptr || request_->place != 0 || pass.inside_of() != 0) return;
    std::string interim = "HTTP/1.1 102 Processing\r\n";
    stamp_place(request_->record, false, Duration{0}, interim);
    request_->reply.write_interim(interim.append("\r\n"));
}

// Before it leaves its line: the number is a place if the line was kept here. While it gathered, it
// got a number that is one only when a term of this replica began.
void Session::keep_place() {
    if (request_->peer || request_->place != 0) return;
    const std::uint64_t first = request_->record.number;
    const std::uint64_t number = place_ ? place_->pass().number() : first;
    const bool was_granted = !place_;
    if (was_granted || !gathers_ || number != first) request_->place = number;
}

// The line that tells the keeper about it. What must not be sent twice is ended only when the
// keeper has given the ticket and asks: an empty body too, in chunked coding.
void Session::stamp_forward(std::string& lines) const {
    const Peers& peers = *station().commons.peers;
    const http::RequestHead& head = *station().head.view();
    cluster::Forward forward;
    forward.secret = peers.secret();
    forward.queue = request_->route->gate->name();
    const std::string ip = client_ip(head, peer());
    forward.client = ip;
    forward.unknown = known_client_ip(head, peer()).empty();
    forward.listener = request_->snapshot->listener_name(peer().listener);
    forward.waited = monotonic_now() - request_->started;
    if (inside_) forward.inside = *inside_;
    forward.place = request_->place;
    forward.term = request_->line_epoch;
    lines.append(cluster::forward_header).append(": ").append(cluster::write_forward(forward));
    lines.append("\r\n");
    if (!request_->repeatable) lines.append("Expect: 100-continue\r\n");
}

// The head as the client sent it, for another stamp.
void Session::keep_own_head() {
    if (request_->record.cluster && !told_) own_head_ = station().head.view()->bytes;
}

void Session::view_own_head() {
    constexpr http::HeadLimits known{
        .max_head = 64 << 20, .max_uri = 64 << 20, .max_headers = 1 << 20};
    const auto head = station().head.fresh();
    head->complaint = {};
    (void)http::parse_request(own_head_, known, *head);  // it was parsed before
}

// Its client has ended its side: the keeper decides whether that is a leave.
void Session::tell_end() {
    if (request_->client_ended || !whole() || request_->run == nullptr) return;
    request_->client_ended = true;
    request_->run->notify();
}

void Session::add_fencing(const Slot& slot) const {
    const Route& route = *request_->route;
    if (!request_->record.cluster) return;
    request_->record.cluster->token = slot.token();
    if (route.token.empty()) return;
    route.upstream->add_fencing(request_->head, {route.token, slot.token(), route.gate->name()});
}

// In a lease another replica can take the line over.
std::uint32_t Session::retry_after_lease() const {
    const auto& cluster = request_->snapshot->config.cluster;
    return cluster ? static_cast<std::uint32_t>(cluster->lease / 1s) : 1;
}

// What became of a request that was forwarded, or that stood here in a line that moved.
error_code Session::meaning_of(error_code failure) const {
    if (!request_->peer || !failure || request_->reply.begun()) return failure;
    if (left()) return errc::client_closed;
    if (failure == errc::stopped && !request_->asked_for && !request_->repeatable)
        return errc::draining;  // nothing was started
    if (failure == errc::upstream_refused || failure == errc::upstream_untrusted ||
        failure == errc::upstream_connect_timeout)
        return errc::line_moved;  // nothing was sent
    const bool lost = failure == errc::upstream_broke || failure == errc::upstream_lost;
    if (!lost) return failure;
    return request_->asked_for ? errc::keeper_lost : errc::line_moved;
}

// One that went to the keeper is counted once, by what became of it there.
void Session::note_forward(error_code failure) const {
    if (!request_->peer) return;
    RunNotes& notes = request_->route->gate->notes;
    if (!failure)
        ++notes.forwards_served;
    else if (failure == errc::line_moved || failure == errc::wait_timeout)
        ++notes.forwards_moved;
    else if (failure == errc::keeper_lost)
        ++notes.forwards_lost;
    else if (failure == errc::client_closed)
        ++notes.forwards_left;
    else
        ++notes.forwards_failed;
}

// A replica whose request is sent on looks for the keeper again, every 50 ms, and logs the request
// itself.
void Session::note_away(error_code failure) const {
    if (failure == errc::line_moved && told_ != nullptr) request_->unlogged = true;
    const bool refused =
        failure == errc::cluster_away || (failure == errc::line_moved && told_ == nullptr);
    if (refused && request_->route != nullptr && request_->route->gate)
        ++request_->route->gate->notes.cluster_away;
}

// It was not started, or may be sent again, and all of its body that came is still here.
bool Session::may_go_again(error_code failure) const {
    return failure == errc::line_moved && !told_ && !accepted_ && !own_head_.empty() &&
           request_->run == nullptr && !request_->reply.begun() &&
           request_->body.spool.size() == reader_.bytes();
}

// The line is still where it was refused, as far as this replica knows.
bool Session::is_refused() const {
    const Whereabouts at = request_->route->gate->where();
    return at.where == Whereabouts::Where::peer && at.keeper->epoch == request_->line_epoch;
}

// Takes the request to where the line is now. `moved` tickets go at once; after a keeper that
// refused, a moment later if another one must first be found.
task<error_code> Session::enter_again() {
    const bool was_forwarded = request_->peer != nullptr;
    keep_place();
    place_.reset();
    request_->reply.renew();
    if (was_forwarded) {
        ++request_->route->gate->notes.forwards_again;
        if (is_refused()) {
            request_->route->gate->doubt_keeper();
            const auto failure = co_await wait_a_moment();
            if (failure) co_return failure;
        }
    }
    if (monotonic_now() - request_->started >= settings().wait_timeout) co_return expire_again();
    view_own_head();
    co_return take_place_again();
}

// It has no ticket here that could expire.
error_code Session::expire_again() {
    const Duration waited = monotonic_now() - request_->started;
    request_->record.queue_wait = waited;
    request_->route->gate->count_refused(GivenUp::timeout, waited);
    return expire();
}

error_code Session::take_place_again() {
    if (const auto failure = find_line()) return failure;
    stamp();
    if (needs_length_ && whole()) request_->to().add_length(request_->head, reader_.bytes());
    return take_ticket();
}

task<error_code> Session::wait_a_moment() {
    const Time end = monotonic_now() + ask_again;
    const Time last = request_->started + settings().wait_timeout;
    const auto& refuses = request_->route->gate->notes.keeper_refuses;
    do {
        loop().arm(deadline_, look_again);
        while (!deadline_.expired()) {
            co_await signal_;
            if (station().stopping() || station().draining()) co_return errc::draining;
            if (left()) co_return errc::client_closed;
        }
        deadline_.disarm();
    } while (refuses && is_refused() && monotonic_now() < std::min(end, last));
    co_return error_code();
}

}  // namespace ticketgate

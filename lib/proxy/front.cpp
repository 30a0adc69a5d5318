#include "proxy/front.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>

#include "proxy/settings.hpp"

namespace ticketgate {
namespace {

constexpr Duration between_complaints = 1s;

// The address of this connection: the listener's own may be any address of the machine.
std::string local_ip(int descriptor) {
    net::Endpoint local;
    socklen_t size = sizeof(sockaddr_storage);
    if (::getsockname(descriptor, local.address(), &size) != 0 || local.is_unix()) return {};
    return local.ip();
}

}  // namespace

Front::Front(Commons& commons, const std::vector<config::Listen>& listen, std::size_t replicas,
             std::uint32_t max_connections, int shut_at, const net::OpenListener& open)
    : commons_(commons),
      replicas_(replicas),
      max_connections_(max_connections),
      update_(std::make_shared<net::Call>([this] { update(); })),
      knock_(std::make_shared<net::Call>([this] { knocked(); })),
      look_(std::make_shared<net::Call>(
          [this] { each([](net::Listener& listener) { listener.look(); }); })),
      give_way_(std::make_shared<net::Call>([this] { give_way(); })),
      close_(std::make_shared<net::Call>([this] {
          close_all(true);
          look_again_.disarm();
          closed_ = true;
      })),
      close_to_clients_(std::make_shared<net::Call>([this] { close_all(false); })) {
    net::Loop& loop = commons_.stations.front()->loop;
    const auto report = [this](int error) { no_means(error); };
    for (const auto& l : listen) {
        const net::Endpoint at = endpoint_of(l);
        const auto take = [this, replicas, index = listeners_.size(),
                           proxy_protocol = l.proxy_protocol](Descriptor& descriptor,
                                                              const net::Endpoint& from,
                                                              const net::Endpoint& local) {
            Peer peer{
                .ip = from.ip(), .port = local.port(), .from_port = from.port(), .listener = index};
            peer.replica = index == replicas;
            accepted(descriptor, std::move(peer), proxy_protocol);
        };
        listeners_.push_back(std::make_unique<net::Listener>(
            loop, at, take, report, [this] { knocked(); }, shut_at, open));
    }
}

template <class Call>
void Front::each(Call call) const {
    for (const auto& listener : listeners_)
        if (listener) call(*listener);
}

std::vector<net::Endpoint> Front::addresses() const {
    std::vector<net::Endpoint> out;
    out.reserve(listeners_.size());
    each([&out](const net::Listener& listener) { out.push_back(listener.local()); });
    return out;
}

std::vector<int> Front::descriptors() const {
    std::vector<int> out;
    out.reserve(listeners_.size());
    each([&out](const net::Listener& listener) { out.push_back(listener.descriptor()); });
    return out;
}

void Front::own_files() {
    each([](net::Listener& listener) { listener.file().own(); });
}

std::vector<net::Endpoint> Front::without_file() const {
    std::vector<net::Endpoint> out;
    each([&out](const net::Listener& listener) {
        if (!listener.file().there()) out.push_back(listener.local());
    });
    return out;
}

// The file of a unix socket is the other process's while that lives. What is told to that process
// behind this call is true: nothing more is accepted here.
void Front::hand_over(bool on) noexcept {
    while (noted_.try_acquire()) continue;  // of a call that waited for too long
    other_accepts_ = on;
    post(give_way_);
    constexpr auto longest_turn = std::chrono::seconds(5);  // a loop never waits for anything
    (void)noted_.try_acquire_for(longest_turn);
}

void Front::give_way() {
    const bool on = other_accepts_;
    handed_over_ = on;
    each([on](net::Listener& listener) {
        on ? listener.file().lend() : listener.file().take_back();
        if (!on) net::listen_again(listener.descriptor());
    });
    update();
    noted_.release();
}

void Front::close_all(bool also_replicas) {
    const std::lock_guard lock(closing_);
    for (std::size_t i = 0; i < listeners_.size(); ++i)
        if (also_replicas || i != replicas_) listeners_[i].reset();
}

// Sessions start after the present batch of events: a session may close objects that later events
// of the batch are for.
void Front::accepted(Descriptor& descriptor, Peer peer, bool proxy_protocol) {
    commons_.stations.front()->metrics.connections_accepted.add();
    const Time after = listeners_[peer.listener]->arrived_after();
    Admission admission(commons_);
    update();
    Station& first = *commons_.stations.front();
    Station& settle_on = *commons_.stations[next_++ % commons_.stations.size()];
    if (first.snapshot()->uses_origin) peer.local_ip = local_ip(descriptor.get());
    auto client = net::SocketStream::take_over(first.loop, descriptor);
    if (client->broken()) return no_means(errno);
    // Shared only because a std::function must be copyable; there is one owner.
    const auto arrival = std::make_shared<Arrival>(Arrival{.station = first,
                                                           .settle_on = settle_on,
                                                           .client = std::move(client),
                                                           .peer = std::move(peer),
                                                           .admission = std::move(admission),
                                                           .arrived_after = after,
                                                           .proxy_protocol = proxy_protocol});
    first.loop.defer([this, arrival] { begin(*arrival); });
}

void Front::begin(Arrival& arrival) noexcept {
    try {
        greet(std::move(arrival));
    } catch (const std::bad_alloc&) {
        no_means(ENOMEM);
    }
}

// Loop 0. When descriptors run out below max_connections, a connection that rests is closed, as at
// that limit. Logs once a second at most: every new connection may fail.
void Front::no_means(int error) noexcept {
    full_ = true;  // first: a connection that closes from now on calls update()
    if (error == EMFILE) {
        commons_.crowded = !make_room();
        if (!commons_.crowded || look_again_.armed()) return;  // room comes
    }
    commons_.stations.front()->metrics.accept_failures.add();
    const Time now = monotonic_now();
    if (now < quiet_until_) return;
    quiet_until_ = now + between_complaints;
    commons_.log.error("cannot accept a connection", {{"why", std::strerror(error)}});
}

// Loop 0. At the limit new connections wait in the kernel's backlog; a listener calls knocked()
// when there is one.
void Front::update() {
    commons_.room_wanted = commons_.crowded = false;
    full_ = true;  // first: a connection that closes from now on calls update()
    const bool full = commons_.connections >= max_connections_;
    if (!full) full_ = false;
    if (handed_over_) {
        each([](net::Listener& listener) { listener.pause(); });
        return;
    }
    each([full](net::Listener& listener) { full ? listener.hold() : listener.resume(); });
}

// Loop 0. A client waits at the limit: closes a connection that rests. If none does, answers end
// their connections, and one that begins to rest all the same calls idle_appeared(): `room_wanted`
// is set before the stations are read, and a station reads it after it has published one.
void Front::knocked() {
    if (commons_.connections < max_connections_) return update();
    each([](net::Listener& listener) { listener.pause(); });
    commons_.room_wanted = true;
    const bool made = make_room();
    if (made) commons_.room_wanted = false;
    commons_.crowded = !made;
}

// Closes a connection that lingers, or else the one that is idle for longest. False: none has
// rested for long enough; looks again when one has.
bool Front::make_room() {
    bool any = false;
    for (const Rest how : {Rest::lingers, Rest::idles}) {
        const auto since = [&](const Station* station) { return station->oldest(how); };
        Station* const station = *std::ranges::min_element(commons_.stations, {}, since);
        const Time oldest = since(station);
        if (oldest == Time::max()) continue;
        any = true;
        if (monotonic_now() - oldest < surely_resting) continue;
        station->ask_for_room();
        return true;
    }
    if (any && !look_again_.armed())
        commons_.stations.front()->loop.arm(look_again_, surely_resting);
    return false;
}

void Front::idle_appeared() {
    post(knock_);
}

// The kernel says at once that a backlog is empty; loop 0 accepts those that wait in one.
void Front::look_for_clients() {
    bool none = true;
    {
        const std::lock_guard lock(closing_);
        each([&none](net::Listener& listener) { none = listener.look_for_none() && none; });
    }
    if (!none) post(look_);
}

void Front::connection_closed() {
    if (full_.exchange(false)) post(update_);
}

void Front::max_connections(std::uint32_t limit) {
    max_connections_ = limit;
    post(update_);
}

void Front::post(const std::shared_ptr<net::Call>& call) noexcept {
    commons_.stations.front()->loop.post(*call, call);
}

}  // namespace ticketgate

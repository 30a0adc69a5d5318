#include "proxy/station.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "log/access.hpp"
#include "log/timestamp.hpp"
#include "proxy/tracing.hpp"

namespace ticketgate {
namespace {

// Log lines wait this long for others: one write for many, and still at once for a person who
// watches.
constexpr Duration log_delay = 100ms;
// Head memory that a loop keeps for the next requests: as many as usually run at one time.
constexpr std::size_t most_spare = 64, spare_size = 4096;

}  // namespace

Station::Station(Commons& c, net::Loop& l, metrics::Registry& registry,
                 std::shared_ptr<const Snapshot> first)
    : loop(l),
      commons(c),
      metrics(registry),
      ids(c.machine, ids::lane_of(c.machine, l.index(), first->config.threads + 1)),  // one: admin
      snapshot_(std::move(first)),
      access_(c.access_file),
      make_room_(std::make_shared<net::Call>([this] {
          if (!make_room()) commons.idle_appeared();
      })),
      give_way_(std::make_shared<net::Call>([this] { give_way(); })),
      drain_(std::make_shared<net::Call>([this] {
          draining_ = true;
          notify_all();
      })),
      stop_(std::make_shared<net::Call>([this] {
          draining_ = stopping_ = true;
          notify_all();
          stopped_ = true;
      })) {
    loop.before_sleep([this] { return std::min(flush_log(), kept_files.forget(loop.woke())); });
    loop.on_pause([this](int error) { tell_pause(error); });
}

Station::~Station() {
    loop.on_pause({});
}

void Station::use(std::shared_ptr<const Snapshot> next) {
    for (const auto& [name, upstream] : snapshot_->upstreams) {
        const auto found = next->upstreams.find(name);
        if (found == next->upstreams.end() || found->second != upstream) upstream->retire(loop);
    }
    snapshot_ = std::move(next);
}

// Without memory the line is lost.
void Station::record(Request& request) noexcept {
    metrics.count(request.record);
    try {
        if (spare_.size() < most_spare && request.head.capacity() <= spare_size)
            spare_.push_back(std::move(request.head));
        if (!request.unlogged) log_line(request.record);
    } catch (const std::bad_alloc&) {
        access_.lose(1);
    }
    if (request.trace) export_trace(request);
}

void Station::export_trace(const Request& request) noexcept {
    const bool wanted = request.trace->own.sampled() && snapshot_->config.tracing.has_value();
    if (!wanted || request.unlogged) return;
    try {
        commons.traces.push(finish_trace(request, ids));
    } catch (const std::bad_alloc&) {
        commons.traces.lose(1);
    }
}

void Station::log_line(const Record& record) {
    const auto format = snapshot_->config.log.access;
    if (format == config::AccessFormat::off) return;
    line_.clear();
    format == config::AccessFormat::json ? format_json(record, line_)
                                         : format_combined(record, line_);
    access_.append(line_);
}

void Station::tell_spool(std::string_view request_id) {
    const Time now = monotonic_now();
    commons.spool.note_refused(now);
    if (!tell_spool_.due(now)) return;
    const int fault = commons.spool.fault();
    commons.log.warn("a body was refused: the spool is full or cannot be written",
                     {{"request_id", std::string(request_id)},
                      {"more", tell_spool_.untold()},
                      {"directory", commons.spool.limits().directory},
                      {"why", fault == 0 ? "max_memory and max_disk are reached"
                                         : std::string(std::strerror(fault))}});
}

void Station::tell_file(const Request& request, const std::string& file, int error) {
    const Time now = monotonic_now();
    if (!tell_file_.due(now)) return;
    const bool link = error == EXDEV || error == ELOOP;
    commons.log.warn("a file cannot be opened",
                     {{"request_id", request.record.request_id},
                      {"more", tell_file_.untold()},
                      {"path", file},
                      {"root", request.route->settings.files.root},
                      {"why", link ? "a symbolic link leads out of files.root, or in a circle; "
                                     "files.links may name the folder that it leads to"
                                   : std::strerror(error)}});
}

void Station::tell_pause(int error) noexcept {
    if (!tell_pause_.due(monotonic_now())) return;
    commons.log.warn("a connection cannot be read or written now; it is tried again",
                     {{"more", tell_pause_.untold()}, {"why", std::strerror(error)}});
}

std::string Station::spare_text() {
    if (spare_.empty()) return {};
    std::string text = std::move(spare_.back());
    spare_.pop_back();
    text.clear();
    return text;
}

std::string_view Station::date_line() {
    if (loop.woke() >= date_until_) {
        const WallTime now = wall_now();
        date_ = "Date: ";
        append_http_date(date_, now);
        date_ += "\r\n";
        date_until_ = loop.woke() + 1s - std::chrono::microseconds(now.unix_us % 1'000'000);
    }
    return date_;
}

// Called before each sleep of the loop; returns how long it may last.
Duration Station::flush_log() {
    if (access_.buffered() == 0) return never;
    const Time now = monotonic_now();
    if (now < flush_at_) return flush_at_ - now;
    access_.flush();
    flush_at_ = now + log_delay;
    return never;
}

void Station::rest(IdleClient& client, Rest how) {
    Resting& all = resting(how);
    client.rest = how;
    client.idle_since = loop.woke();
    const bool first = all.clients.empty();
    all.clients.push_back(client);
    if (first) all.tell();
    if (commons.room_wanted && commons.room_wanted.exchange(false)) commons.idle_appeared();
}

void Station::wake(IdleClient& client) {
    if (!client.IdleClient::is_linked()) return;  // it is being closed to make room
    Resting& all = resting(client.rest);
    const bool first = &all.clients.front() == &client;
    client.unlink();
    if (first) all.tell();
}

// Returns false if no connection rests any more. Takes the time of now, not that of the loop's
// turn: the caller has already found a connection that has lingered for long enough.
bool Station::make_room() {
    const bool lingered = monotonic_now() - lingering_.oldest.load() >= surely_resting;
    const bool made = (lingered && lingering_.make_room()) || idle_.make_room();
    if (made) metrics.connections_made_room.add();
    return made;
}

bool Station::Resting::make_room() {
    bool made = false;
    while (!made && !clients.empty()) {
        IdleClient& client = clients.front();
        clients.pop_front();
        made = client.make_room();
    }
    tell();
    return made;
}

void Station::hand_over(bool on) noexcept {
    other_accepts_ = on;
    loop.post(*give_way_, give_way_);
}

// An idle connection to a backend could keep a backend's only worker from the other process.
void Station::give_way() {
    handed_over_ = other_accepts_;
    for (const auto& [name, upstream] : snapshot_->upstreams)
        handed_over_ ? upstream->retire(loop) : upstream->unretire(loop);
    notify_all();
}

void Station::close_idle_backends() {
    if (handed_over_) return;  // none is kept
    for (const auto& [name, upstream] : snapshot_->upstreams) {
        upstream->retire(loop);
        upstream->unretire(loop);
    }
}

void Station::notify_all() {
    for (Resident& resident : residents_) resident.look_up();
}

}  // namespace ticketgate

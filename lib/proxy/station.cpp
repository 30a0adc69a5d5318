#include "proxy/station.hpp"

#include "log/access.hpp"

namespace ticketgate {
namespace {

// How soon a log reader that was slow is tried again.
constexpr Duration log_retry = 50ms;

}  // namespace

Station::Station(Commons& c, net::Loop& l, metrics::Registry& registry, std::shared_ptr<const Snapshot> first)
    : loop(l),
      commons(c),
      metrics(registry),
      ids(l.index()),
      snapshot_(std::move(first)),
      access_(c.access_file, snapshot_->config.log.max_buffer) {
    registry.counter_fn("ticketgate_log_dropped_lines_total", "Access log lines a slow reader did not take.", {},
                        [this] { return static_cast<double>(access_.dropped()); });
    loop.before_sleep([this] { return flush_log(); });
}

Station::~Station() { access_.finish(1000ms); }

void Station::use(std::shared_ptr<const Snapshot> next) {
    for (const auto& [name, upstream] : snapshot_->upstreams) {
        const auto found = next->upstreams.find(name);
        if (found == next->upstreams.end() || found->second != upstream) upstream->retire(loop);
    }
    snapshot_ = std::move(next);
}

void Station::record(const Record& record) {
    metrics.count(record);
    const auto format = snapshot_->config.log.access;
    if (format == config::AccessFormat::off) return;
    line_.clear();
    format == config::AccessFormat::json ? format_json(record, line_) : format_combined(record, line_);
    access_.append(line_);
}

// Lines go out in one write a turn of the loop, just before it sleeps.
Duration Station::flush_log() {
    if (access_.buffered() == 0) return never;
    access_.flush();
    return access_.buffered() == 0 ? Duration(never) : log_retry;
}

void Station::drain() {
    draining_ = true;
    notify_all();
}

void Station::stop() {
    draining_ = stopping_ = true;
    notify_all();
}

void Station::notify_all() {
    for (Resident& resident : residents_) resident.look_up();
}

}  // namespace ticketgate

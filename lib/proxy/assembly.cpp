#include "proxy/assembly.hpp"

#include <algorithm>

#include "proxy/status_probe.hpp"
#include "proxy/tls.hpp"

namespace ticketgate {

Loops make_loops(std::uint32_t threads) {
    Loops loops;
    for (std::uint32_t i = 0; i < threads; ++i) loops.push_back(std::make_unique<net::Loop>(i));
    return loops;
}

namespace {

// How many files may be open for each copy that may be open beside them.
constexpr std::uint32_t open_files_per_copy = 8;

std::unique_ptr<Peers> peers_of(const config::Config& config, const Platform& platform) {
    if (!config.cluster) return nullptr;
    return std::make_unique<Peers>(config.cluster->peer, platform.resolver, platform.loops.size(),
                                   platform.connect, platform.log);
}

}  // namespace

Assembly::Assembly(config::Config config, const Platform& platform)
    : loops_(platform.loops),
      spool_(spool_limits(config, platform.memory)),
      commons_{.log = platform.log,
               .spool = spool_,
               .access_file = platform.access_log,
               .machine = platform.machine,
               .input = InputBudget(config.clients.max_input),
               .peers = peers_of(config, platform)},
      gates_(
          platform.metrics,
          [this, next = std::size_t{0}]() mutable -> net::Loop& {
              return *loops_[next++ % loops_.size()];
          },
          platform.permits),
      upstreams_(platform.resolver, loops_.size(), platform.connect, platform.trust,
                 platform.supervisor, &platform.metrics),
      bound_{listeners_of(config), config.listen.size()},
      snapshot_(build(std::move(config), nullptr)) {
    if (commons_.peers) commons_.last_ends.note_others(Time::max());
    commons_.open_files->close_by(commons_.readers.closer());
    limit_file_io();
    limit_traces();
    for (const auto& loop : loops_) {
        stations_.push_back(
            std::make_unique<Station>(commons_, *loop, platform.metrics, snapshot_));
        commons_.stations.push_back(stations_.back().get());
    }
}

Assembly::~Assembly() {
    retire();
    stations_.clear();
}

// Does first what can still fail. Gates and upstreams that stay are the same objects as before, and
// keep their tickets and connections.
std::shared_ptr<const Snapshot> Assembly::build(config::Config config, const Snapshot* before) {
    auto tls = tls_servers(bound_, config, before);
    auto listeners = listener_names(bound_, config);
    auto known = upstreams_.find_or_make(config);
    Snapshot::Upstreams upstreams;
    Snapshot::Counts counts;
    for (const auto& [name, one] : known) {
        upstreams[name] = one.upstream;
        counts[name] = one.counts;
    }
    Snapshot::Gates gates;
    std::map<std::string, GateSettings> settings;
    for (const auto& [name, queue] : config.queues) {
        settings[name] = gate_settings(queue);
        gates[name] = gates_.find_or_make(name, settings[name], queue.cluster);
    }
    auto snapshot =
        std::make_shared<const Snapshot>(std::move(config), std::move(gates), std::move(upstreams),
                                         std::move(tls), std::move(listeners), std::move(counts));
    upstreams_.adopt(std::move(known), snapshot->config);
    gates_.configure_all(settings);
    return snapshot;
}

void Assembly::reload(config::Config next) {
    snapshot_ = build(std::move(next), snapshot_.get());
    commons_.input.limit(config().clients.max_input);
    limit_file_io();
    limit_traces();
    if (commons_.peers) look_at_peers();
    post_to_stations([snapshot = snapshot_](Station& station) { station.use(snapshot); });
}

// Destroys the old upstreams when the last loop has closed their idle connections.
void Assembly::look_at_peers() {
    commons_.peers->read_files_again();
    auto left = commons_.peers->take_left();
    if (left.empty()) return;
    post_to_stations([left = std::move(left)](Station& station) {
        for (const auto& upstream : left) upstream->retire(station.loop);
    });
}

void Assembly::limit_file_io() {
    const config::FileIo& io = config().file_io;
    commons_.open_files->limit(io.max_open);
    commons_.copies->limit(io.max_memory, io.max_open / open_files_per_copy);
    commons_.readers.limit({io.threads, io.max_waiting});
}

void Assembly::limit_traces() {
    const auto& tracing = config().tracing;
    commons_.traces.limit(tracing ? tracing->max_spans : 0);
}

void Assembly::hand_over(bool on) noexcept {
    for (const auto& station : stations_) station->hand_over(on);
}

void Assembly::close_idle_backends() {
    post_to_stations([](Station& station) { station.close_idle_backends(); });
}

// A paused line could not end: a drain lets it go on (CONTRACT 11).
void Assembly::drain() noexcept {
    gates_.for_each([](Gate& gate) { gate.resume(); });
    for (const auto& station : stations_) station->drain();
}

void Assembly::send_nothing_new() noexcept {
    commons_.sends_nothing_new = true;
}

void Assembly::stop() noexcept {
    for (const auto& station : stations_) station->stop();
}

bool Assembly::stopped() const {
    return std::ranges::all_of(stations_, [](const auto& station) { return station->stopped(); });
}

void Assembly::probe_status_pages() {
    Station& station = *stations_.front();
    for (const auto& [name, upstream] : snapshot_->upstreams) {
        if (upstream->worker_status() == nullptr) continue;
        station.loop.post([&station, name, upstream] { probe_status(station, name, upstream); });
    }
}

void Assembly::retire() {
    upstreams_.for_each([this](const std::string&, const auto& known) {
        for (const auto& loop : loops_) known.upstream->retire(*loop);
    });
    if (!commons_.peers) return;
    for (const auto& loop : loops_) commons_.peers->retire(*loop);
}

template <class Act>
void Assembly::post_to_stations(const Act& act) {
    for (const auto& station : stations_) station->loop.post([act, s = station.get()] { act(*s); });
}

}  // namespace ticketgate

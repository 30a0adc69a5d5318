#include "admin/live_view.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <tuple>

#include "admin/print_json.hpp"
#include "admin/worker_views.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

json::array first_of(const std::vector<std::string>& lines) {
    json::array out;
    for (std::size_t i = 0; i < std::min(lines.size(), Shown::lines); ++i)
        out.emplace_back(lines[i]);
    if (lines.size() > Shown::lines)
        out.emplace_back("and " + std::to_string(lines.size() - Shown::lines) +
                         " more, in the log");
    return out;
}

json::object config_of(const Standing& standing) {
    const bool reloaded = standing.last_reload != WallTime{};
    return {{"file", standing.file},
            {"loaded", standing.loaded.unix_ms()},
            {"last_reload",
             reloaded ? json::value(standing.last_reload.unix_ms()) : json::value(nullptr)},
            {"problems", first_of(standing.problems)},
            {"need_restart", first_of(standing.need_restart)}};
}

json::array certificates_of(const Standing& standing) {
    json::array out;
    for (const auto& one : standing.certificates) {
        if (out.size() == Shown::lines) break;
        out.push_back(json::object{{"listener", one.listener},
                                   {"subject", one.subject},
                                   {"begins", one.begins.unix_s()},
                                   {"expires", one.expires.unix_s()},
                                   {"ends", one.ends}});
    }
    return out;
}

// The smaller, the sooner somebody has to look at it, however short its line is. The page calls the
// first blocked, or paused. One that is paused and that nobody uses is behind those in use.
int rank_of(const GateFigures& figures) {
    if (figures.stalled > Shown::stalled || (figures.paused() && figures.waiting > 0)) return 0;
    if (!figures.empty()) return 1;
    return figures.paused() ? 2 : 3;
}

}  // namespace

std::set<std::string> shown_queues(const GateRegistry& gates) {
    using Rank = std::tuple<int, std::uint64_t, std::string>;
    std::vector<Rank> busy;
    gates.for_each([&](const Gate& gate) {
        const GateFigures figures = gate.figures();
        const std::uint64_t load = std::uint64_t{figures.waiting} + figures.in_flight;
        busy.emplace_back(rank_of(figures), ~load, gate.name());
    });
    std::sort(busy.begin(), busy.end());
    std::set<std::string> names;
    for (const auto& [rank, load, name] : busy)
        if (names.size() < Shown::queues) names.insert(name);
    return names;
}

std::string live_view(const GateRegistry& gates, const std::set<std::string>& shown,
                      const Around& around, WallTime now) {
    const std::size_t share = Shown::tickets / std::max<std::size_t>(1, shown.size());
    const Most most{std::min(Shown::in_flight, share), std::min(Shown::waiting, share)};
    json::array queues;
    std::size_t all = 0;
    gates.for_each([&](const Gate& gate) {
        ++all;
        if (shown.contains(gate.name())) queues.push_back(queue_view(gate, most, around.elsewhere));
    });
    const Standing& standing = around.standing;
    json::array certificates = certificates_of(standing);
    const auto other_certificates = standing.certificates.size() - certificates.size();
    json::array workers = workers_view(around.pools, Shown::workers);
    json::array upstreams = upstreams_view(around.upstreams, Shown::upstreams, now);
    std::size_t every = 0;
    for (const auto& pool : around.pools) every += pool->view().size();
    json::object out{{"now", now.unix_ms()},
                     {"version", standing.version},
                     {"started", standing.started.unix_ms()},
                     {"ready", standing.ready},
                     {"drain", standing.drain},
                     {"viewers", around.viewers},
                     {"config", config_of(standing)},
                     {"upgrade", standing.upgrade},
                     {"spool_trouble", standing.spool},
                     {"certificates", std::move(certificates)},
                     {"certificates_not_shown", other_certificates},
                     {"queues_not_shown", all - queues.size()},
                     {"queues", std::move(queues)},
                     {"workers_not_shown", every - workers.size()},
                     {"workers", std::move(workers)},
                     {"upstreams_not_shown", around.upstreams.size() - upstreams.size()},
                     {"upstreams", std::move(upstreams)}};
    if (!around.cluster.empty()) out["cluster"] = around.cluster;
    return print_json(out);
}

}  // namespace ticketgate::admin

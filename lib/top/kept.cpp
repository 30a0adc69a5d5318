#include "top/kept.hpp"

#include <boost/json/parse.hpp>
#include <exception>
#include <utility>

#include "top/line_text.hpp"
#include "top/members.hpp"

namespace ticketgate::top {
namespace {

namespace json = boost::json;

WaitsFor waits(const json::object& from) {
    return {.name = text(from, "name"),
            .address = text(from, "address"),
            .epoch = from.at("epoch").to_number<std::uint64_t>(),
            .listed = from.at("listed").as_bool(),
            .word = from.at("word").as_bool(),
            .command = from.contains("command") ? text(from, "command") : ""};
}

KeptLine kept(const json::object& from, const std::string& self) {
    const auto& keeper = from.at("keeper").as_object();
    KeptLine out{.name = text(keeper, "name"),
                 .address = text(keeper, "address"),
                 .state = text(from, "state"),
                 .epoch = from.at("epoch").to_number<std::uint64_t>(),
                 .here = text(keeper, "instance") == self,
                 .listed = keeper.at("listed").as_bool(),
                 .seconds = {}};
    if (const auto& seconds = from.at("state_seconds"); !seconds.is_null())
        out.seconds = seconds.to_number<double>();
    if (const auto* prior = from.if_contains("waits_for"))
        out.waits_for = waits(prior->as_object());
    return out;
}

// Before its first look at the store a replica knows no replicas and no queues.
ClusterPicture cluster(const json::object& from) {
    ClusterPicture out{.name = text(from, "cluster"),
                       .replica = text(from, "this_name"),
                       .problem = text(from, "problem"),
                       .full = from.contains("store_full") && from.at("store_full").as_bool(),
                       .sure = from.at("sure_seconds").to_number<double>(),
                       .queues = {}};
    if (!from.contains("queues")) return out;
    out.replicas = from.at("replicas").as_array().size();
    const std::string self = text(from, "this_instance");
    for (const auto& one : from.at("queues").as_array())
        if (const auto& queue = one.as_object(); queue.contains("state"))
            out.queues.emplace(text(queue, "name"), kept(queue, self));
    return out;
}

std::string named(const std::string& name, const std::string& address) {
    return name + " (" + address + ")";
}

std::string since(const KeptLine& line, Clock now) {
    return line.seconds ? " for " + top::since(*line.seconds, now) : std::string();
}

std::string end_of(const WaitsFor& waits) {
    if (waits.word) return "  the store has its word that they have ended";
    if (waits.command.empty()) return "  that replica lives, and says itself when they have ended";
    return "  that replica is lost; if you know that they have ended: " + waits.command;
}

// The store has no sign of life of the keeper that the record names.
bool is_lost(const KeptLine& line) {
    return !line.here && !line.listed && line.state != "free";
}

std::string end_of_loss(bool full) {
    return full ? "  nothing starts until the store takes writes again, and another replica keeps "
                  "the queue"
                : "  nothing starts until another replica keeps the queue";
}

std::vector<std::string> stands(const std::string& queue, const KeptLine& line, bool full,
                                Clock now) {
    const WaitsFor& waits = *line.waits_for;
    const std::string at = is_lost(line) ? " at the lost replica " : " at ";
    const std::string by = line.here ? "" : at + named(line.name, line.address);
    std::vector<std::string> lines{queue + " stands" + by + since(line, now) +
                                       ": requests of epoch " + std::to_string(waits.epoch) +
                                       ", kept by " + named(waits.name, waits.address) +
                                       ", may still run",
                                   end_of(waits)};
    if (is_lost(line))
        lines.push_back(end_of_loss(full));
    else if (full)
        lines.emplace_back("  it goes on only when the store takes writes again");
    return lines;
}

std::vector<std::string> clustered(const QueueLine& queue, const KeptLine& line, bool full,
                                   Clock now) {
    if (line.waits_for) return stands(queue.name, line, full, now);
    if (line.state == "free")
        return {queue.name + " has no keeper; its next request gives it one" +
                (full ? ", when the store takes writes again" : "")};
    const std::string of = ", epoch " + std::to_string(line.epoch) + ", " + line.state;
    if (is_lost(line))
        return {queue.name + " was kept by " + named(line.name, line.address) + of +
                    ": THAT REPLICA IS LOST",
                end_of_loss(full)};
    const std::string closed =
        full && line.state == "idle" ? "; it opens only when the store takes writes again" : "";
    if (!line.here && queue.keeper_refuses)
        return {queue.name + " is kept by " + named(line.name, line.address) + of,
                "  THE KEEPER DOES NOT TAKE THE REQUESTS OF THIS REPLICA: its log has the reason"};
    if (!line.here)
        return {queue.name + " is kept by " + named(line.name, line.address) + of +
                "; its requests wait and run there" + closed};
    const bool unsure = !queue.elsewhere.empty();
    return {queue.name + " is kept here" + of +
            (unsure ? "; this replica is not sure of it and starts nothing" : "") + closed};
}

}  // namespace

std::optional<ClusterPicture> read_cluster(std::string_view from) {
    try {
        return cluster(json::parse(json::string_view(from.data(), from.size())).as_object());
    } catch (const std::exception&) {  // every kind of wrong text
        return std::nullopt;
    }
}

std::string cluster_text(const ClusterPicture& cluster) {
    std::string out = "cluster " + cluster.name + ": this is " + cluster.replica;
    if (cluster.replicas == 1) out += ", the only replica listed";
    if (cluster.replicas > 1) out += ", " + std::to_string(cluster.replicas) + " replicas listed";
    out += "; sure for " + duration_text(cluster.sure);
    if (cluster.problem.empty()) return out + "; the store answers";
    if (cluster.full) return out + "; THE STORE IS FULL: " + cluster.problem;
    return out + "; THE STORE CANNOT BE USED: " + cluster.problem;
}

std::string place_text(std::string_view elsewhere) {
    for (const auto& [name, text] : {std::pair{"old_process", "old process"},
                                     {"new_process", "new process"},
                                     {"earlier_keeper", "earlier epoch"},
                                     {"other_replica", "other replica"}})
        if (elsewhere == name) return text;
    return std::string(elsewhere);
}

std::string keeper_text(const ClusterPicture& cluster, const std::string& queue) {
    const auto found = cluster.queues.find(queue);
    if (found == cluster.queues.end()) return {};
    const KeptLine& line = found->second;
    if (line.state == "free") return "nobody";
    const std::string by = line.here ? "this replica" : line.name;
    if (is_lost(line)) return by + ", lost";
    return line.state == "idle" || line.state == "open" ? by : by + ", " + line.state;
}

std::vector<std::string> in_old_process(const QueueLine& queue, Clock now) {
    const std::string pid =
        queue.old_pid == 0 ? "" : " (pid " + std::to_string(queue.old_pid) + ")";
    std::vector<std::string> lines{
        queue.name + ": the old process" + pid +
        " of the upgrade still has requests of this queue; this one does "
        "not count them"};
    if (!queue.old_request.empty())
        lines.push_back("  the oldest there, for " + since(queue.old_seconds, now) + ": " +
                        queue.old_request);
    if (queue.old_pid != 0)
        lines.push_back("  TERM to pid " + std::to_string(queue.old_pid) +
                        " drains it: its line goes on, and the log names what keeps it; a second "
                        "TERM ends it, and what it runs may still run then");
    return lines;
}

std::vector<std::string> kept_by(const QueueLine& queue, const ClusterPicture* cluster, Clock now) {
    if (queue.elsewhere == "old_process") return in_old_process(queue, now);
    if (queue.elsewhere == "new_process")
        return {queue.name + ": new requests go to the new process, and are not shown here"};
    if (cluster == nullptr) return {};
    const auto found = cluster->queues.find(queue.name);
    if (found != cluster->queues.end()) return clustered(queue, found->second, cluster->full, now);
    if (queue.elsewhere.empty()) return {};
    return {queue.name + " is clustered, and this replica does not know who keeps it"};
}

}  // namespace ticketgate::top

#include "app/cluster_view.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <map>

#include "admin/print_json.hpp"
#include "app/admin_listener.hpp"
#include "app/text_table.hpp"
#include "top/line_text.hpp"
#include "top/told.hpp"

namespace ticketgate {
namespace {

namespace json = boost::json;
using cluster::Contents;
using cluster::Epoch;
using cluster::Instance;
using cluster::Prior;
using cluster::StoredLine;

// A cluster is designed for 16.
constexpr std::size_t most_shown_replicas = 20;

// When it is read, and for whom.
struct Reader {
    WallTime now;
    std::string options;                           // of commands about this cluster
    const std::set<std::string>* shown = nullptr;  // the queues; null: all, and all replicas
};

bool has_word(const StoredLine& stored, Epoch epoch) {
    return std::ranges::find(stored.words, epoch, &cluster::Word::epoch) != stored.words.end();
}

// Clocks of two machines differ: never less than zero.
json::value age(WallTime since, WallTime now) {
    if (since == WallTime{}) return nullptr;
    return static_cast<double>(std::max<std::int64_t>(0, now.unix_ms() - since.unix_ms())) / 1000;
}

json::object instance_json(const Contents& contents, const Instance& one) {
    return {{"instance", one.id},
            {"name", one.name},
            {"address", one.address},
            {"listed", contents.lists(one.id)}};
}

// Only an operator can end the wait for this term: its keeper is lost and has not given its word.
bool waits_for_operator(const Contents& contents, const StoredLine& stored) {
    const auto& prior = stored.line->prior;
    return prior && !has_word(stored, prior->epoch) && !contents.lists(prior->keeper.id);
}

std::string settle_command(const std::string& queue, Epoch epoch, const std::string& options) {
    return "ticketgate settle " + top::quoted(queue) + " " + std::to_string(epoch) +
           (options.empty() ? "" : " " + options);
}

json::object line_json(const Contents& contents, const std::string& queue, const StoredLine& stored,
                       const Reader& reader) {
    json::object out{{"name", queue}};
    if (!stored.line) return out;
    out["state"] = cluster::to_string(stored.line->state);
    out["state_seconds"] = age(stored.since, reader.now);
    out["epoch"] = stored.line->epoch;
    out["keeper"] = instance_json(contents, stored.line->keeper);
    if (const auto& prior = stored.line->prior) {
        json::object waits = instance_json(contents, prior->keeper);
        waits["epoch"] = prior->epoch;
        waits["word"] = has_word(stored, prior->epoch);
        if (waits_for_operator(contents, stored))
            waits["command"] = settle_command(queue, prior->epoch, reader.options);
        out["waits_for"] = std::move(waits);
    }
    return out;
}

std::string named(const Instance& one) {
    return table::cell(one.name) + " (" + table::cell(one.address) + ")";
}

std::string waits_for(const Contents& contents, const std::string& queue, const StoredLine& stored,
                      const std::string& options) {
    const Prior& prior = *stored.line->prior;
    std::string out = "queue " + table::cell(queue) + " waits until nothing of epoch " +
                      std::to_string(prior.epoch) + " runs, kept by " + named(prior.keeper) + ". ";
    if (has_word(stored, prior.epoch)) return out + "The store has that word.\n";
    if (!waits_for_operator(contents, stored))
        return out + "That replica is listed and says so itself.\n";
    return out + "That replica is lost. When you know that its requests have ended:\n  " +
           settle_command(table::cell(queue), prior.epoch, options) + "\n";
}

std::string age_text(WallTime since, WallTime now) {
    const auto seconds = age(since, now);
    return seconds.is_null() ? "-" : top::duration_text(seconds.get_double());
}

std::string replica_table(const Contents& contents, WallTime now) {
    if (contents.replicas.empty()) return "no replica is listed\n";
    std::vector<table::Row> rows{{"REPLICA", "ADDRESS", "VERSION", "AGE", "INSTANCE"}};
    for (const auto& one : contents.replicas)
        rows.push_back({table::cell(one.self.name), table::cell(one.self.address),
                        table::cell(one.version), age_text(one.started, now),
                        table::cell(one.self.id)});
    return table::aligned(rows);
}

std::string line_table(const Contents& contents, WallTime now) {
    std::vector<table::Row> rows{{"QUEUE", "STATE", "FOR", "EPOCH", "KEEPER", "LISTED"}};
    for (const auto& [queue, stored] : contents.lines) {
        if (!stored.line) continue;
        const auto& line = *stored.line;
        rows.push_back({table::cell(queue), std::string(cluster::to_string(line.state)),
                        age_text(stored.since, now), std::to_string(line.epoch), named(line.keeper),
                        contents.lists(line.keeper.id) ? "yes" : "no"});
    }
    return rows.size() == 1 ? "no queue has had a keeper\n" : table::aligned(rows);
}

json::object replica_json(const cluster::Replica& one, const Reader& reader) {
    json::object out{{"instance", one.self.id},
                     {"name", one.self.name},
                     {"address", one.self.address},
                     {"version", one.version},
                     {"age_seconds", age(one.started, reader.now)}};
    if (reader.shown != nullptr) return out;
    json::array names;
    for (const auto& [queue, settings] : one.queues) names.emplace_back(queue);
    out["queues"] = std::move(names);
    return out;
}

json::object whole(const Contents& contents, const Reader& reader) {
    json::array replicas, queues;
    const bool bounded = reader.shown != nullptr;
    for (const auto& one : contents.replicas) {
        if (bounded && replicas.size() == most_shown_replicas) break;
        replicas.push_back(replica_json(one, reader));
    }
    for (const auto& [queue, stored] : contents.lines)
        if (!bounded || reader.shown->contains(queue))
            queues.push_back(line_json(contents, queue, stored, reader));
    json::object out{{"id", contents.id}, {"revision", contents.revision}};
    if (bounded) out["replicas_not_shown"] = contents.replicas.size() - replicas.size();
    out["replicas"] = std::move(replicas);
    out["queues"] = std::move(queues);
    return out;
}

// With what this process knows itself.
json::object replica_view(const replica::Replica& replica, const Reader& reader) {
    json::object out{{"cluster", replica.cluster_name()}};
    if (const auto contents = replica.contents())
        for (auto& [name, value] : whole(*contents, reader)) out[name] = std::move(value);
    out["this_instance"] = replica.self().id;
    out["this_name"] = replica.self().name;
    out["problem"] = replica.problem();
    out["store_full"] = replica.store_is_full();
    out["sure_seconds"] = to_s(replica.sure());
    return out;
}

}  // namespace

std::string cluster_json(std::string_view name, const Contents& contents, const std::string& file,
                         WallTime now) {
    json::object out{{"cluster", name}};
    for (auto& [key, value] : whole(contents, {now, options_for_file(file), nullptr}))
        out[key] = std::move(value);
    return admin::print_json(out) + "\n";
}

std::string cluster_page(const replica::Replica& replica, const std::string& file, WallTime now) {
    return admin::print_json(replica_view(replica, {now, options_for_file(file), nullptr})) + "\n";
}

json::object cluster_picture(const replica::Replica& replica, const std::string& file,
                             const std::set<std::string>& queues, WallTime now) {
    return replica_view(replica, {now, options_for_file(file), &queues});
}

std::string cluster_table(std::string_view name, const Contents& contents, const std::string& file,
                          WallTime now) {
    std::string out = "cluster " + std::string(name) + ", id " + table::cell(contents.id) + "\n\n" +
                      replica_table(contents, now) + "\n" + line_table(contents, now);
    for (const auto& [queue, stored] : contents.lines)
        if (stored.line && stored.line->prior)
            out += "\n" + waits_for(contents, queue, stored, options_for_file(file));
    return out;
}

std::vector<std::string> shared_addresses(const Contents& contents) {
    std::vector<std::string> out;
    std::map<std::string, Instance> first;  // by address
    for (const auto& one : contents.replicas) {
        const auto [found, fresh] = first.try_emplace(one.self.address, one.self);
        if (fresh) continue;
        out.push_back("replicas " + table::cell(found->second.name) + " and " +
                      table::cell(one.self.name) + " are both listed at " +
                      table::cell(one.self.address) +
                      ": if that lasts longer than a lease after a crash, write a different "
                      "cluster.peer.advertise in each");
    }
    return out;
}

std::string why_not_settled(const Contents& contents, const std::string& queue, Epoch epoch) {
    const auto found = contents.lines.find(queue);
    if (found == contents.lines.end() || !found->second.line)
        return "the store has no line of queue " + queue;
    const auto& prior = found->second.line->prior;
    if (!prior)
        return "the line of queue " + queue + " waits for no lost replica: it is " +
               std::string(cluster::to_string(found->second.line->state));
    if (prior->epoch != epoch)
        return "queue " + queue + " waits for epoch " + std::to_string(prior->epoch) + ", not " +
               std::to_string(epoch);
    if (has_word(found->second, epoch)) return "the store has that word already";
    if (contents.lists(prior->keeper.id))
        return "replica " + named(prior->keeper) +
               ", which kept the queue, is listed: it says itself when its requests have ended. "
               "Look at them there: ticketgate queues " +
               queue;
    return {};
}

}  // namespace ticketgate

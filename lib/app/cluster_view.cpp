#include "app/cluster_view.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "app/text_table.hpp"

namespace ticketgate {
namespace {

namespace json = boost::json;
using cluster::Contents;
using cluster::Epoch;
using cluster::Instance;
using cluster::Prior;
using cluster::StoredLine;

bool has_word(const StoredLine& stored, Epoch epoch) {
    return std::ranges::find(stored.words, epoch, &cluster::Word::epoch) != stored.words.end();
}

json::object instance_json(const Contents& contents, const Instance& one) {
    return {{"instance", one.id},
            {"name", one.name},
            {"address", one.address},
            {"listed", contents.lists(one.id)}};
}

json::object line_json(const Contents& contents, const std::string& queue,
                       const StoredLine& stored) {
    json::object out{{"name", queue}};
    if (!stored.line) return out;
    out["state"] = cluster::to_string(stored.line->state);
    out["epoch"] = stored.line->epoch;
    out["keeper"] = instance_json(contents, stored.line->keeper);
    if (const auto& prior = stored.line->prior) {
        json::object waits = instance_json(contents, prior->keeper);
        waits["epoch"] = prior->epoch;
        waits["word"] = has_word(stored, prior->epoch);
        out["waits_for"] = std::move(waits);
    }
    return out;
}

std::string named(const Instance& one) {
    return table::cell(one.name) + " (" + table::cell(one.address) + ")";
}

std::string waits_for(const Contents& contents, const std::string& queue,
                      const StoredLine& stored) {
    const Prior& prior = *stored.line->prior;
    std::string out = "queue " + table::cell(queue) + " waits until nothing of epoch " +
                      std::to_string(prior.epoch) + " runs, kept by " + named(prior.keeper) + ". ";
    if (has_word(stored, prior.epoch)) return out + "The store has that word.\n";
    if (contents.lists(prior.keeper.id))
        return out + "That replica is listed and says so itself.\n";
    return out + "That replica is lost. When you know that its requests have ended:\n  " +
           "ticketgate settle " + table::cell(queue) + " " + std::to_string(prior.epoch) + "\n";
}

std::string replica_table(const Contents& contents) {
    if (contents.replicas.empty()) return "no replica is listed\n";
    std::vector<table::Row> rows{{"REPLICA", "ADDRESS", "VERSION", "INSTANCE"}};
    for (const auto& one : contents.replicas)
        rows.push_back({table::cell(one.self.name), table::cell(one.self.address),
                        table::cell(one.version), table::cell(one.self.id)});
    return table::aligned(rows);
}

std::string line_table(const Contents& contents) {
    std::vector<table::Row> rows{{"QUEUE", "STATE", "EPOCH", "KEEPER", "LISTED"}};
    for (const auto& [queue, stored] : contents.lines) {
        if (!stored.line) continue;
        const auto& line = *stored.line;
        rows.push_back({table::cell(queue), std::string(cluster::to_string(line.state)),
                        std::to_string(line.epoch), named(line.keeper),
                        contents.lists(line.keeper.id) ? "yes" : "no"});
    }
    return rows.size() == 1 ? "no queue has had a keeper\n" : table::aligned(rows);
}

json::object whole(std::string_view name, const Contents& contents) {
    json::array replicas, queues;
    for (const auto& one : contents.replicas) {
        json::array names;
        for (const auto& [queue, settings] : one.queues) names.emplace_back(queue);
        replicas.push_back(json::object{{"instance", one.self.id},
                                        {"name", one.self.name},
                                        {"address", one.self.address},
                                        {"version", one.version},
                                        {"queues", std::move(names)}});
    }
    for (const auto& [queue, stored] : contents.lines)
        queues.push_back(line_json(contents, queue, stored));
    return {{"cluster", name},
            {"id", contents.id},
            {"revision", contents.revision},
            {"replicas", std::move(replicas)},
            {"queues", std::move(queues)}};
}

}  // namespace

std::string cluster_json(std::string_view name, const Contents& contents) {
    return json::serialize(whole(name, contents)) + "\n";
}

std::string cluster_page(const replica::Replica& replica) {
    const auto contents = replica.contents();
    json::object out;
    if (contents) out = whole(replica.cluster_name(), *contents);
    out["this_instance"] = replica.self().id;
    out["problem"] = replica.problem();
    out["sure_seconds"] = to_s(replica.sure());
    return json::serialize(out) + "\n";
}

std::string cluster_table(std::string_view name, const Contents& contents) {
    std::string out = "cluster " + std::string(name) + ", id " + table::cell(contents.id) + "\n\n" +
                      replica_table(contents) + "\n" + line_table(contents);
    for (const auto& [queue, stored] : contents.lines)
        if (stored.line && stored.line->prior) out += "\n" + waits_for(contents, queue, stored);
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

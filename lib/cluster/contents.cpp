#include "cluster/contents.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "cluster/rank.hpp"

namespace ticketgate::cluster {
namespace {

namespace json = boost::json;

constexpr std::string_view replicas = "replicas/", queues = "queues/", line_end = "/line",
                           word_part = "/word/";

std::optional<json::object> parse(std::string_view text) {
    boost::system::error_code bad;
    json::value value = json::parse(json::string_view(text.data(), text.size()), bad);
    if (bad || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::string text_in(const json::object& from, json::string_view name) {
    const json::value* found = from.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string())
                                                  : std::string();
}

bool read_cluster(const std::string& value, Contents& out, std::string& why) {
    const auto object = parse(value);
    const json::value* format = object ? object->if_contains("format") : nullptr;
    out.cluster = value;
    out.id = object ? text_in(*object, "id") : std::string();
    if (format == nullptr || !format->is_int64() || format->get_int64() != 1)
        why = "not of format 1: another version of ticketgate made it";
    else if (out.id.empty())
        why = "\"id\" is not a string";
    return why.empty();
}

bool read_replica(std::string_view id, const std::string& value, Contents& out, std::string& why) {
    const auto object = parse(value);
    if (!object) return why = "not a JSON object", false;
    Replica replica{{std::string(id), text_in(*object, "name"), text_in(*object, "address")},
                    text_in(*object, "version"),
                    {},
                    {}};
    const json::value* found = object->if_contains("queues");
    if (found == nullptr || !found->is_object()) return why = "\"queues\" is not an object", false;
    for (const auto& [name, settings] : found->get_object())
        if (settings.is_string()) replica.queues.emplace(name, std::string(settings.get_string()));
    if (const json::value* started = object->if_contains("started"))
        if (started->is_int64()) replica.started = read_time(started->get_int64());
    out.replicas.push_back(std::move(replica));
    return true;
}

std::optional<Epoch> read_epoch(std::string_view text) {
    Epoch epoch = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
    if (error != std::errc() || end != text.data() + text.size() || epoch == 0) return std::nullopt;
    return epoch;
}

bool is_of_operator(std::string_view word) {
    const auto object = parse(word);
    return object && text_in(*object, "by").starts_with("operator ");
}

// queues/QUEUE/line and queues/QUEUE/word/EPOCH; a queue's name has no slash.
bool read_queue(std::string_view rest, const etcd::Entry& entry, Contents& out, std::string& why) {
    const auto slash = rest.find('/');
    const std::string_view part = slash == rest.npos ? "" : rest.substr(slash);
    if (part == line_end) {
        StoredLine& stored = out.lines[std::string(rest.substr(0, slash))];
        stored.version = entry.version;
        stored.line = read_line(entry.value, why, &stored.since);
        return stored.line.has_value();
    }
    if (!part.starts_with(word_part)) return true;
    const auto epoch = read_epoch(part.substr(word_part.size()));
    if (!epoch) return why = "it does not end with an epoch", false;
    out.lines[std::string(rest.substr(0, slash))].words.push_back(
        {*epoch, is_of_operator(entry.value)});
    return true;
}

bool read_one(const Keys& keys, const etcd::Entry& entry, Contents& out, std::string& why) {
    std::string_view key = entry.key;
    if (!key.starts_with(keys.prefix())) return true;
    key.remove_prefix(keys.prefix().size());
    if (key == "cluster") return read_cluster(entry.value, out, why);
    if (key.starts_with(replicas))
        return read_replica(key.substr(replicas.size()), entry.value, out, why);
    if (key.starts_with(queues)) return read_queue(key.substr(queues.size()), entry, out, why);
    return true;
}

}  // namespace

std::string Keys::replica(std::string_view instance) const {
    return prefix_ + std::string(replicas) + std::string(instance);
}

std::string Keys::line(std::string_view queue) const {
    return prefix_ + std::string(queues) + std::string(queue) + std::string(line_end);
}

std::string Keys::word(std::string_view queue, Epoch epoch) const {
    return prefix_ + std::string(queues) + std::string(queue) + std::string(word_part) +
           std::to_string(epoch);
}

bool Contents::lists(std::string_view instance) const {
    return std::ranges::any_of(replicas, [&](const Replica& r) { return r.self.id == instance; });
}

std::string write_cluster(std::string_view id) {
    return json::serialize(json::object{{"format", 1}, {"id", id}});
}

std::string write_replica(const Replica& replica) {
    json::object queues;
    for (const auto& [name, settings] : replica.queues) queues[name] = settings;
    return json::serialize(json::object{{"name", replica.self.name},
                                        {"address", replica.self.address},
                                        {"version", replica.version},
                                        {"started", replica.started.unix_ms()},
                                        {"queues", std::move(queues)}});
}

std::optional<Contents> read_contents(const Keys& keys, const etcd::Snapshot& snapshot,
                                      std::string& why) {
    Contents out;
    out.revision = snapshot.revision;
    why.clear();
    for (const etcd::Entry& entry : snapshot.entries) {
        if (read_one(keys, entry, out, why)) continue;
        why.insert(0, entry.key + ": ");
        return std::nullopt;
    }
    return out;
}

namespace {

// Among those who may take the line over. Who has written `leaving` or `free` drains.
std::uint32_t rank_of(const Contents& contents, std::string_view queue, std::string_view self,
                      const std::optional<Line>& line) {
    const bool is_left =
        line && (line->state == LineState::leaving || line->state == LineState::free);
    std::vector<std::string> others;
    for (const Replica& one : contents.replicas) {
        const bool drains = is_left && one.self.id == line->keeper.id;
        if (one.queues.contains(queue) && !drains) others.push_back(one.self.id);
    }
    return rank(queue, self, others);
}

}  // namespace

Sight sight_of(const Contents& contents, std::string_view queue, std::string_view self) {
    Sight sight;
    const auto found = contents.lines.find(queue);
    if (found != contents.lines.end()) {
        sight.version = found->second.version;
        sight.line = found->second.line;
    }
    sight.rank = rank_of(contents, queue, self, sight.line);
    if (!sight.line) return sight;
    const StoredLine& stored = found->second;
    sight.keeper_listed = contents.lists(stored.line->keeper.id);
    if (const auto& prior = stored.line->prior) {
        sight.prior_listed = contents.lists(prior->keeper.id);
        const auto word = std::ranges::find(stored.words, prior->epoch, &Word::epoch);
        sight.word = word != stored.words.end();
        sight.word_of_operator = sight.word && word->of_operator;
    }
    return sight;
}

std::set<std::string> differing_queues(const Contents& contents, std::string_view self) {
    std::set<std::string> out;
    const auto us = std::ranges::find(
        contents.replicas, self, [](const Replica& one) { return std::string_view(one.self.id); });
    if (us == contents.replicas.end()) return out;
    for (const Replica& other : contents.replicas)
        for (const auto& [name, settings] : other.queues) {
            const auto ours = us->queues.find(name);
            if (settings.empty() || ours == us->queues.end() || ours->second.empty()) continue;
            if (ours->second != settings) out.insert(name);
        }
    return out;
}

etcd::Transaction transaction_of(const Keys& keys, const std::string& cluster,
                                 std::string_view queue, std::string_view self, const Write& write,
                                 WallTime now) {
    etcd::Transaction out;
    out.conditions.push_back({keys.cluster(), cluster, 0});
    out.conditions.push_back({keys.line(queue), std::nullopt, write.version});
    if (write.line) out.puts.push_back({keys.line(queue), write_line(*write.line, now), 0});
    if (write.put_word != 0)
        out.puts.push_back({keys.word(queue, write.put_word),
                            json::serialize(json::object{{"by", self}, {"at", now.unix_ms()}}), 0});
    if (write.drop_word != 0) out.drops.push_back(keys.word(queue, write.drop_word));
    return out;
}

namespace {

std::string went_back(const std::string& what, std::uint64_t from, std::uint64_t to) {
    return what + " went back from " + std::to_string(from) + " to " + std::to_string(to) +
           ": it was restored from an earlier time";
}

}  // namespace

std::string Memory::check(const Contents& now) const {
    if (now.id.empty())
        return id_.empty()
                   ? "it has no cluster of this name: a new one needs `ticketgate cluster init`"
                   : "the cluster's key has gone: the store has lost its data";
    if (!id_.empty() && id_ != now.id) return "the cluster has another id: the store was made anew";
    if (now.revision < revision_) return went_back("its revision", revision_, now.revision);
    for (const auto& [queue, known] : records_) {
        const auto found = now.lines.find(queue);
        const bool exists = found != now.lines.end() && found->second.line;
        const Record there =
            exists ? Record{found->second.line->epoch, found->second.version} : Record{};
        if (there.epoch < known.epoch)
            return went_back("the epoch of queue " + queue, known.epoch, there.epoch);
        if (there.version < known.version)
            return went_back("the record of queue " + queue, known.version, there.version);
    }
    return {};
}

void Memory::remember(const Contents& now) {
    id_ = now.id;
    revision_ = std::max(revision_, now.revision);
    for (const auto& [queue, stored] : now.lines)
        if (stored.line) note(queue, {stored.line->epoch, stored.version});
}

void Memory::remember(const std::string& queue, Epoch epoch, etcd::Revision revision) {
    note(queue, {epoch, revision});
    revision_ = std::max(revision_, revision);
}

void Memory::note(const std::string& queue, Record record) {
    Record& known = records_[queue];
    known.epoch = std::max(known.epoch, record.epoch);
    known.version = std::max(known.version, record.version);
}

}  // namespace ticketgate::cluster

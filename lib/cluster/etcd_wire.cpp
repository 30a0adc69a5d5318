#include "cluster/etcd_wire.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "base/bytes.hpp"

namespace ticketgate::cluster::etcd {
namespace {

namespace json = boost::json;

// ── what is sent ──

std::string base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4, '=');
    const std::span in(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    encode_base64(in, base64_digits, out.data());
    return out;
}

Call call(std::string_view path, const json::object& body) {
    return {path, json::serialize(body)};
}

// The first key behind all that begin with `prefix`.
std::string end_of(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff') end.pop_back();
    if (end.empty()) return std::string(1, '\0');  // all keys
    ++end.back();
    return end;
}

json::object compare(const Condition& condition) {
    json::object out{{"key", base64(condition.key)}, {"result", "EQUAL"}};
    out["target"] = condition.value ? "VALUE" : "MOD";
    if (condition.value)
        out["value"] = base64(*condition.value);
    else
        out["modRevision"] = std::to_string(condition.version);
    return out;
}

json::object put(const Put& one) {
    json::object out{{"key", base64(one.key)}, {"value", base64(one.value)}};
    if (one.lease != 0) out["lease"] = std::to_string(one.lease);
    return out;
}

// ── what comes back ──

std::optional<json::object> parse(std::string_view text) {
    boost::system::error_code bad;
    json::value value = json::parse(json::string_view(text.data(), text.size()), bad);
    if (bad || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

const json::object* object_in(const json::object& from, json::string_view name) {
    const json::value* found = from.if_contains(name);
    return found != nullptr ? found->if_object() : nullptr;
}

std::string_view text_in(const json::object& from, json::string_view name) {
    const json::value* found = from.if_contains(name);
    const json::string* text = found != nullptr ? found->if_string() : nullptr;
    return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

// The gateway leaves members out that are 0. Null: it stands there, and is no number.
template <class Number>
std::optional<Number> number_in(const json::object& from, json::string_view name) {
    if (!from.contains(name)) return Number{};
    const std::string_view text = text_in(from, name);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::string> bytes_in(const json::object& from, json::string_view name) {
    std::string_view text = text_in(from, name);
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out(text.size(), '\0');
    const std::span bytes(reinterpret_cast<std::uint8_t*>(out.data()), out.size());
    const auto size = decode_base64(text, base64_digits, bytes);
    if (!size) return std::nullopt;
    out.resize(*size);
    return out;
}

// Each answer has a header; the store begins with revision 1.
std::optional<Revision> revision_of(const json::object& answer) {
    const json::object* header = object_in(answer, "header");
    if (header == nullptr) return std::nullopt;
    const auto revision = number_in<Revision>(*header, "revision");
    return revision && *revision != 0 ? revision : std::nullopt;
}

std::optional<Entry> read_entry(const json::value& from) {
    const json::object* pair = from.if_object();
    if (pair == nullptr) return std::nullopt;
    auto key = bytes_in(*pair, "key");
    auto value = bytes_in(*pair, "value");
    const auto version = number_in<Revision>(*pair, "mod_revision");
    if (!key || !value || !version || *version == 0) return std::nullopt;
    return Entry{std::move(*key), std::move(*value), *version};
}

// The codes of gRPC, and where one code says too little, etcd's words
// (etcdserver/api/v3rpc/rpctypes).
Fault fault_of(std::int64_t code, std::string_view message) {
    const auto says = [&](std::string_view words) {
        return message.find(words) != std::string_view::npos;
    };
    if (says("database space exceeded")) return Fault::no_space;
    if (says("lease not found")) return Fault::no_lease;
    if (says("invalid auth token") || says("user name is empty") || says("auth revision"))
        return Fault::no_login;
    if (says("authentication failed") || says("permission denied") || code == 7)
        return Fault::refused;
    constexpr std::int64_t unavailable = 14, deadline_exceeded = 4;
    if (code == unavailable || code == deadline_exceeded || says("no leader")) return Fault::away;
    return Fault::other;
}

}  // namespace

Call read_all(std::string_view prefix) {
    return call("/v3/kv/range", {{"key", base64(prefix)}, {"range_end", base64(end_of(prefix))}});
}

Call write(const Transaction& transaction) {
    json::array conditions, actions;
    for (const Condition& one : transaction.conditions) conditions.push_back(compare(one));
    for (const Put& one : transaction.puts)
        actions.push_back(json::object{{"requestPut", put(one)}});
    for (const std::string& key : transaction.drops)
        actions.push_back(json::object{{"requestDeleteRange", json::object{{"key", base64(key)}}}});
    return call("/v3/kv/txn",
                {{"compare", std::move(conditions)}, {"success", std::move(actions)}});
}

Call grant_lease(seconds ttl) {
    return call("/v3/lease/grant", {{"TTL", std::to_string(ttl.count())}});
}

Call renew_lease(LeaseId lease) {
    return call("/v3/lease/keepalive", {{"ID", std::to_string(lease)}});
}

Call end_lease(LeaseId lease) {
    return call("/v3/lease/revoke", {{"ID", std::to_string(lease)}});
}

Call log_in(std::string_view user, std::string_view password) {
    return call("/v3/auth/authenticate", {{"name", user}, {"password", password}});
}

std::optional<Snapshot> read_snapshot(std::string_view text) {
    const auto answer = parse(text);
    const auto revision = answer ? revision_of(*answer) : std::nullopt;
    if (!revision || answer->contains("more")) return std::nullopt;  // more: it is only a part
    Snapshot out{*revision, {}};
    const json::value* pairs = answer->if_contains("kvs");
    if (pairs == nullptr) return out;
    if (!pairs->is_array()) return std::nullopt;
    for (const json::value& pair : pairs->get_array()) {
        auto entry = read_entry(pair);
        if (!entry) return std::nullopt;
        out.entries.push_back(std::move(*entry));
    }
    return out;
}

std::optional<Outcome> read_outcome(std::string_view text) {
    const auto answer = parse(text);
    const auto revision = answer ? revision_of(*answer) : std::nullopt;
    if (!revision) return std::nullopt;
    const json::value* done = answer->if_contains("succeeded");
    if (done != nullptr && !done->is_bool()) return std::nullopt;
    return Outcome{done != nullptr && done->get_bool(), *revision};
}

std::optional<LeaseId> read_lease(std::string_view text) {
    const auto answer = parse(text);
    const auto id = answer ? number_in<LeaseId>(*answer, "ID") : std::nullopt;
    return id && *id != 0 ? id : std::nullopt;
}

std::optional<seconds> read_renewal(std::string_view text) {
    const auto answer = parse(text);
    const json::object* result = answer ? object_in(*answer, "result") : nullptr;
    if (result == nullptr || !revision_of(*result)) return std::nullopt;
    const auto left = number_in<std::int64_t>(*result, "TTL");
    if (!left) return std::nullopt;
    return seconds(std::max<std::int64_t>(*left, 0));
}

std::optional<std::string> read_login(std::string_view text) {
    const auto answer = parse(text);
    const std::string_view token = answer ? text_in(*answer, "token") : std::string_view();
    if (token.empty()) return std::nullopt;
    return std::string(token);
}

Failure read_failure(unsigned status, std::string_view body) {
    const auto answer = parse(body);
    const json::value* code = answer ? answer->if_contains("code") : nullptr;
    if (code == nullptr || !code->is_int64())
        return {Fault::not_etcd, "status " + std::to_string(status)};
    const std::string_view message = text_in(*answer, "message");
    return {fault_of(code->get_int64(), message), std::string(message)};
}

}  // namespace ticketgate::cluster::etcd

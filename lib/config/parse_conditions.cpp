// What a route asks of a request besides its path.
#include <re2/re2.h>

#include <array>

#include "base/text.hpp"
#include "config/parse.hpp"
#include "config/pattern.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

// A list, or one item in its place; `take` reads each. False: one of them was wrong.
template <class Take>
bool each_item(const Value& value, Take take) {
    if (value.node.kind == Node::Kind::scalar) return take(value);
    if (!value.expect(Node::Kind::list)) return false;
    if (value.node.items.empty()) return value.fail("is empty; leave it out to match everything");
    bool good = true;
    for (std::size_t i = 0; i < value.node.items.size(); ++i) {
        const auto path = value.item_path(i);
        const Value item{value.node.items[i], value.key, path, value.reading};
        good = item.expect(Node::Kind::scalar) && take(item) && good;
    }
    return good;
}

void add_once(std::vector<std::string>& out, const std::string& item) {
    if (!is_one_of(item, out)) out.push_back(item);
}

// These describe the message or its connection, or are not what the backend gets.
const char* why_not_header(std::string_view name) {
    constexpr std::array<std::string_view, 12> of_message{
        "connection", "content-length",   "expect", "keep-alive", "max-forwards",
        "proxy",      "proxy-connection", "te",     "trailer",    "transfer-encoding",
        "upgrade",    "x-request-start"};
    constexpr std::array<std::string_view, 6> of_proxies{"forwarded",         "x-forwarded-for",
                                                         "x-forwarded-host",  "x-forwarded-port",
                                                         "x-forwarded-proto", "via"};
    if (!is_token(name)) return "not a header name";
    if (iequals(name, "host")) return "write host: instead";
    const auto same = [&](std::string_view one) { return same_to_cgi(one, name); };
    if (std::ranges::any_of(of_message, same))
        return "describes the message or its connection; routes cannot ask for it";
    if (std::ranges::any_of(of_proxies, same))
        return "any client can send it, and the backend gets ticketgate's own; write from: or "
               "listener:";
    return nullptr;
}

bool read_pattern(const Value& value, std::string& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const RE2 pattern(value.node.text, pattern_options());
    if (!pattern.ok())
        return value.fail(shown(value.node.text) +
                          " is not a regular expression: " + pattern.error());
    out = value.node.text;
    return true;
}

bool read_presence(const Value& value, HeaderCondition& out) {
    bool present = true;
    if (!read(value, present)) return false;
    out.is = present ? HeaderCondition::Is::present : HeaderCondition::Is::absent;
    return true;
}

// `{regex: …}` or `{present: true}`.
bool read_form(const Value& value, HeaderCondition& out) {
    const auto& entries = value.node.entries;
    const Entry* const only = entries.size() == 1 ? &entries.front() : nullptr;
    if (only == nullptr || (only->key != "regex" && only->key != "present"))
        return value.fail("expected a value, {regex: PATTERN} or {present: true}");
    const auto path = value.path + "." + only->key;
    const Value inner{only->value, value.key, path, value.reading};
    if (only->key == "present") return read_presence(inner, out);
    out.is = HeaderCondition::Is::like;
    return read_pattern(inner, out.text);
}

bool read_header_condition(const Value& value, HeaderCondition& out) {
    if (value.node.kind == Node::Kind::map) return read_form(value, out);
    if (value.node.kind != Node::Kind::scalar)
        return value.fail("expected a value, {regex: PATTERN} or {present: true}");
    if (!is_header_value(value.node.text) || trim(value.node.text) != value.node.text)
        return value.fail(
            "a header value has no line breaks, no control characters and no blanks at its ends");
    out.text = value.node.text;
    return true;
}

}  // namespace

bool read_hosts(const Value& value, std::vector<std::string>& out) {
    return each_item(value, [&](const Value& item) {
        std::string why;
        const auto host = parse_host(item.node.text, why);
        if (!host) return item.fail(shown(item.node.text) + ": " + why);
        add_once(out, *host);
        return true;
    });
}

bool read_listener_names(const Value& value, std::vector<std::string>& out) {
    return each_item(value, [&](const Value& item) {
        if (!is_name(item.node.text))
            return item.fail(shown(item.node.text) + " is not a listener's name: " + name_form);
        add_once(out, item.node.text);
        return true;
    });
}

bool read_filled_list(const Value& value, std::vector<std::string>& out) {
    if (!read(value, out)) return false;
    if (out.empty()) return value.fail("is empty; leave it out to match everything");
    return true;
}

bool read_header_conditions(const Value& value, std::vector<HeaderCondition>& out) {
    if (!value.expect(Node::Kind::map)) return false;
    if (value.node.entries.empty())
        return value.fail("is empty; write a header and its value, such as {X-Kind: api}");
    bool good = true;
    for (const Entry& entry : value.node.entries) {
        const auto path = value.path + "." + entry.key;
        if (const char* const why = why_not_header(entry.key)) {
            value.reading.problems.error(entry.mark, path, why);
            good = false;
            continue;
        }
        HeaderCondition condition{.name = entry.key};
        good =
            read_header_condition({entry.value, value.key, path, value.reading}, condition) && good;
        out.push_back(std::move(condition));
    }
    return good;
}

}  // namespace ticketgate::config

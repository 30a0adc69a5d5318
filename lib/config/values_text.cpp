// Reads the kinds of text: names, patterns, lists of tokens, headers and bodies.
#include <algorithm>
#include <array>

#include "base/file.hpp"
#include "base/text.hpp"
#include "config/environment.hpp"
#include "config/syntax.hpp"
#include "config/values.hpp"
#include "config/values_pattern.hpp"
#include "config/values_workers.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

// For a page or a token: larger files are surely a mistake.
constexpr std::uint64_t most_body_file = 1 << 30;

// RFC 9110 8.3.1, as far as it matters: type/subtype, then anything a header may hold.
bool is_media_type(std::string_view text) {
    const auto type = trim(text.substr(0, text.find(';')));
    const auto slash = type.find('/');
    return slash != std::string_view::npos && is_token(type.substr(0, slash)) &&
           is_token(type.substr(slash + 1)) && is_header_value(text);
}

// Checks the text by its kind; on failure, reports it and returns false.
bool check_text(const Value& value) {
    const std::string& text = value.node.text;
    switch (value.key.kind) {
        case Kind::prefix:
            if (const auto why = why_not_normal(text); !why.empty())
                return value.fail(shown(text) + " never matches: " + why);
            return true;
        case Kind::regex:
            return check_regex(value);
        case Kind::header_name:
            return is_token(text) || value.unexpected();
        case Kind::media_type:
            return is_media_type(text) || value.unexpected();
        case Kind::name:
        case Kind::listener:
            return is_name(text) || value.unexpected();
        case Kind::folder:
            return (text.starts_with('/') && is_header_value(text)) || value.unexpected();
        case Kind::script:
            if (text.starts_with('/') && text.size() > 1 && why_not_normal(text).empty())
                return true;
            return value.unexpected();
        case Kind::file_name:
            return (!text.empty() && text.find('/') == std::string::npos && text[0] != '.' &&
                    is_header_value(text)) ||
                   value.unexpected();
        default:
            return !text.empty() || value.fail("is empty; expected " + expected(value.key));
    }
}

// True for names like ours: `${a.b}` in a page's script does not concern ticketgate.
bool looks_like_placeholder(std::string_view name) {
    return !name.empty() &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
}

bool read_queue(const Value& value, std::optional<std::string>& out) {
    constexpr std::array<std::string_view, 5> reserved{"on", "true", "yes", "null", "~"};
    if (is_off(value.node)) {
        out.reset();
        return true;
    }
    if (!value.expect(Node::Kind::scalar)) return false;
    const std::string& name = value.node.text;
    if (is_one_of(lower(name), reserved))
        return value.fail(shown(name) + " is not a queue; write a name, or off");
    if (!is_name(name)) return value.fail(shown(name) + " is not a valid queue name: " + name_form);
    out = name;
    return true;
}

// Sets `out` to nothing for `off`.
bool read_script(const Value& value, std::optional<std::string>& out) {
    if (is_off(value.node)) {
        out.reset();
        return true;
    }
    if (!value.expect(Node::Kind::scalar) || !check_text(value)) return false;
    out = value.node.text;
    return true;
}

bool check_variable(const Value& value, const Entry& entry) {
    const std::string path = value.path + "." + entry.key;
    const auto fail = [&](const Mark& mark, const char* why) {
        value.reading.problems.error(mark, path, why);
        return false;
    };
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
    const bool name =
        !entry.key.empty() && letter(entry.key[0]) &&
        std::ranges::all_of(entry.key, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
    if (!name)
        return fail(entry.mark, "not a valid variable name: A-Z 0-9 _, without a digit first");
    // ticketgate sets these; HTTP_PROXY would make libraries use that proxy (httpoxy).
    constexpr std::array<std::string_view, 7> own{
        "CONTENT_LENGTH", "QUERY_STRING",  "REQUEST_METHOD", "SCRIPT_NAME",
        "HTTP_PROXY",     "FENCING_TOKEN", "FENCING_QUEUE"};
    if (is_one_of(entry.key, own)) return fail(entry.mark, "is set by ticketgate; remove it");
    if (entry.value.kind != Node::Kind::scalar) return fail(entry.value.mark, "expected text");
    if (!is_header_value(entry.value.text))
        return fail(entry.value.mark, "a value cannot contain line breaks or control characters");
    return true;
}

// A hint only: there are more methods than those of the registry.
void warn_method(const Value& item) {
    constexpr std::array<std::string_view, 17> known{
        "GET",  "HEAD", "POST",  "PUT",  "DELETE", "CONNECT",  "OPTIONS",   "TRACE", "PATCH",
        "COPY", "LOCK", "MKCOL", "MOVE", "UNLOCK", "PROPFIND", "PROPPATCH", "REPORT"};
    const std::string& method = item.node.text;
    if (is_one_of(method, known)) return;
    const auto near = nearest(method, known);
    if (!near.empty() && edit_distance(method, near) <= 2)
        item.reading.problems.warn(item.node.mark, item.path,
                                   method + " is no method that servers know" + hint(near));
}

bool check_method(const Value& item) {
    constexpr std::array<std::string_view, 3> every{"*", "ALL", "ANY"};
    if (is_one_of(item.node.text, every))
        return item.fail(shown(item.node.text) +
                         " would be a method of this name; for every method leave methods out, or "
                         "write queue: off in place of skip_methods");
    if (!is_token(item.node.text)) return item.fail(shown(item.node.text) + " is not a method");
    const auto right = upper(item.node.text);
    if (item.node.text == right) {
        warn_method(item);
        return true;
    }
    return item.fail(shown(item.node.text) + ": methods are in upper case" + hint(right));
}

// Refuses h2c: over it, a client could send any number of requests past the queue.
bool check_protocol(const Value& item) {
    const std::string name = lower(item.node.text);
    if (name == "h2c" || name.starts_with("h2"))
        return item.fail(shown(item.node.text) +
                         " would carry requests past every route and queue");
    const auto slash = name.find('/');
    const bool whole = is_token(name.substr(0, slash)) &&
                       (slash == std::string::npos || is_token(name.substr(slash + 1)));
    return whole || item.fail(shown(item.node.text) + " is not a protocol");
}

bool check_item(const Value& item) {
    if (item.node.kind != Node::Kind::scalar) return item.expect(Node::Kind::scalar);
    switch (item.key.kind) {
        case Kind::methods:
            return check_method(item);
        case Kind::protocols:
            return check_protocol(item);
        case Kind::words:
        case Kind::endpoints:
            return !item.node.text.empty() || item.fail("is empty");
        case Kind::networks:
            return is_network(item.node.text) || item.node.text == "unix" ||
                   item.fail(shown(item.node.text) +
                             " is not an address or network such as 10.0.0.0/8, nor unix");
        default:
            return is_token(item.node.text) ||
                   item.fail(shown(item.node.text) + " is not a header name");
    }
}

bool check_header(const Value& value, const Entry& entry) {
    // These describe the message itself, its connection and its route; ticketgate writes them.
    constexpr std::array<std::string_view, 9> own{
        "connection",        "content-length", "keep-alive", "server-timing", "te", "trailer",
        "transfer-encoding", "upgrade",        "via"};
    const std::string path = value.path + "." + entry.key;
    const Value item{entry.value, value.key, path, value.reading};
    const auto fail_at_key = [&](const std::string& message) {
        value.reading.problems.error(entry.mark, path, message);
        return false;
    };
    if (!is_token(entry.key)) return fail_at_key("not a header name");
    if (lower(entry.key) == "content-type")
        return fail_at_key("is set by ticketgate; for an answer write content_type: instead");
    if (is_one_of(lower(entry.key), own))
        return fail_at_key("is set by ticketgate itself; remove it");
    if (lower(entry.key) == "date")
        return fail_at_key("is the time of the answer and cannot be fixed; remove it");
    if (entry.value.kind != Node::Kind::scalar) return item.fail("expected text");
    if (!is_header_value(entry.value.text))
        return item.fail("a header value cannot contain line breaks or control characters");
    for (const auto name : names_in(entry.value.text))
        if (is_placeholder(name))
            return item.fail("placeholders work only in body, not in headers");
    return true;
}

bool check_type(const Value& map, const Entry& entry) {
    const std::string path = map.path + "." + entry.key;
    const Value item{entry.value, map.key, path, map.reading};
    const bool ending = !entry.key.empty() && entry.key.find_first_of("./ ") == std::string::npos;
    if (!ending) return item.fail(shown(entry.key) + " is not an ending such as md");
    if (entry.value.kind != Node::Kind::scalar) return item.expect(Node::Kind::scalar);
    return is_media_type(entry.value.text) ||
           item.fail(shown(entry.value.text) + " is not a media type such as text/markdown");
}

bool check_entry(const Value& map, const Entry& entry) {
    switch (map.key.kind) {
        case Kind::variables:
            return check_variable(map, entry);
        case Kind::environment:
            return check_environment(map, entry);
        case Kind::rlimits:
            return check_rlimit(map, entry);
        case Kind::types:
            return check_type(map, entry);
        default:
            return check_header(map, entry);
    }
}

}  // namespace

bool read(const Value& value, std::string& out) {
    if (!value.expect(Node::Kind::scalar) || !check_text(value)) return false;
    const bool file = value.key.kind == Kind::file;
    out = file ? (value.reading.folder / value.node.text).string() : value.node.text;
    return true;
}

bool read(const Value& value, std::optional<std::string>& out) {
    if (value.key.kind == Kind::queue) return read_queue(value, out);
    return read_script(value, out);
}

bool read(const Value& value, std::optional<SharedText>& out) {
    if (value.node.kind == Node::Kind::null) {
        out.reset();
        return true;
    }
    if (!value.expect(Node::Kind::scalar)) return false;
    out = value.node.body.empty() ? value.node.text : value.node.body;
    return true;
}

// A text in quotes is a page, whatever it says.
bool read(const Value& value, Page& out) {
    std::optional<SharedText> text;
    if (!read(value, text)) return false;
    const bool word = text && !value.node.quoted;
    if (!text)
        out = {};
    else if (word && is_on(value.node))
        out = {Page::Kind::on, {}};
    else if (word && is_off(value.node))
        out = {Page::Kind::off, {}};
    else
        out = {Page::Kind::own, *text};
    return true;
}

bool read(const Value& value, std::vector<std::string>& out) {
    if (!value.expect(Node::Kind::list)) return false;
    std::vector<std::string> items;
    bool good = true;
    for (std::size_t i = 0; i < value.node.items.size(); ++i) {
        const std::string path = value.item_path(i);
        good = check_item({value.node.items[i], value.key, path, value.reading}) && good;
        items.push_back(value.node.items[i].text);
    }
    if (good) out = std::move(items);
    return good;
}

bool read(const Value& value, Headers& out) {
    if (!value.expect(Node::Kind::map)) return false;
    Headers headers;
    bool good = true;
    for (const Entry& entry : value.node.entries) {
        value.reading.marks[value.path + "." + entry.key] = entry.mark;
        good = check_entry(value, entry) && good;
        headers.emplace_back(entry.key, entry.value.text);
    }
    if (good) out = std::move(headers);
    return good;
}

bool read_body_file(const Value& value, std::string& out) {
    if (!value.expect(Node::Kind::scalar) || !check_text(value)) return false;
    const auto file = value.reading.folder / value.node.text;
    const auto fail = [&](const std::string& reason) {
        return value.fail("cannot read " + file.string() + ": " + reason);
    };
    value.reading.text_files.push_back(file.string());
    auto got = read_file(file.string(), most_body_file);
    if (!got) return fail(got.why);
    out = std::move(got.text);
    return true;
}

// Gives one warning for each file: a page with a script may have many such texts on purpose.
void warn_placeholders(const Value& value, std::string_view body) {
    std::size_t more = 0;
    std::string first;
    for (const auto name : names_in(body)) {
        if (is_placeholder(name) || !looks_like_placeholder(name)) continue;
        if (!first.empty()) {
            ++more;
            continue;
        }
        const auto line = 1 + std::count(body.data(), name.data(), '\n');
        first = (value.reading.folder / value.node.text).string() + ":" + std::to_string(line) +
                ": ${" + std::string(name) + "} is not a placeholder and stays as it is" +
                hint(nearest(name, placeholders));
    }
    if (more != 0) first += " (and " + std::to_string(more) + " more)";
    if (!first.empty()) value.reading.problems.warn(value.node.mark, value.path, std::move(first));
}

}  // namespace ticketgate::config

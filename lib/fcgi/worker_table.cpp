#include "fcgi/worker_table.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <limits>
#include <utility>

namespace ticketgate::fcgi {
namespace {

namespace json = boost::json;

constexpr std::string_view list_key = "processes", count_key = "total processes";

// The keys seen in one map: about twenty, whatever a client writes.
class Keys {
 public:
    bool add(const std::string& key) {
        constexpr std::size_t most = 64;
        if (names_.size() == most || std::ranges::find(names_, key) != names_.end()) return false;
        names_.push_back(key);
        return true;
    }
    bool has(std::string_view key) const { return std::ranges::find(names_, key) != names_.end(); }
    void clear() { names_.clear(); }

 private:
    std::vector<std::string> names_;
};

// Accepts a map with one list of maps, all other values plain; any other shape ends the parse.
class Handler {
 public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size, max_key_size = max_object_size,
                                 max_string_size = max_object_size;

    std::vector<WorkerEntry> entries;
    std::optional<std::int64_t> announced;
    bool listed = false;

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }

    bool on_object_begin(error_code& error) {
        if (depth_ == 0 || (depth_ == 2 && in_list_)) {
            if (depth_ == 2) begin_entry();
            ++depth_;
            return true;
        }
        return refuse(error);
    }
    bool on_object_end(std::size_t, error_code& error) {
        const bool entry = --depth_ == 2;
        const auto needed = [&](std::string_view key) { return entry_keys_.has(key); };
        if (entry && !(needed("state") && needed("request duration"))) return refuse(error);
        return true;
    }
    bool on_array_begin(error_code& error) {
        if (depth_ != 1 || key_ != list_key) return refuse(error);
        in_list_ = listed = true;
        ++depth_;
        return true;
    }
    bool on_array_end(std::size_t, error_code&) {
        in_list_ = false;
        --depth_;
        return true;
    }

    bool on_key_part(json::string_view part, std::size_t, error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_key(json::string_view part, std::size_t, error_code& error) {
        key_ = take(part);
        return (depth_ == 1 ? keys_ : entry_keys_).add(key_) || refuse(error);
    }
    bool on_string_part(json::string_view part, std::size_t, error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_string(json::string_view part, std::size_t, error_code& error) {
        std::string text = take(part);
        if (depth_ == 1) return (key_ != list_key && key_ != count_key) || refuse(error);
        if (depth_ == 2 || key_ == "request duration" || key_ == "pid") return refuse(error);
        WorkerEntry& entry = entries.back();
        if (key_ == "state")
            entry.state = std::move(text);
        else if (key_ == "request method")
            entry.method = std::move(text);
        else if (key_ == "request uri")
            entry.uri = std::move(text);
        return true;
    }

    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t number, json::string_view, error_code& error) {
        return take_number(number, error);
    }
    bool on_uint64(std::uint64_t, json::string_view, error_code& error) {
        return take_number(std::nullopt, error);
    }
    bool on_double(double, json::string_view, error_code& error) {
        return take_number(std::nullopt, error);
    }
    bool on_bool(bool, error_code& error) { return refuse(error); }
    bool on_null(error_code& error) { return refuse(error); }
    bool on_comment_part(json::string_view, error_code& error) { return refuse(error); }
    bool on_comment(json::string_view, error_code& error) { return refuse(error); }

 private:
    static bool refuse(error_code& error) {
        error = errc::upstream_bad_response;
        return false;
    }
    std::string take(json::string_view last) {
        text_.append(last.data(), last.size());
        return std::exchange(text_, {});
    }
    void begin_entry() {
        entry_keys_.clear();
        entries.emplace_back();
    }
    bool take_number(std::optional<std::int64_t> number, error_code& error) {
        const bool of_text = key_ == "state" || key_ == "request method" || key_ == "request uri";
        if (depth_ == 0 || depth_ == 2 || (depth_ == 3 && of_text)) return refuse(error);
        if (depth_ == 1 && key_ == list_key) return refuse(error);
        if (depth_ == 1 && key_ == count_key) announced = number;
        if (depth_ == 3 && key_ == "request duration") entries.back().microseconds = number;
        if (depth_ == 3 && key_ == "pid") entries.back().pid = number.value_or(-1);
        return true;
    }

    int depth_ = 0;  // 1: in the map, 2: in the list, 3: in an entry
    bool in_list_ = false;
    Keys keys_, entry_keys_;
    std::string text_, key_;
};

// ── a page that is not JSON, or is ambiguous, because of a client's text ──

bool take(std::string_view& text, std::string_view expected) {
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
    return true;
}

std::optional<std::int64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end == text.data()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool fits = error == std::errc{} && number <= std::numeric_limits<std::int64_t>::max();
    return fits ? static_cast<std::int64_t>(number) : -1;
}

// Skips `,"NAME":` and a number.
bool skip_number(std::string_view& text, std::string_view before) {
    return take(text, before) && take_number(text).has_value();
}

// Decodes escapes, but drops \u codes: the comparison uses only ASCII.
std::string unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        char c = text.front();
        text.remove_prefix(1);
        if (c == '\\' && !text.empty()) {
            c = text.front();
            text.remove_prefix(1);
            if (c == 'u') {
                text.remove_prefix(std::min<std::size_t>(4, text.size()));
                continue;
            }
        }
        out += c;
    }
    return out;
}

// Takes the text up to its closing quote; an escaped quote does not close it.
std::string take_text(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    std::string out = unescaped(text.substr(0, end));
    text.remove_prefix(end);
    return out;
}

// Reads the fixed beginning of an entry; the first byte from a client is in the uri.
std::optional<WorkerEntry> entry_at(std::string_view text) {
    WorkerEntry entry;
    if (!take(text, R"({"pid":)")) return std::nullopt;
    const auto pid = take_number(text);
    if (!pid || !take(text, R"(,"state":")")) return std::nullopt;
    entry.pid = *pid;
    entry.state = take_text(text);
    if (!skip_number(text, R"(","start time":)") || !skip_number(text, R"(,"start since":)") ||
        !skip_number(text, R"(,"requests":)") || !take(text, R"(,"request duration":)"))
        return std::nullopt;
    entry.microseconds = take_number(text);
    if (!take(text, R"(,"request method":")")) return std::nullopt;
    entry.method = take_text(text);
    if (!take(text, R"(","request uri":")")) return std::nullopt;
    entry.uri = take_text(text);
    return entry;
}

// Returns everything that looks like an entry. A client's text can add entries, which only delay;
// it cannot remove any, since php-fpm prints each one whole.
result<std::vector<WorkerEntry>> find_entries(std::string_view text) {
    const error_code bad = errc::upstream_bad_response;
    const auto list = text.find(R"("processes":[)"), count = text.find(R"("total processes":)");
    if (list == std::string_view::npos || count > list) return bad;
    auto number = text.substr(count + std::string_view(R"("total processes":)").size());
    const auto announced = take_number(number);
    std::vector<WorkerEntry> entries;
    constexpr std::string_view begin = R"({"pid":)";
    for (auto at = text.find(begin, list); at != std::string_view::npos;
         at = text.find(begin, at + 1))
        if (auto entry = entry_at(text.substr(at))) entries.push_back(*std::move(entry));
    if (!announced || static_cast<std::int64_t>(entries.size()) < *announced) return bad;
    return entries;
}

result<std::vector<WorkerEntry>> read_strictly(std::string_view text) {
    const error_code bad = errc::upstream_bad_response;
    json::basic_parser<Handler> parser{json::parse_options()};
    error_code error;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
    if (error || used != text.size() || !parser.done()) return bad;
    Handler& handler = parser.handler();
    if (!handler.listed) return bad;
    // A valid page has the whole list, but its total may differ from the list's length: php-fpm
    // counts a worker with a kept connection once per request until its master recounts (once a
    // second), and does not count a worker that it has just started.
    if (handler.announced && *handler.announced > 0 && handler.entries.empty()) return bad;
    return std::move(handler.entries);
}

}  // namespace

result<std::vector<WorkerEntry>> read_worker_table(std::string_view text) {
    auto entries = read_strictly(text);
    return entries ? std::move(entries) : find_entries(text);
}

}  // namespace ticketgate::fcgi

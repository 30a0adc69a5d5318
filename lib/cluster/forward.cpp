#include "cluster/forward.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace ticketgate::cluster {
namespace {

constexpr std::string_view version = "1";

void add(std::string& out, std::string_view name, std::string_view value) {
    append_all(out, " ", name, "=", value);
}

void add(std::string& out, std::string_view name, std::uint64_t value) {
    add(out, name, std::to_string(value));
}

std::uint64_t us(Duration time) {
    return static_cast<std::uint64_t>(time / 1us);
}

// Words between single blanks.
std::string_view next_word(std::string_view& rest) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

// Calls take(name, value) for each NAME=VALUE behind the version. False: it is not our text, or one
// of them is not good.
template <class Take>
bool read_words(std::string_view text, Take take) {
    if (next_word(text) != version) return false;
    while (!text.empty()) {
        const auto word = next_word(text);
        const auto equals = word.find('=');
        if (equals == word.npos || !take(word.substr(0, equals), word.substr(equals + 1)))
            return false;
    }
    return true;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
    const char* const end = text.data() + text.size();
    const auto got = std::from_chars(text.data(), end, out);
    return got.ec == std::errc() && got.ptr == end;
}

bool read_duration(std::string_view text, Duration& out) {
    std::int64_t value = 0;
    constexpr std::int64_t most = 365LL * 24 * 3600 * 1'000'000;
    if (!read_number(text, value) || value < 0 || value > most) return false;
    out = value * 1us;
    return true;
}

}  // namespace

std::string write_ask(const Ask& ask) {
    std::string out(version);
    add(out, "queue", ask.queue);
    add(out, "instance", ask.instance);
    add(out, "term", ask.term);
    add(out, "by", ask.by);
    add(out, "secret", ask.secret);
    return out;
}

std::optional<Ask> read_ask(std::string_view text) {
    Ask out;
    const bool good = read_words(text, [&out](std::string_view name, std::string_view value) {
        if (name == "queue") out.queue = value;
        if (name == "instance") out.instance = value;
        if (name == "secret") out.secret = value;
        if (name == "term") return read_number(value, out.term);
        return name != "by" || read_number(value, out.by);
    });
    if (!good || out.queue.empty() || out.instance.empty() || out.term == 0) return std::nullopt;
    return out;
}

std::string write_forward(const Forward& forward) {
    std::string out(version);
    add(out, "queue", forward.queue);
    add(out, "client", forward.client);
    if (!forward.listener.empty()) add(out, "listener", forward.listener);
    add(out, "waited", us(forward.waited));
    if (forward.inside) add(out, "inside", *forward.inside);
    if (forward.place != 0) add(out, "place", forward.place);
    if (forward.term != 0) add(out, "term", forward.term);
    if (forward.unknown) add(out, "unknown", 1);
    add(out, "secret", forward.secret);
    return out;
}

std::optional<Forward> read_forward(std::string_view text) {
    Forward out;
    const bool good = read_words(text, [&out](std::string_view name, std::string_view value) {
        if (name == "queue") out.queue = value;
        if (name == "client") out.client = value;
        if (name == "listener") out.listener = value;
        if (name == "inside") out.inside = value;
        if (name == "secret") out.secret = value;
        if (name == "unknown") out.unknown = value == "1";
        if (name == "place") return read_number(value, out.place);
        if (name == "term") return read_number(value, out.term);
        return name != "waited" || read_duration(value, out.waited);
    });
    if (!good || out.queue.empty() || out.client.empty()) return std::nullopt;
    return out;
}

std::string write_place(const Place& place) {
    std::string out(version);
    if (place.moved) {
        add(out, "moved", 1);
        return out;
    }
    add(out, "number", place.number);
    add(out, "position", place.position);
    add(out, "blocked_by", place.blocked_by);
    add(out, "token", place.token);
    add(out, "waited", us(place.waited));
    if (place.age > Duration{0}) add(out, "age", us(place.age));
    return out;
}

std::optional<Place> read_place(std::string_view text) {
    Place out;
    const bool good = read_words(text, [&out](std::string_view name, std::string_view value) {
        if (name == "moved") return out.moved = value == "1";
        if (name == "number") return read_number(value, out.number);
        if (name == "position") return read_number(value, out.position);
        if (name == "blocked_by") return read_number(value, out.blocked_by);
        if (name == "token") return read_number(value, out.token);
        if (name == "age") return read_duration(value, out.age);
        return name != "waited" || read_duration(value, out.waited);
    });
    if (!good) return std::nullopt;
    return out;
}

}  // namespace ticketgate::cluster

#include "cluster/record.hpp"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ticketgate::cluster {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> words{"free", "idle", "open", "leaving", "settling"};

void add(json::object& out, Epoch epoch, const Instance& instance) {
    out["epoch"] = epoch;
    out["instance"] = instance.id;
    out["name"] = instance.name;
    out["address"] = instance.address;
    if (!instance.backends.empty()) out["backends"] = instance.backends;
}

// Reads members of one object; the first that is missing or wrong is remembered.
class Members {
 public:
    Members(const json::object& from, std::string& why) : from_(from), why_(why) {}

    std::string text(json::string_view name) {
        const json::value* found = from_.if_contains(name);
        if (found != nullptr && found->is_string()) return std::string(found->get_string());
        return fail(name, "a string"), std::string();
    }
    std::string optional_text(json::string_view name) {
        return from_.contains(name) ? text(name) : std::string();
    }
    std::uint64_t number(json::string_view name) {
        const json::value* found = from_.if_contains(name);
        if (found != nullptr && found->is_int64() && found->get_int64() > 0)
            return static_cast<std::uint64_t>(found->get_int64());
        return fail(name, "a positive number"), 0;
    }
    WallTime time(json::string_view name) {
        const json::value* found = from_.if_contains(name);
        return found != nullptr && found->is_int64() ? read_time(found->get_int64()) : WallTime{};
    }
    bool yes(json::string_view name) {
        const json::value* found = from_.if_contains(name);
        return found != nullptr && found->is_bool() && found->get_bool();
    }
    Instance instance() {
        return {text("instance"), text("name"), text("address"), optional_text("backends")};
    }

    void fail(json::string_view name, std::string_view expected) {
        if (why_.empty()) why_ = '"' + std::string(name) + "\" is not " + std::string(expected);
    }

 private:
    const json::object& from_;
    std::string& why_;
};

std::optional<LineState> state_of(std::string_view word) {
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == word) return static_cast<LineState>(i);
    return std::nullopt;
}

void read_prior(const json::value& from, Line& line, std::string& why) {
    if (from.is_null()) return;
    if (!from.is_object()) {
        why = "\"prior\" is not an object";
        return;
    }
    Members members(from.get_object(), why);
    line.prior = Prior{members.number("epoch"), members.instance(), members.yes("lost")};
}

std::string contradiction(const Line& line) {
    if (line.prior.has_value() != (line.state == LineState::settling))
        return "\"prior\" stands with \"settling\", and only there";
    if (line.prior && line.prior->epoch >= line.epoch) return "\"prior\" is not an earlier epoch";
    if (line.epoch >= std::uint64_t{1} << (63 - epoch_shift)) return "\"epoch\" is too large";
    return {};
}

}  // namespace

std::optional<Prior> term_to_await(const Line& line) {
    if (line.state == LineState::open || line.state == LineState::leaving)
        return Prior{line.epoch, line.keeper};
    return line.prior;
}

std::string_view to_string(LineState state) {
    return words[static_cast<std::size_t>(state)];
}

WallTime read_time(std::int64_t unix_ms) {
    constexpr std::int64_t year_3000 = 32'503'680'000'000;
    if (unix_ms <= 0 || unix_ms > year_3000) return {};
    return {unix_ms * 1000};
}

std::string write_line(const Line& line, WallTime since) {
    json::object out;
    add(out, line.epoch, line.keeper);
    out["state"] = json::string_view(words[static_cast<std::size_t>(line.state)]);
    out["since"] = since.unix_ms();
    json::value& prior = out["prior"];
    if (line.prior) {
        add(prior.emplace_object(), line.prior->epoch, line.prior->keeper);
        prior.get_object()["lost"] = line.prior->lost;
    }
    return json::serialize(out);
}

std::optional<Line> read_line(std::string_view text, std::string& why, WallTime* since) {
    why.clear();
    boost::system::error_code bad;
    const json::value value = json::parse(json::string_view(text.data(), text.size()), bad);
    if (bad || !value.is_object()) {
        why = "not a JSON object";
        return std::nullopt;
    }
    Members members(value.get_object(), why);
    Line line{members.number("epoch"), members.instance(), {}, {}};
    const auto state = state_of(members.text("state"));
    if (!state) members.fail("state", "a state of a line");
    line.state = state.value_or(LineState::free);
    if (const json::value* prior = value.get_object().if_contains("prior"))
        read_prior(*prior, line, why);
    if (why.empty()) why = contradiction(line);
    if (!why.empty()) return std::nullopt;
    if (since != nullptr) *since = members.time("since");
    return line;
}

}  // namespace ticketgate::cluster

#include "admin/config_view.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "admin/print_json.hpp"
#include "log/timestamp.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

constexpr std::size_t most_lines = 100;

std::string date(WallTime time) {
    std::string out;
    append_rfc3339(out, time);
    return out;
}

void add_lines(json::object& to, const std::string& key, const std::vector<std::string>& lines) {
    json::array shown;
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
        shown.emplace_back(lines[i]);
    to[key + "_not_shown"] = lines.size() - shown.size();
    to[key] = std::move(shown);
}

json::object last_read(const ConfigRead& read, Time now) {
    json::object out{
        {"by", name(read.by)},
        {"at", date(read.at)},
        {"age_seconds", to_s(now - read.measured_at)},
        {"in_force", read.good()},
    };
    add_lines(out, "problems", read.result.problems);
    add_lines(out, "need_restart", read.result.need_restart);
    add_lines(out, "warnings", read.result.warnings);
    return out;
}

}  // namespace

std::string name(ReadBy by) {
    static constexpr std::array<const char*, 4> names{"start", "signal", "command", "watch"};
    return names[static_cast<std::size_t>(by)];
}

std::string drain_text(Duration until_cut) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(until_cut).count();
    return "what still runs is cut in " + std::to_string(left) + " s (drain_timeout)";
}

std::string config_json(const ConfigView& view, Time now) {
    return print_json(json::object{
               {"file", view.file},
               {"watched", view.watched},
               {"in_force_since", date(view.in_force_since)},
               {"age_seconds", to_s(now - view.measured_since)},
               {"last_read", last_read(view.last, now)},
           }) +
           "\n";
}

std::string config_lines(const ConfigView& view, Time now) {
    const auto age = std::chrono::duration_cast<seconds>(now - view.measured_since).count();
    std::string out = "config " + view.file + " in force since " + date(view.in_force_since) +
                      ", for " + std::to_string(age) + " s\n";
    if (view.last.good()) return out;
    return out + "config not loaded at " + date(view.last.at) + " (" + name(view.last.by) +
           "), the old one stays:\n" + some_of(view.last.result.problems);
}

std::string some_of(const std::vector<std::string>& lines) {
    std::string told;
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) told += lines[i] + "\n";
    if (lines.size() > most_lines)
        told += "and " + std::to_string(lines.size() - most_lines) + " more\n";
    return told;
}

}  // namespace ticketgate::admin

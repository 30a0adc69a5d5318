#include "app/id_command.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include "app/commands.hpp"
#include "app/machine.hpp"
#include "base/text.hpp"
#include "ids/decode.hpp"
#include "ids/generator.hpp"
#include "log/timestamp.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view id_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@_-";
constexpr std::size_t shortest = 17;  // word to decode in a log: a snowflake since 2011

// Writes `2026-11-20T16:42:21Z`, with milliseconds if the id has them.
std::string time_text(WallTime time, bool whole_seconds) {
    std::string text;
    append_rfc3339(text, time);  // …T16:42:21.000000Z
    return text.substr(0, whole_seconds ? 19 : 23) + "Z";
}

void row(std::ostream& out, std::string_view name, std::string_view value) {
    out << "    " << name << std::string(12 - std::min<std::size_t>(name.size(), 11), ' ') << value
        << '\n';
}

void print(const ids::Reading& reading, std::ostream& out) {
    out << "  " << reading.format << '\n';
    if (reading.time)
        row(out, "time",
            time_text(*reading.time, reading.whole_seconds) +
                (reading.plausible ? "" : " (unlikely)"));
    for (const auto& [name, value] : reading.fields) row(out, name, value);
    if (!reading.note.empty()) row(out, "note", reading.note);
}

bool decode(const std::string& id, WallTime now, std::ostream& out, std::ostream& err) {
    const auto all = ids::readings(id, now);
    if (all.empty()) {
        err << "ticketgate: \"" << id << "\" is not an id: " << ids::why_no_id(id) << '\n';
        return false;
    }
    const auto likely = std::ranges::count_if(all, &ids::Reading::plausible);
    out << id << '\n';
    if (likely > 1) out << "  ambiguous: any of these " << likely << " formats\n";
    for (const auto& reading : all)
        if (reading.plausible || likely == 0) print(reading, out);
    return true;
}

// Decodes only ids with a plausible time: any 32-letter word could be random bits.
std::string remark(std::string_view word, WallTime now) {
    std::string formats, time;
    if (word.size() < shortest) return {};
    for (const auto& reading : ids::readings(word, now)) {
        if (!reading.plausible || !reading.time) continue;
        if (time.empty()) time = time_text(*reading.time, reading.whole_seconds);
        formats += (formats.empty() ? "" : "|") + reading.format;
    }
    return formats.empty() ? "" : std::string(word) + " " + formats + " " + time;
}

// True if the format needs a worker number and none was given. The number from the environment or
// the host name belongs to the service, which may be using it now.
bool lacks_a_worker(ids::Format format, const IdOrder& order) {
    return ids::needs_worker(format) && order.machine.worker == config::unlimited;
}

}  // namespace

int make_ids(const IdOrder& order, const config::Environment& environment, std::ostream& out,
             std::ostream& err) {
    const auto format = ids::find_format(order.format);
    if (!format) {
        const auto near = nearest(order.format, ids::format_names);
        err << "ticketgate: " << order.format << " is not a format"
            << (near.empty() ? "." : "; did you mean " + std::string(near) + "?")
            << " The formats are";
        for (const auto name : ids::format_names) err << ' ' << name;
        err << '\n';
        return commands::usage;
    }
    if (lacks_a_worker(*format, order)) {
        err << "ticketgate: a snowflake needs --worker N, 0 to 31: a number that no other "
               "process uses for snowflakes\n";
        return commands::usage;
    }
    std::vector<std::string> complaints;
    const auto machine = machine_of(order.machine, environment, this_system(), complaints);
    if (const auto why = ids::why_not(*format, machine); !why.empty()) {
        for (const auto& complaint : complaints) err << "ticketgate: " << complaint << '\n';
        err << "ticketgate: " << why << '\n';
        return commands::failed;
    }
    ids::Generator generator(machine);
    for (std::uint64_t i = 0; i < order.count && out; ++i)
        out << generator.next(*format, wall_now()).view() << '\n';
    return out.flush() ? commands::ok : commands::failed;
}

int decode_ids(const std::vector<std::string>& ids, WallTime now, std::ostream& out,
               std::ostream& err) {
    int code = commands::ok;
    for (const auto& id : ids)
        if (!decode(id, now, out, err)) code = commands::usage;
    return code;
}

int annotate_log(std::istream& in, WallTime now, std::ostream& out) {
    std::string line;
    while (std::getline(in, line) && out) {
        out << line;
        const char* between = "  # ";
        for (std::size_t at = 0; at < line.size();) {
            const auto begin = std::min(line.find_first_of(id_letters, at), line.size());
            const auto end = std::min(line.find_first_not_of(id_letters, begin), line.size());
            at = end + 1;
            const auto said = remark(std::string_view(line).substr(begin, end - begin), now);
            if (said.empty()) continue;
            out << between << said;
            between = ", ";
        }
        out << std::endl;  // flushes: the log may still grow while a person reads the output
    }
    return out ? commands::ok : commands::failed;
}

}  // namespace ticketgate

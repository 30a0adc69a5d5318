#include "http/head_parser.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace ticketgate::http {
namespace {

using beast::http::field;

// Maps Beast's enum to ours with one look-up; Beast has already hashed the name.
constexpr auto listed_names = [] {
    std::array<FieldName, 512> names{};
    const auto set = [&](field theirs, FieldName ours) {
        names[static_cast<std::size_t>(theirs)] = ours;
    };
    set(field::accept, FieldName::accept);
    set(field::connection, FieldName::connection);
    set(field::keep_alive, FieldName::keep_alive);
    set(field::proxy_connection, FieldName::proxy_connection);
    set(field::te, FieldName::te);
    set(field::trailer, FieldName::trailer);
    set(field::transfer_encoding, FieldName::transfer_encoding);
    set(field::upgrade, FieldName::upgrade);
    set(field::content_length, FieldName::content_length);
    set(field::content_type, FieldName::content_type);
    set(field::expect, FieldName::expect);
    set(field::host, FieldName::host);
    set(field::via, FieldName::via);
    set(field::forwarded, FieldName::forwarded);
    set(field::user_agent, FieldName::user_agent);
    set(field::referer, FieldName::referer);
    set(field::date, FieldName::date);
    set(field::location, FieldName::location);
    set(field::max_forwards, FieldName::max_forwards);
    return names;
}();

struct Unlisted {
    std::string_view name;
    FieldName id;
};

// By size.
constexpr std::array unlisted_names{
    Unlisted{"Proxy", FieldName::proxy},
    Unlisted{"Refresh", FieldName::refresh},
    Unlisted{"Server-Timing", FieldName::server_timing},
    Unlisted{"X-Forwarded-For", FieldName::x_forwarded_for},
    Unlisted{"X-Request-Start", FieldName::x_request_start},
    Unlisted{"X-Forwarded-Host", FieldName::x_forwarded_host},
    Unlisted{"X-Forwarded-Port", FieldName::x_forwarded_port},
    Unlisted{"X-Forwarded-Proto", FieldName::x_forwarded_proto},
};

static_assert(std::ranges::is_sorted(unlisted_names, {},
                                     [](auto& one) { return one.name.size(); }));

// Where the names of each size begin; of one more, where they end.
constexpr auto first_of_size = [] {
    std::array<std::uint8_t, unlisted_names.back().name.size() + 2> first{};
    for (std::size_t size = 0, at = 0; size < first.size(); ++size) {
        while (at < unlisted_names.size() && unlisted_names[at].name.size() < size) ++at;
        first[size] = static_cast<std::uint8_t>(at);
    }
    return first;
}();

// `other` for a name that is not among those.
FieldName unlisted_name(std::string_view name) {
    const std::size_t size = name.size();
    if (size + 1 >= first_of_size.size()) return FieldName::other;
    for (std::size_t at = first_of_size[size]; at < first_of_size[size + 1]; ++at)
        if (to_lower(unlisted_names[at].name.back()) == to_lower(name.back()) &&
            iequals(unlisted_names[at].name, name))
            return unlisted_names[at].id;
    return FieldName::other;
}

FieldName field_name(field theirs, std::string_view name) {
    if (theirs != field::unknown) return listed_names[static_cast<std::size_t>(theirs)];
    const FieldName found = unlisted_name(name);
    return found != FieldName::other || is_usual_name(name) ? found : FieldName::unusual;
}

// Skips whitespace after the value.
Field field_of(FieldName id, std::string_view name, std::string_view value) {
    const char* end = value.data() + value.size();
    while (*end != '\r') ++end;
    const auto length = static_cast<std::size_t>(end + 2 - name.data());
    return {id, name, value, {name.data(), length}};
}

}  // namespace

Field make_field(field theirs, std::string_view name, std::string_view value) {
    return field_of(field_name(theirs, name), name, value);
}

// FieldName has no name that begins with X- and is in Beast's list, so those are not looked up
// there.
Field own_field(std::string_view line, std::size_t colon) {
    const auto name = line.substr(0, colon);
    const bool listed = !name.starts_with("X-");
    const auto theirs =
        listed ? beast::http::string_to_field({name.data(), name.size()}) : field::unknown;
    const FieldName id = field_name(theirs, name);
    return {id, name, line.substr(colon + 2, line.size() - colon - 4), line};
}

}  // namespace ticketgate::http

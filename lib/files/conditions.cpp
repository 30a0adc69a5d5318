#include "files/conditions.hpp"

#include <array>
#include <charconv>

#include "files/http_date.hpp"

namespace ticketgate::files {
namespace {

constexpr std::string_view weak_mark = "W/";

std::string_view opaque(std::string_view tag) {
    return tag.starts_with(weak_mark) ? tag.substr(weak_mark.size()) : tag;
}

bool is_weak(std::string_view tag) {
    return tag.starts_with(weak_mark);
}

// RFC 9110 8.8.3.2.
bool same_weakly(std::string_view a, std::string_view b) {
    return opaque(a) == opaque(b);
}

bool same_strongly(std::string_view a, std::string_view b) {
    return !is_weak(a) && !is_weak(b) && a == b;
}

// Takes one entity tag from the front; empty: there is none, or what comes is not one. A tag may
// have a comma in it, so the list is not simply split.
std::string_view take_tag(std::string_view& list) {
    const auto begin = list.find_first_not_of(", \t");
    if (begin == std::string_view::npos) return {};
    list.remove_prefix(begin);
    const std::size_t open = is_weak(list) ? weak_mark.size() : 0;
    if (open >= list.size() || list[open] != '"') return {};
    const auto close = list.find('"', open + 1);
    if (close == std::string_view::npos) return {};
    const auto tag = list.substr(0, close + 1);
    list.remove_prefix(close + 1);
    return tag;
}

template <class Same>
bool lists(std::string_view list, std::string_view etag, Same same) {
    if (list == "*") return true;
    for (auto tag = take_tag(list); !tag.empty(); tag = take_tag(list))
        if (same(tag, etag)) return true;
    return false;
}

void append_hex(std::string& out, std::uint64_t value) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), value, 16).ptr;
    out.append(digits.begin(), end);
}

}  // namespace

Verdict judge(const Preconditions& asked, const Validators& file) {
    if (!asked.if_match.empty()) {
        if (!lists(asked.if_match, file.etag, same_strongly)) return Verdict::failed;
    } else if (!asked.if_unmodified_since.empty()) {
        const auto since = parse_http_date(asked.if_unmodified_since);
        if (since && file.modified > *since) return Verdict::failed;
    }
    if (!asked.if_none_match.empty())
        return lists(asked.if_none_match, file.etag, same_weakly) ? Verdict::not_modified
                                                                  : Verdict::go_on;
    if (asked.if_modified_since.empty()) return Verdict::go_on;
    const auto since = parse_http_date(asked.if_modified_since);
    return since && file.modified <= *since ? Verdict::not_modified : Verdict::go_on;
}

bool range_applies(std::optional<std::string_view> if_range, const Validators& file) {
    if (!if_range) return true;
    if (if_range->ends_with('"')) return same_strongly(*if_range, file.etag);
    const auto since = parse_http_date(*if_range);
    return since && file.date_is_strong && file.modified == *since;
}

std::string entity_tag(std::int64_t mtime_ns, std::uint64_t size, std::string_view coding,
                       bool weak) {
    std::string tag = weak ? "W/\"" : "\"";
    append_hex(tag, static_cast<std::uint64_t>(mtime_ns));
    tag += '-';
    append_hex(tag, size);
    if (!coding.empty()) tag.append("-").append(coding);
    return tag += '"';
}

}  // namespace ticketgate::files

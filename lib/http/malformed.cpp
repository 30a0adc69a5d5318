#include "http/malformed.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "http/framing.hpp"

namespace ticketgate::http {
namespace {

// True if any parser may read it as framing: some drop invalid characters before they compare.
bool may_frame(std::string_view line) {
    std::string name;
    for (const char c : line.substr(0, line.find(':')))
        if (is_token_char(c)) name += to_lower(c);
    constexpr std::array<std::string_view, 4> framing{"content-length", "transfer-encoding",
                                                      "connection", "upgrade"};
    return name.empty() || std::ranges::any_of(framing, [&](std::string_view word) {
               return name.find(word) != std::string::npos;
           });
}

// Checks RFC 9110 5.1 and 5.5.
bool well_formed(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    return std::ranges::all_of(line.substr(0, colon), is_token_char) &&
           std::ranges::all_of(line.substr(colon + 1), is_text_char);
}

// True if the line says nothing of where the answer ends, or of what becomes of its connection.
bool only_for_client(std::string_view line) {
    return !may_frame(line) && !iequals(line.substr(0, line.find(':')), "keep-alive");
}

// Removes the lines that are only for the client, and the value of such a line when the line is not
// complete yet.
void drop_other_fields(std::string& head) {
    const auto first = head.find("\r\n");
    if (first == std::string::npos) return;
    std::size_t out = first + 2;
    const auto keep = [&](std::size_t from, std::size_t size) {
        std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(from), size,
                    head.begin() + static_cast<std::ptrdiff_t>(out));
        out += size;
    };
    for (std::size_t at = out; at < head.size();) {
        const auto end = std::min(head.find("\r\n", at), head.size());
        const bool whole = end != head.size();
        const auto line = std::string_view(head).substr(at, end - at);
        const auto colon = line.find(':');
        const bool other = (whole || colon != std::string_view::npos) && only_for_client(line);
        const bool halved = !whole && line.ends_with('\r');  // its CRLF
        if (!other) keep(at, line.size() + (whole ? 2 : 0));
        if (other && !whole) keep(at, colon + 1);
        if (other && halved) keep(end - 1, 1);
        at = end + (whole ? 2 : 0);
    }
    head.resize(out);
}

// A reason phrase says nothing about framing: PHP writes what a script puts there.
std::string_view without_bad_reason(std::string_view status_line) {
    constexpr std::size_t code_ends = 12;  // `HTTP/1.1 200`
    return std::ranges::all_of(status_line, is_text_char) ? status_line
                                                          : status_line.substr(0, code_ends);
}

}  // namespace

std::string without_malformed_fields(std::string_view head) {
    const auto first = head.find("\r\n");
    if (first == std::string_view::npos) return {};
    std::string rest(without_bad_reason(head.substr(0, first)));
    rest.append("\r\n");
    for (auto lines = head.substr(first + 2); !lines.empty();) {
        const auto end = lines.find("\r\n");
        if (end == std::string_view::npos) return {};
        const auto line = lines.substr(0, end);
        const bool good = line.empty() || well_formed(line);
        if (!good && may_frame(line)) return {};
        if (good) rest.append(line).append("\r\n");
        lines.remove_prefix(end + 2);
    }
    return rest;
}

result<std::size_t> keep_framing(std::string& kept, std::string_view more) {
    constexpr std::size_t piece_size = 4 << 10, most_kept = 16 << 10;
    std::size_t used = 0;
    for (;;) {
        drop_other_fields(kept);
        if (used == more.size()) return used;
        if (kept.size() > most_kept) return error_code(errc::upstream_bad_response);
        const std::size_t before = kept.size();
        kept += more.substr(used, piece_size);
        const auto end = find_head_end(kept, 0, before);
        if (!end) return end.error();
        if (*end == 0) {
            used += kept.size() - before;
            continue;
        }
        kept.resize(*end);
        drop_other_fields(kept);
        return used + *end - before;
    }
}

}  // namespace ticketgate::http

#include "fcgi/response.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace ticketgate::fcgi {
namespace {

// True for fields about the connection: a script does not have one.
bool is_hop_by_hop(std::string_view name) {
    constexpr std::array<std::string_view, 7> names{"connection", "keep-alive", "proxy-connection",
                                                    "te",         "trailer",    "transfer-encoding",
                                                    "upgrade"};
    return std::ranges::any_of(names, [&](auto known) { return iequals(name, known); });
}

// Accepts `404`, `404 Not Found`.
bool valid_status(std::string_view value) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return value.size() >= 3 && value[0] >= '2' && value[0] <= '5' && digit(value[1]) &&
           digit(value[2]) && (value.size() == 3 || value[3] == ' ');
}

struct Lines {
    std::string_view status;
    bool location = false;
};

// Copies the fields, each with a CRLF. Returns what is wrong with the block; empty: nothing.
std::string_view copy_fields(std::string_view block, Lines& found, std::string& out) {
    while (!block.empty()) {
        const auto end = block.find('\n');
        auto line = block.substr(0, end);
        block.remove_prefix(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) return {};
        const auto colon = line.find(':');
        if (line.find('\r') != std::string_view::npos) return "a bare CR";
        if (colon == std::string_view::npos) return "a line that is no field";
        const auto name = line.substr(0, colon), value = trim(line.substr(colon + 1));
        if (iequals(name, "status")) {
            if (!found.status.empty()) return "two fields Status";
            if (!valid_status(value)) return "an invalid status";
            found.status = value;
            continue;
        }
        if (is_hop_by_hop(name)) continue;
        if (iequals(name, "location")) found.location = true;
        append_all(out, line, "\r\n");
    }
    return {};
}

error_code refused(http::ResponseHead& head, std::string_view complaint) {
    head.complaint = complaint;
    return errc::upstream_bad_response;
}

}  // namespace

std::size_t head_block_size(std::string_view bytes, std::size_t scanned) {
    // The end is up to three bytes long, so two of them may be among the scanned ones.
    std::size_t at = scanned < 2 ? 0 : scanned - 2;
    if (at == 0 && bytes.starts_with('\n')) return 1;
    if (at == 0 && bytes.starts_with("\r\n")) return 2;
    while ((at = bytes.find('\n', at)) != std::string_view::npos) {
        const auto rest = bytes.substr(at + 1);
        if (rest.starts_with('\n')) return at + 2;
        if (rest.starts_with("\r\n")) return at + 3;
        ++at;
    }
    return 0;
}

error_code parse_head_block(std::string_view block, const http::HeadLimits& limits, bool to_head,
                            std::string& text, http::ResponseHead& head) {
    Lines found;
    std::string fields;
    const auto complaint = copy_fields(block, found, fields);
    if (!complaint.empty()) return refused(head, complaint);
    // A CGI response has at least one field (6.2).
    if (fields.empty() && found.status.empty()) return refused(head, "no field");
    if (found.status.empty()) found.status = found.location ? "302 Found" : "200 OK";
    text.clear();
    append_all(text, "HTTP/1.1 ", found.status, found.status.size() == 3 ? " \r\n" : "\r\n", fields,
               "\r\n");
    const auto progress = http::parse_response(text, limits, to_head, head);
    if (!progress) return progress.error();
    // The whole head is here; a parser that wants more disagrees about its end.
    return *progress == http::Progress::done && head.bytes.size() == text.size()
               ? error_code()
               : refused(head, "an unclear end of its head");
}

}  // namespace ticketgate::fcgi

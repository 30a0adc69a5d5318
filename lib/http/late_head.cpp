#include "http/late_head.hpp"

#include <utility>

#include "base/text.hpp"
#include "http/malformed.hpp"

namespace ticketgate::http {
namespace {

constexpr std::string_view protocol = "HTTP/";
constexpr std::size_t status_ends = 12;  // `HTTP/1.1 200`

// True if the line says nothing of where the answer ends, or of what becomes of its connection.
bool only_for_client(std::string_view line) {
    return !may_frame(line) && !iequals(line.substr(0, line.find(':')), "keep-alive");
}

}  // namespace

result<std::size_t> LateHead::take(std::string_view more) noexcept {
    for (std::size_t used = 0; used < more.size(); ++used) {
        if (!take(more[used])) return error_code(errc::upstream_bad_response);
        if (whole()) return used + 1;
    }
    return more.size();
}

bool LateHead::take(char c) noexcept {
    const char before = std::exchange(last_, c);
    if (c == '\n') return before == '\r' && end_line();
    switch (part_) {
        case Part::status:
            return take_status(c);
        case Part::name:
            return take_name(c);
        case Part::value:
            return keep(c);
        case Part::reason:
        case Part::other:
        case Part::end:
            return true;
    }
    return false;
}

// A reason phrase says nothing about framing: PHP writes what a script puts there.
bool LateHead::take_status(char c) noexcept {
    if (size_ < protocol.size() && c != protocol[size_]) return false;
    if (size_ < status_ends) return keep(c);
    part_ = Part::reason;
    return (c == ' ' || c == '\r') && keep('\r');
}

bool LateHead::take_name(char c) noexcept {
    if (size_ == line_ && (c == ' ' || c == '\t')) return false;  // a folded line
    if (c != ':') return keep(c);
    if (only_for_client(line())) {
        drop_line();
        return true;
    }
    part_ = Part::value;
    return keep(c);
}

// At the line feed; what is kept of the line ends with its carriage return.
bool LateHead::end_line() noexcept {
    if (part_ == Part::status) return false;
    if (part_ == Part::name && only_for_client(line())) drop_line();
    const bool last = part_ == Part::name && line() == "\r";
    const bool kept = part_ == Part::other || keep('\n');
    part_ = last ? Part::end : Part::name;
    line_ = size_;
    return kept;
}

bool LateHead::keep(char c) noexcept {
    if (size_ == capacity) return false;
    kept_[size_++] = c;
    return true;
}

void LateHead::drop_line() noexcept {
    size_ = line_;
    part_ = Part::other;
}

}  // namespace ticketgate::http

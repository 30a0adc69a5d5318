#include "http/framing.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "http/target.hpp"

namespace ticketgate::http {
namespace {

constexpr std::string_view alphanumerics =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

using CharSet = std::array<bool, 256>;

constexpr CharSet alphanumerics_and(std::string_view others) {
    CharSet set{};
    for (const char c : alphanumerics) set[static_cast<unsigned char>(c)] = true;
    for (const char c : others) set[static_cast<unsigned char>(c)] = true;
    return set;
}

constexpr CharSet token_chars = alphanumerics_and("!#$%&'*+-.^_`|~");
constexpr CharSet usual_chars = alphanumerics_and("-");
// RFC 3986 3.2.2 reg-name, without the comma: host names have none, and some recipients join
// duplicates with it.
constexpr CharSet host_chars = alphanumerics_and("-._~%!$&'()*+;=");

bool all_in(std::string_view text, const CharSet& set) {
    return std::ranges::all_of(text, [&](char c) { return set[static_cast<unsigned char>(c)]; });
}

bool valid_port(std::string_view rest) {
    if (rest.empty() || rest == ":") return true;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
    return rest[0] == ':' && rest.size() <= 6 && error == std::errc{} &&
           end == rest.data() + rest.size();
}

// RFC 3986 3.2.2, without IPvFuture (none exists) and without zones (RFC 6874 9.3).
bool valid_ipv6(std::string_view text) {
    in6_addr address{};
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) return false;
    std::ranges::copy(text, terminated.begin());
    return text.find('\0') == std::string_view::npos &&
           inet_pton(AF_INET6, terminated.data(), &address) == 1;
}

// True if each `%` begins a code (RFC 3986 2.1), not of a control character: backends decode it.
bool valid_codes(std::string_view text) {
    for (auto at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
        unsigned char byte = 0;
        const auto digits = text.substr(at + 1, 2);
        const char* const end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
        if (digits.size() < 2 || error != std::errc{} || stop != end) return false;
        if (byte < ' ' || byte == 0x7f) return false;
    }
    return true;
}

// True if no label is empty, unlike in `.` and `a..b`. The name may end with the dot of the root.
bool valid_labels(std::string_view name) {
    return !name.starts_with('.') && name.find("..") == std::string_view::npos;
}

bool visible_ascii_without_fragment(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
}

}  // namespace

bool is_token_char(char c) {
    return token_chars[static_cast<unsigned char>(c)];
}

bool is_usual_name(std::string_view name) {
    return all_in(name, usual_chars);
}

std::size_t leading_empty_lines(std::string_view bytes) {
    std::size_t at = 0;
    while (bytes.substr(at, 2) == "\r\n") at += 2;
    return at;
}

result<std::size_t> find_head_end(std::string_view bytes, std::size_t begin, std::size_t scanned) {
    // The end is four bytes long, so three of them may be among the scanned ones.
    std::size_t at = std::max(begin, scanned < 3 ? 0 : scanned - 3);
    while ((at = bytes.find('\n', at)) != std::string_view::npos) {
        if (at == 0 || bytes[at - 1] != '\r') return error_code(errc::bad_request);
        const auto next = bytes.substr(at + 1, 2);
        if (next == "\r\n") return at + 3;
        if (!next.empty() && (next[0] == ' ' || next[0] == '\t'))
            return error_code(errc::bad_request);
        ++at;
    }
    return 0;
}

bool valid_host(std::string_view host) {
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        return end != std::string_view::npos && valid_ipv6(host.substr(1, end - 1)) &&
               valid_port(host.substr(end + 1));
    }
    const auto colon = std::min(host.find(':'), host.size());
    if (colon == 0 && !host.empty()) return false;
    const auto name = host.substr(0, colon);
    return all_in(name, host_chars) && valid_labels(name) && valid_codes(name) &&
           valid_port(host.substr(colon));
}

bool valid_target(std::string_view method, std::string_view target) {
    if (!visible_ascii_without_fragment(target)) return false;
    if (target == "*") return method == "OPTIONS";
    if (target.starts_with('/')) return true;
    return !path_of(target).empty() && valid_host(authority_of(target));
}

bool FieldRules::note(FieldName id, std::string_view value) {
    switch (id) {
        case FieldName::content_length:
            return note_length(value);
        case FieldName::transfer_encoding:
            return note_coding(value);
        case FieldName::connection:
            return note_connection(value);
        case FieldName::upgrade:
            return note_upgrade(value);
        default:
            return true;
    }
}

bool FieldRules::consistent(unsigned version) const {
    return !chunked_ || (!has_length_ && version >= 11);
}

Framing FieldRules::framing() const {
    return chunked_ ? Framing::chunked : has_length_ ? Framing::length : Framing::none;
}

// RFC 9110 8.6 lets a recipient accept `5, 5`; a gateway that accepts it relies on the next
// recipient to do the same.
bool FieldRules::note_length(std::string_view value) {
    if (has_length_) return false;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, length_);
    has_length_ = error == std::errc{} && stop == end;
    return has_length_;
}

// RFC 9112 6.1: an unknown coding cannot be framed; `chunked` must be the last and applied once.
bool FieldRules::note_coding(std::string_view value) {
    if (chunked_ || !iequals(value, "chunked")) return false;
    chunked_ = true;
    return true;
}

bool FieldRules::note_connection(std::string_view value) {
    for_each_element(value, [this](std::string_view option) {
        ++options_;
        if (iequals(option, "close"))
            close_ = true;
        else if (iequals(option, "keep-alive"))
            keep_alive_ = true;
        else
            names_fields_ = true;
        if (iequals(option, "upgrade")) names_upgrade_ = true;
    });
    return options_ <= max_connection_options;
}

// A server may ignore an upgrade, and this one ignores a duplicate Upgrade.
bool FieldRules::note_upgrade(std::string_view value) {
    upgrade_ = has_upgrade_ ? std::string_view() : value;
    has_upgrade_ = true;
    return true;
}

}  // namespace ticketgate::http

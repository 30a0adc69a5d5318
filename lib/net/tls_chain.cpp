#include "net/tls_chain.hpp"

#include <algorithm>
#include <array>

namespace ticketgate::net {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t message_header_size = 4;  // of a handshake message
// OpenSSL takes no more; what is deeper counts by its bytes.
constexpr int deepest = 30;

// Object identifiers of curves whose points cost much to decompress, by their beginnings. A curve
// of the sender's own choice costs up to 40 ms (RFC 5480 2.1.1 forbids them), P-224 and the binary
// curves 0.3 to 2 ms; the others below 0.3. They count wherever they stand: OpenSSL knows an
// elliptic key by more than one algorithm.
constexpr std::array costly_curves{
    "\x2a\x86\x48\xce\x3d\x01"sv,      // the field of one of its own
    "\x2a\x86\x48\xce\x3d\x03\x00"sv,  // binary ones of X9.62
    "\x05\x67\x2b\x01\x04"sv,          // of WTLS: binary ones, and P-224
};
// SEC 2 defines binary curves, P-224, short ones that are not in use, and the three that are.
constexpr std::string_view of_sec = "\x05\x2b\x81\x04\x00"sv;
constexpr std::string_view used_of_sec = "\x22\x23\x0a"sv;  // P-384, P-521, secp256k1

std::size_t octet(std::string_view bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Takes `size` bytes, or those that are there.
std::string_view take(std::string_view& bytes, std::size_t size) {
    const auto taken = bytes.substr(0, size);
    bytes.remove_prefix(taken.size());
    return taken;
}

std::size_t take_number(std::string_view& bytes, std::size_t octets) {
    const auto digits = take(bytes, octets);
    std::size_t number = 0;
    for (std::size_t at = 0; at < digits.size(); ++at) number = number << 8U | octet(digits, at);
    return number;
}

struct Element {
    bool holds_others;  // or may, as the value of an extension does
    bool in_pieces;
    std::string_view content;
};

// A string in pieces, which DER forbids (X.690 10.2): OpenSSL joins them, and what they hold need
// not begin where they do.
bool is_string_in_pieces(std::size_t tag) {
    constexpr std::size_t universal = 0x20, sequence = 0x30, set = 0x31;
    return (tag & 0xe0) == universal && tag != sequence && tag != set;
}

// OpenSSL takes BER too, where an element may have no length: its content is then all that follows.
Element take_element(std::string_view& bytes) {
    constexpr unsigned constructed = 0x20, octet_string = 4, long_tag = 0x1f, more = 0x80;
    const std::size_t tag = take_number(bytes, 1);
    if ((tag & long_tag) == long_tag)
        while ((take_number(bytes, 1) & more) != 0) {
        }
    std::size_t size = take_number(bytes, 1);
    const bool no_size = size == more;
    if (size > more) size = take_number(bytes, size - more);
    const bool holds = (tag & constructed) != 0 || tag == octet_string;
    return {holds, is_string_in_pieces(tag), take(bytes, no_size ? bytes.size() : size)};
}

std::size_t elements_of(std::string_view bytes, int depth = 0) {
    std::size_t elements = 0;
    while (!bytes.empty()) {
        const Element one = take_element(bytes);
        ++elements;
        if (!one.holds_others) continue;
        const bool looks = depth < deepest && !one.in_pieces;
        elements += looks ? elements_of(one.content, depth + 1) : one.content.size();
    }
    return elements;
}

bool has_rare_curve_of_sec(std::string_view message) {
    for (auto at = message.find(of_sec); at != message.npos; at = message.find(of_sec, at + 1)) {
        const auto which = message.substr(at + of_sec.size(), 1);
        if (which.empty() || used_of_sec.find(which) == used_of_sec.npos) return true;
    }
    return false;
}

bool has_costly_curve(std::string_view message) {
    return std::any_of(
               costly_curves.begin(), costly_curves.end(),
               [&](std::string_view curve) { return message.find(curve) != message.npos; }) ||
           has_rare_curve_of_sec(message);
}

}  // namespace

// A message that is cut short counts as far as it goes: OpenSSL parses it so far.
const char* why_costly(std::string_view message, bool in_1_3) {
    constexpr std::size_t certificate = 11;
    if (octet(message, 0) != certificate) return nullptr;
    std::string_view rest = message.substr(std::min(message_header_size, message.size()));
    if (in_1_3) (void)take(rest, take_number(rest, 1));  // the context (RFC 8446 4.4.2)
    std::string_view list = take(rest, take_number(rest, 3));
    std::size_t certificates = 0, elements = 0;
    while (!list.empty()) {
        elements += elements_of(take(list, take_number(list, 3)));
        if (in_1_3) (void)take(list, take_number(list, 2));  // its extensions
        if (++certificates > most_chain_certificates) return "more than 10 certificates";
    }
    if (elements > most_chain_elements) return "certificates of more than 1800 elements";
    return has_costly_curve(message)
               ? "a certificate with a key on a curve that is rare and costs much, as P-224"
               : nullptr;
}

}  // namespace ticketgate::net

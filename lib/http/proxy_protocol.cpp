#include "http/proxy_protocol.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

namespace ticketgate::http {
namespace {

constexpr std::string_view v1_signature = "PROXY ";
constexpr std::string_view v2_signature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t v1_longest = 107;  // section 2.1, with its CRLF
constexpr std::size_t v2_fixed = 16;

enum class Command : std::uint8_t { local, proxy };
enum class Family : std::uint8_t { unspecified, inet, inet6, unix_path };
enum class Transport : std::uint8_t { unspecified, stream, datagram };
enum class Tlv : std::uint8_t { crc32c = 0x03, ssl = 0x20 };
constexpr std::uint8_t client_has_ssl = 0x01;

result<ProxyHeader> refused() {
    return error_code(errc::bad_request);
}

// True if the bytes begin with the signature, or are the beginning of it.
bool may_begin(std::string_view bytes, std::string_view signature) {
    const auto size = std::min(bytes.size(), signature.size());
    return bytes.substr(0, size) == signature.substr(0, size);
}

// ── version 1: one line of text ──

// Accepts only digits without a leading zero (section 2.1).
std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    const bool padded = text.size() > 1 && text[0] == '0';
    return whole && !padded ? std::optional(port) : std::nullopt;
}

// Returns one spelling for each address, and IPv4 for an IPv4-mapped one, as everywhere else.
std::string address_text(std::string_view bytes) {
    constexpr std::string_view mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
    if (bytes.starts_with(mapped)) bytes.remove_prefix(mapped.size());
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
    return text.data();
}

// Parses a literal of this family and spells it as address_text() does; empty: invalid, or with
// brackets or a zone.
std::string read_address(std::string_view text, int family) {
    std::array<char, sizeof(in6_addr)> address{};
    if (text.find('\0') != std::string_view::npos ||
        inet_pton(family, std::string(text).c_str(), address.data()) != 1)
        return {};
    return address_text({address.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr)});
}

// Takes the next word; exactly one space separates words.
std::string_view take_word(std::string_view& rest) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

result<ProxyHeader> parse_line(std::string_view line, ProxyHeader header) {
    const auto family = take_word(line);
    if (family == "UNKNOWN") {
        header.subject = ProxySubject::unknown;
        return header;
    }
    if (family != "TCP4" && family != "TCP6") return refused();
    const int kind = family == "TCP6" ? AF_INET6 : AF_INET;
    header.source = read_address(take_word(line), kind);
    const std::string destination = read_address(take_word(line), kind);
    const auto source_port = parse_port(take_word(line)), port = parse_port(line);
    if (header.source.empty() || destination.empty() || !source_port || !port) return refused();
    header.source_port = *source_port;
    header.port = *port;
    return header;
}

result<ProxyHeader> parse_v1(std::string_view bytes) {
    const auto window = bytes.substr(0, v1_longest);
    const auto end = window.find('\n');
    if (end == std::string_view::npos)
        return window.size() == v1_longest ? refused() : ProxyHeader{};
    // The only CR must precede the LF: other parsers could end the line elsewhere.
    if (window.substr(0, end).find('\r') != end - 1) return refused();
    ProxyHeader header;
    header.bytes = end + 1;
    return parse_line(window.substr(v1_signature.size(), end - 1 - v1_signature.size()), header);
}

// ── version 2: binary ──

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}
std::uint16_t number_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}

// CRC-32C (Castagnoli) by bits: at most a few hundred bytes, once a connection.
std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
    for (const char c : bytes) {
        crc ^= static_cast<std::uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1u)));
    }
    return crc;
}

// Section 2.2.3: the checksum covers the whole header, with its own four bytes as zeros.
bool checksum_fits(std::string_view header, std::size_t at) {
    if (at + 4 > header.size()) return false;
    constexpr std::string_view zeros("\0\0\0\0", 4);
    const auto crc =
        ~crc32c(crc32c(crc32c(~0u, header.substr(0, at)), zeros), header.substr(at + zeros.size()));
    const std::uint32_t said =
        static_cast<std::uint32_t>(number_at(header, at)) << 16 | number_at(header, at + 2);
    return crc == said;
}

// Reads the TLVs after the addresses: type, two bytes of length, value. False: one does not fit.
bool read_tlvs(std::string_view whole, std::size_t at, ProxyHeader& header) {
    while (at < whole.size()) {
        if (whole.size() - at < 3) return false;
        const auto type = static_cast<Tlv>(byte_at(whole, at));
        const std::size_t length = number_at(whole, at + 1);
        at += 3;
        if (length > whole.size() - at) return false;
        if (type == Tlv::crc32c && (length != 4 || !checksum_fits(whole, at))) return false;
        if (type == Tlv::ssl && length > 0) header.tls = (byte_at(whole, at) & client_has_ssl) != 0;
        at += length;
    }
    return true;
}

// The size of both addresses and ports of a family (section 2.2).
std::size_t addresses_size(Family family) {
    switch (family) {
        case Family::inet:
            return 12;
        case Family::inet6:
            return 36;
        case Family::unix_path:
            return 216;
        default:
            return 0;
    }
}

void read_addresses(std::string_view addresses, ProxyHeader& header) {
    const std::size_t ports = addresses.size() - 4;
    header.source = address_text(addresses.substr(0, ports / 2));
    header.source_port = number_at(addresses, ports);
    header.port = number_at(addresses, ports + 2);
}

result<ProxyHeader> parse_body(std::string_view whole, ProxyHeader header) {
    const auto command = static_cast<Command>(byte_at(whole, 12) & 0x0f);
    const auto family = static_cast<Family>(byte_at(whole, 13) >> 4);
    const auto transport = static_cast<Transport>(byte_at(whole, 13) & 0x0f);
    if (command > Command::proxy || family > Family::unix_path || transport > Transport::datagram)
        return refused();
    const std::size_t size = addresses_size(family);
    if (whole.size() < v2_fixed + size) return refused();
    // Without addresses, section 2.2 requires that the rest is skipped.
    if (family != Family::unspecified && !read_tlvs(whole, v2_fixed + size, header))
        return refused();
    const bool ip = family == Family::inet || family == Family::inet6;
    if (command == Command::local)
        return ProxyHeader{.bytes = header.bytes, .subject = ProxySubject::sender};
    if (!ip || transport != Transport::stream)
        return ProxyHeader{.bytes = header.bytes, .subject = ProxySubject::unknown};
    read_addresses(whole.substr(v2_fixed, size), header);
    return header;
}

result<ProxyHeader> parse_v2(std::string_view bytes, std::size_t max_size) {
    if (bytes.size() < v2_fixed) return ProxyHeader{};
    if (byte_at(bytes, 12) >> 4 != 2) return refused();
    ProxyHeader header;
    header.bytes = v2_fixed + number_at(bytes, 14);
    if (header.bytes > max_size) return refused();
    if (bytes.size() < header.bytes) return ProxyHeader{};
    return parse_body(bytes.substr(0, header.bytes), header);
}

}  // namespace

result<ProxyHeader> parse_proxy_header(std::string_view bytes, std::size_t max_size) {
    if (bytes.empty()) return ProxyHeader{};
    if (may_begin(bytes, v2_signature)) return parse_v2(bytes, max_size);
    if (may_begin(bytes, v1_signature)) return parse_v1(bytes);
    return refused();
}

}  // namespace ticketgate::http

#include "config/networks.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace ticketgate::config {
namespace {

constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned mapped_bits = 96;

}  // namespace

std::optional<Network> Network::parse(std::string_view text) {
    const auto slash = std::min(text.find('/'), text.size());
    std::array<char, INET6_ADDRSTRLEN> address{};
    if (slash >= address.size()) return std::nullopt;
    text.copy(address.data(), slash);
    Network out;
    const bool v4 = inet_pton(AF_INET, address.data(), &out.bytes[12]) == 1;
    if (v4)
        std::ranges::copy(mapped, out.bytes.begin());
    else if (inet_pton(AF_INET6, address.data(), out.bytes.data()) != 1)
        return std::nullopt;
    if (slash != text.size()) {
        const auto [end, error] =
            std::from_chars(text.data() + slash + 1, text.data() + text.size(), out.bits);
        if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        if (out.bits > (v4 ? 32 : 128)) return std::nullopt;
        if (v4) out.bits += mapped_bits;
    }
    out.v4 =
        out.bits >= mapped_bits && std::ranges::equal(mapped, std::span(out.bytes).first<12>());
    return out;
}

bool Network::contains(const Network& other) const {
    if (v4 != other.v4 || other.bits < bits) return false;
    const std::size_t whole = bits / 8;
    if (std::memcmp(bytes.data(), other.bytes.data(), whole) != 0) return false;
    if (bits % 8 == 0) return true;
    const unsigned differ = bytes[whole] ^ other.bytes[whole];
    return (differ >> (8 - bits % 8)) == 0;
}

bool Network::names_an_address() const {
    for (unsigned bit = bits; bit < 128; ++bit)
        if ((bytes[bit / 8] >> (7 - bit % 8) & 1U) != 0) return true;
    return false;
}

Networks::Networks(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
        if (text == "unix") unix_ = true;
        if (const auto network = Network::parse(text)) all_.push_back(*network);
    }
}

bool Networks::contains(std::string_view client) const {
    if (client == "unix") return unix_;
    if (all_.empty()) return false;  // as for most requests: spares the parse
    const auto address = Network::parse(client);
    const auto holds = [&](const Network& one) { return one.contains(*address); };
    return address && std::ranges::any_of(all_, holds);
}

bool Networks::contains(const Networks& others) const {
    if (others.unix_ && !unix_) return false;
    return std::ranges::all_of(others.all_, [this](const Network& other) {
        return std::ranges::any_of(all_, [&](const Network& one) { return one.contains(other); });
    });
}

}  // namespace ticketgate::config

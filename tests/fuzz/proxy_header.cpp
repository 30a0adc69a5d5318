// The PROXY header: a header is complete at exactly one length, a refused one stays refused, and a
// named client has an address.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

#include "fuzz/expect.hpp"
#include "http/proxy_protocol.hpp"

namespace ticketgate::fuzz {
namespace {

constexpr std::size_t max_size = 4096;
constexpr std::string_view v2_signature("\r\n\r\n\0\r\nQUIT\n", 12);

bool is_ip(const std::string& text) {
    std::array<char, sizeof(in6_addr)> address{};
    return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
           inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

void check_whole(std::string_view bytes, const http::ProxyHeader& header) {
    const bool v2 = bytes.starts_with(v2_signature);
    expect(header.bytes <= (v2 ? max_size : 107), "no longer than it may be");
    expect(v2 || bytes.substr(0, header.bytes).ends_with("\r\n"), "version 1 is a line");
    const bool named = header.subject == http::ProxySubject::client;
    expect(named != header.source.empty(), "an address for a client that is named only");
    expect(!named || is_ip(header.source), "named by an address");
    expect(named || (header.port == 0 && !header.tls), "nothing is said of nobody");
}

// Feeds the header a byte at a time.
void check(std::string_view bytes) {
    std::size_t whole_at = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const auto header = http::parse_proxy_header(bytes.substr(0, size), max_size);
        if (!header) {
            expect(whole_at == 0, "what was whole stays so");
            expect(!http::parse_proxy_header(bytes, max_size), "what was refused stays so");
            return;
        }
        if (header->bytes == 0) {
            expect(whole_at == 0, "what was whole stays so");
            continue;
        }
        expect(header->bytes <= size, "it is made of what came");
        if (whole_at == 0) expect(header->bytes == size, "whole with its last byte");
        if (whole_at == 0) check_whole(bytes, *header);
        whole_at = header->bytes;
    }
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, std::min<std::size_t>(size, 600));
    ticketgate::fuzz::check(input.rest());
    return 0;
}

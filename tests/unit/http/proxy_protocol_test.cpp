// haproxy.org's proxy-protocol.txt, versions 1 and 2.
#include "http/proxy_protocol.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ticketgate::http {
namespace {

using namespace std::string_literals;

constexpr std::size_t max_size = 4096;

result<ProxyHeader> parse(std::string_view bytes) {
    return parse_proxy_header(bytes, max_size);
}

// A header of version 2: command and family bytes as given, then `rest` behind its length.
std::string v2(char command, char family, const std::string& rest) {
    std::string out = "\r\n\r\n\0\r\nQUIT\n"s;
    out += command;
    out += family;
    out += static_cast<char>(rest.size() >> 8);
    out += static_cast<char>(rest.size() & 0xff);
    return out + rest;
}

const std::string inet = "\x0a\x01\x02\x03\x7f\x00\x00\x01\x9c\x40\x01\xbb"s;
const std::string inet6 = "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x07"s +
                          std::string(15, '\0') + "\x01\x9c\x40\x01\xbb"s;

TEST(ProxyProtocol, VersionOneNamesTheClient) {
    const auto header = parse("PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\nGET /");
    ASSERT_TRUE(header);
    EXPECT_EQ(header->bytes, 47u);
    EXPECT_EQ(header->source, "192.168.0.1");
    EXPECT_EQ(header->source_port, 56324);
    EXPECT_EQ(header->port, 443);
    EXPECT_EQ(header->subject, ProxySubject::client);
    EXPECT_FALSE(header->tls);
    EXPECT_EQ(parse("PROXY TCP6 2001:db8::7 ::1 40000 443\r\n")->source, "2001:db8::7");
}

// Limits and networks compare addresses as text, so each address has one spelling.
TEST(ProxyProtocol, BothVersionsSpellAnAddressInOneWay) {
    const auto source = [](const std::string& bytes) { return parse(bytes)->source; };
    EXPECT_EQ(source("PROXY TCP6 ::ffff:10.1.1.7 ::ffff:10.2.2.2 1 2\r\n"), "10.1.1.7");
    EXPECT_EQ(source("PROXY TCP6 ::FFFF:A01:107 ::1 1 2\r\n"), "10.1.1.7");
    EXPECT_EQ(source("PROXY TCP6 2001:DB8:0:0::1 2001:db8::2 1 2\r\n"), "2001:db8::1");
    const std::string mapped = std::string(10, '\0') + "\xff\xff\x0a\x01\x01\x07";
    EXPECT_EQ(source(v2('\x21', '\x21', mapped + mapped + "\x01\x02\x03\x04")), "10.1.1.7");
}

TEST(ProxyProtocol, VersionOneUnknownIsAClientWithoutAnAddress) {
    for (const auto text : {"PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n"}) {
        const auto header = parse(text);
        ASSERT_TRUE(header) << text;
        EXPECT_EQ(header->bytes, std::string_view(text).size());
        EXPECT_EQ(header->subject, ProxySubject::unknown);
        EXPECT_EQ(header->source, "");
    }
}

TEST(ProxyProtocol, AHeaderInPiecesIsWaitedForAtEveryByte) {
    for (const std::string& whole :
         {"PROXY TCP4 10.1.2.3 127.0.0.1 40000 443\r\n"s, v2('\x21', '\x11', inet)}) {
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto part = parse(std::string_view(whole).substr(0, size));
            ASSERT_TRUE(part) << size;
            EXPECT_EQ(part->bytes, 0u) << size;
        }
        EXPECT_EQ(parse(whole)->bytes, whole.size());
        EXPECT_EQ(parse(whole)->source, "10.1.2.3");
    }
}

TEST(ProxyProtocol, VersionTwoNamesTheClient) {
    const auto v4 = parse(v2('\x21', '\x11', inet) + "GET /");
    ASSERT_TRUE(v4);
    EXPECT_EQ(v4->bytes, 28u);
    EXPECT_EQ(v4->source, "10.1.2.3");
    EXPECT_EQ(v4->source_port, 40000);
    EXPECT_EQ(v4->port, 443);
    const auto v6 = parse(v2('\x21', '\x21', inet6));
    ASSERT_TRUE(v6);
    EXPECT_EQ(v6->bytes, 52u);
    EXPECT_EQ(v6->source, "2001:db8::7");
    EXPECT_EQ(v6->port, 443);
}

TEST(ProxyProtocol, AMappedAddressIsAnIPv4One) {
    const std::string mapped = std::string(10, '\0') + "\xff\xff\x0a\x01\x02\x03"s;
    const auto header = parse(v2('\x21', '\x21', mapped + mapped + "\x00\x01\x00\x02"s));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->source, "10.1.2.3");
}

// Section 2.2: with LOCAL the rest of the header is ignored, UNSPEC included. Any other command
// speaks for a client.
TEST(ProxyProtocol, VersionTwoLocalAloneSpeaksForItsSender) {
    using enum ProxySubject;
    const std::string paths(216, 'x');
    const std::vector<std::pair<std::string, ProxySubject>> cases{
        {v2('\x20', '\x00', ""), sender},     {v2('\x20', '\x11', inet), sender},
        {v2('\x20', '\x31', paths), sender},  {v2('\x21', '\x00', "anything at all"), unknown},
        {v2('\x21', '\x01', ""), unknown},    {v2('\x21', '\x10', inet), unknown},
        {v2('\x21', '\x12', inet), unknown},  {v2('\x21', '\x22', inet6), unknown},
        {v2('\x21', '\x31', paths), unknown}, {v2('\x21', '\x32', paths), unknown}};
    for (const auto& [bytes, subject] : cases) {
        const auto header = parse(bytes + "GET /");
        ASSERT_TRUE(header);
        EXPECT_EQ(header->subject, subject);
        EXPECT_EQ(header->source, "");
        EXPECT_EQ(header->bytes, bytes.size());
    }
}

TEST(ProxyProtocol, TheSslTlvSaysThatTheClientCameOverTls) {
    const std::string over_tls = "\x20\x00\x05\x01\x00\x00\x00\x00"s;
    const std::string plain = "\x20\x00\x05\x00\x00\x00\x00\x00"s;
    EXPECT_TRUE(parse(v2('\x21', '\x11', inet + over_tls))->tls);
    EXPECT_FALSE(parse(v2('\x21', '\x11', inet + plain))->tls);
    EXPECT_TRUE(parse(v2('\x21', '\x11', inet + "\x04\x00\x02xx"s + over_tls))->tls);
}

// Computed with Python: crc32c of the header with zeros in place of the checksum.
TEST(ProxyProtocol, AChecksumMustFit) {
    const auto with = [](const std::string& crc) {
        return v2('\x21', '\x11', inet + "\x03\x00\x04"s + crc);
    };
    EXPECT_TRUE(parse(with("\x08\x28\x68\xa6"s)));
    EXPECT_FALSE(parse(with("\x00\x00\x00\x00"s)));
}

TEST(ProxyProtocol, AnythingElseIsRefused) {
    const std::vector<std::string> bad{
        "GET / HTTP/1.1\r\n",
        "PROXY TCP4\r\n",
        "PROXY TCP5 10.0.0.1 10.0.0.2 1 2\r\n",
        "PROXY TCP4 10.0.0.1 10.0.0.2 1\r\n",
        "PROXY TCP4 10.0.0.1 10.0.0.2 1 2 3\r\n",
        "PROXY TCP4 10.0.0.1 10.0.0.2 1 65536\r\n",
        "PROXY TCP4 10.0.0.1 10.0.0.2 01 2\r\n",
        "PROXY TCP4 10.0.0.1 10.0.0.2 +1 2\r\n",
        "PROXY TCP4  10.0.0.1 10.0.0.2 1 2\r\n",
        "PROXY TCP4 ::1 ::1 1 2\r\n",
        "PROXY TCP6 10.0.0.1 10.0.0.2 1 2\r\n",
        "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
        "PROXY TCP4 10.0.0.1\0 10.0.0.2 1 2\r\n"s,
        "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\n",
        "PROXY UNKNOWN UNKNOWN\n\n\r\n",
        "PROXY UNKNOWN \r\r\n",
        "PROXY " + std::string(200, 'x'),
        "proxy TCP4 10.0.0.1 10.0.0.2 1 2\r\n",
        "\r\n\r\n\r\n",
        v2('\x11', '\x11', inet),
        v2('\x22', '\x11', inet),
        v2('\x21', '\x41', inet),
        v2('\x21', '\x13', inet),
        v2('\x21', '\x11', inet.substr(1)),
        v2('\x21', '\x21', inet),
        v2('\x21', '\x11', inet + "\x04\x00"s),
        v2('\x21', '\x11', inet + "\x04\x00\x05xx"s),
        v2('\x21', '\x11', inet + "\x03\x00\x03xxx"s),
        v2('\x21', '\x11', inet + "\x04\xf0\x00"s + std::string(0xf000, 'x')),
    };
    for (const auto& bytes : bad) EXPECT_FALSE(parse(bytes)) << bytes;
}

}  // namespace
}  // namespace ticketgate::http

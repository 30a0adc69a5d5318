#include "fcgi/params.hpp"

#include <gtest/gtest.h>

#include <map>

#include "fcgi/pairs.hpp"
#include "http/parser.hpp"

namespace ticketgate::fcgi {
namespace {

using namespace std::string_literals;
using Variables = std::map<std::string, std::string>;

// FastCGI 1.0 section 3.4. A name that stands twice would be read differently by different servers.
Variables decode(std::string_view pairs) {
    Variables out;
    const auto size = [&] {
        std::size_t n = static_cast<unsigned char>(pairs[0]);
        const std::size_t bytes = n < 128 ? 1 : 4;
        if (bytes == 4) {
            n &= 0x7f;
            for (std::size_t i = 1; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(pairs[i]);
        }
        pairs.remove_prefix(bytes);
        return n;
    };
    while (!pairs.empty()) {
        const std::size_t name = size(), value = size();
        const bool fresh = out.emplace(pairs.substr(0, name), pairs.substr(name, value)).second;
        EXPECT_TRUE(fresh) << pairs.substr(0, name);
        pairs.remove_prefix(name + value);
    }
    return out;
}

const std::vector<std::string> ids{"unique-id", "x-request-id"};

struct Asked {
    Origin origin{"192.0.2.7", 50001, "10.0.0.1", 8080, "UNIQUEUNIQUE"};
    Scripts scripts{.root = "/var/www/html"};
    unsigned version = 11;
    std::string root = {};  // where scripts.root leads to
};

Variables variables(const std::string& head_text, const Asked& asked = {}) {
    http::RequestHead head;
    const auto parsed = http::parse_request(head_text, {}, head);
    EXPECT_TRUE(parsed && *parsed == http::Progress::done) << head_text;
    std::string out;
    append_params(head, asked.version, ids, asked.origin, asked.scripts,
                  {.script = nullptr, .root = asked.root}, out);
    return decode(out);
}

TEST(Pairs, AreThoseOfTheSpecification) {
    std::string out;
    append_pair(out, "AB", "c");
    EXPECT_EQ(out, "\2\1ABc"s);
    out.clear();
    append_pair(out, "N", std::string(128, 'v'));
    EXPECT_EQ(out, "\1\x80\0\0\x80N"s + std::string(128, 'v'));
    out.clear();
    append_pair(out, "N", std::string(0x12345, 'v'));
    EXPECT_EQ(out.substr(0, 6), "\1\x80\1\x23\x45N"s);
}

// RFC 3875 4.1.18, for names of each length, with each character at each place.
TEST(Pairs, OfHeadersHaveCapitalLettersDigitsAndUnderscores) {
    const auto slow = [](std::string_view header) {
        std::string name = "HTTP_";
        for (const char c : header) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            const bool kept = letter || (c >= '0' && c <= '9');
            name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : kept ? c : '_';
        }
        return name;
    };
    for (std::size_t size = 1; size <= 40; ++size) {
        for (int c = 0; c < 256; ++c) {
            std::string header(size, 'x');
            header[static_cast<std::size_t>(c) % size] = static_cast<char>(c);
            std::string out;
            {
                Pairs pairs(out);
                pairs.add_header(header, "value");
                pairs.add("NAME", "v");
            }
            std::string want;
            append_pair(want, slow(header), "value");
            append_pair(want, "NAME", "v");
            ASSERT_EQ(out, want) << size << ' ' << c;
            ASSERT_EQ(variable_of(header), slow(header)) << size << ' ' << c;
        }
    }
}

// The variables that nginx's fastcgi.conf sends for this request, except SERVER_SOFTWARE.
TEST(Root, IsToldAsItIsWrittenOrWhereItLeadsTo) {
    const std::string head = "GET /a/b.php/c HTTP/1.1\r\nHost: a\r\n\r\n";
    const auto written = variables(head), resolved = variables(head, {.root = "/srv/r2"});
    EXPECT_EQ(written.at("SCRIPT_FILENAME"), "/var/www/html/a/b.php");
    EXPECT_EQ(resolved.at("SCRIPT_FILENAME"), "/srv/r2/a/b.php");
    EXPECT_EQ(resolved.at("DOCUMENT_ROOT"), "/srv/r2");
    EXPECT_EQ(resolved.at("SCRIPT_NAME"), written.at("SCRIPT_NAME"));
}

TEST(Params, ArePhpsEnvironment) {
    const auto got = variables(
        "POST /shop/cart.php/add%20it?id=5&x=%2F HTTP/1.1\r\nHost: shop.example:8080\r\n"
        "Content-Type: text/plain\r\nContent-Length: 12\r\nUser-Agent: curl/8\r\n"
        "Accept-Language: de\r\nAuthorization: Basic YTpi\r\nX-Forwarded-Proto: http\r\n"
        "X-Forwarded-Port: 8080\r\nX-Request-Id: r1\r\nUnique-Id: u1\r\n\r\n");
    const Variables want{
        {"GATEWAY_INTERFACE", "CGI/1.1"},
        {"SERVER_SOFTWARE", "ticketgate"},
        {"QUERY_STRING", "id=5&x=%2F"},
        {"REQUEST_METHOD", "POST"},
        {"CONTENT_TYPE", "text/plain"},
        {"CONTENT_LENGTH", "12"},
        {"SCRIPT_FILENAME", "/var/www/html/shop/cart.php"},
        {"SCRIPT_NAME", "/shop/cart.php"},
        {"PATH_INFO", "/add it"},
        {"REQUEST_URI", "/shop/cart.php/add%20it?id=5&x=%2F"},
        {"DOCUMENT_URI", "/shop/cart.php/add it"},
        {"DOCUMENT_ROOT", "/var/www/html"},
        {"SERVER_PROTOCOL", "HTTP/1.1"},
        {"REQUEST_SCHEME", "http"},
        {"REMOTE_ADDR", "192.0.2.7"},
        {"REMOTE_PORT", "50001"},
        {"SERVER_ADDR", "10.0.0.1"},
        {"SERVER_PORT", "8080"},
        {"SERVER_NAME", "shop.example"},
        {"REDIRECT_STATUS", "200"},
        {"UNIQUE_ID", "UNIQUEUNIQUE"},
        {"HTTP_HOST", "shop.example:8080"},
        {"HTTP_USER_AGENT", "curl/8"},
        {"HTTP_ACCEPT_LANGUAGE", "de"},
        {"HTTP_AUTHORIZATION", "Basic YTpi"},
        {"HTTP_X_FORWARDED_PROTO", "http"},
        {"HTTP_X_FORWARDED_PORT", "8080"},
        {"HTTP_X_REQUEST_ID", "r1"},
        {"HTTP_UNIQUE_ID", "u1"},
    };
    EXPECT_EQ(got, want);
}

TEST(Params, OfAPlainGetHaveNoBodyAndAnEmptyQuery) {
    const auto got = variables("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_FALSE(got.contains("CONTENT_LENGTH"));
    EXPECT_FALSE(got.contains("CONTENT_TYPE"));
    EXPECT_FALSE(got.contains("PATH_INFO"));
    EXPECT_FALSE(got.contains("HTTPS"));
    EXPECT_EQ(got.at("QUERY_STRING"), "");
    EXPECT_EQ(got.at("SCRIPT_NAME"), "/index.php");
    EXPECT_EQ(got.at("REQUEST_URI"), "/a");
}

// HTTP/1.0 allows a request without Host; an empty Host is treated alike.
TEST(Params, TakeTheAddressAsServerNameWithoutAHost) {
    const auto got = variables("GET /a HTTP/1.1\r\nHost:\r\n\r\n");
    EXPECT_FALSE(got.contains("HTTP_HOST"));
    EXPECT_EQ(got.at("SERVER_NAME"), got.at("SERVER_ADDR"));
}

TEST(Params, TellHttpsAndThePortThatTheClientUsed) {
    const auto got = variables(
        "GET / HTTP/1.1\r\nHost: [::1]:443\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\n"
        "\r\n");
    EXPECT_EQ(got.at("HTTPS"), "on");
    EXPECT_EQ(got.at("REQUEST_SCHEME"), "https");
    EXPECT_EQ(got.at("SERVER_PORT"), "443");
    EXPECT_EQ(got.at("SERVER_NAME"), "[::1]");
}

// PHP builds URLs from SERVER_PORT. Behind a mapped port our listener's port would be wrong.
TEST(Params, TellThePortOfTheClientsUrl) {
    struct Case {
        const char* host;
        const char* fields;
        const char* port;
    };
    const Case cases[] = {
        {"h:81", "", "81"},
        {"h", "", "80"},
        {"h", "X-Forwarded-Proto: https\r\n", "443"},
        {"[::1]:81", "", "81"},
        {"[::1]", "", "80"},
        {"h:", "", "80"},
        {"h:81", "X-Forwarded-Port: 444\r\n", "444"},
        {"h:81", "X-Forwarded-Port: 80x\r\n", "81"},
        {"", "", "8080"},
    };
    for (const Case& c : cases) {
        const auto got = variables("GET / HTTP/1.1\r\nHost: " + std::string(c.host) + "\r\n" +
                                   c.fields + "\r\n");
        EXPECT_EQ(got.at("SERVER_PORT"), c.port) << c.host << " " << c.fields;
    }
}

TEST(Params, LeaveOutUnknownValues) {
    const auto got = variables("GET / HTTP/1.1\r\nHost: h\r\n\r\n", {.origin = {}, .version = 10});
    EXPECT_FALSE(got.contains("REMOTE_PORT"));
    EXPECT_FALSE(got.contains("SERVER_ADDR"));
    EXPECT_FALSE(got.contains("UNIQUE_ID"));
    EXPECT_EQ(got.at("SERVER_PROTOCOL"), "HTTP/1.0");
    EXPECT_EQ(variables("GET / HTTP/1.1\r\nHost: \r\n\r\n", {.origin = {}}).at("SERVER_PORT"), "80")
        << "a unix socket has no port";
}

TEST(Params, NeverSetHttpProxy) {
    EXPECT_FALSE(
        variables("GET / HTTP/1.1\r\nHost: h\r\nProxy: evil\r\n\r\n").contains("HTTP_PROXY"));
}

TEST(Params, JoinFieldsOfOneName) {
    const auto got = variables(
        "GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\naccept: b\r\nCookie: c=1\r\nCookie: "
        "d=2\r\n\r\n");
    EXPECT_EQ(got.at("HTTP_ACCEPT"), "a, b");
    EXPECT_EQ(got.at("HTTP_COOKIE"), "c=1; d=2");
}

TEST(Params, DropOtherSpellingsOfOneVariable) {
    const auto got = variables(
        "GET / HTTP/1.1\r\nHost: h\r\nX-Real: right\r\nX_Real: evil\r\nX.Real: evil\r\n"
        "X!Real: evil\r\n\r\n");
    EXPECT_EQ(got.at("HTTP_X_REAL"), "right");
}

TEST(Params, TakeOurIdsUnderscoreOrNot) {
    auto got = variables("GET / HTTP/1.1\r\nHost: h\r\nUNIQUE_ID: u\r\nUnique-Id: u\r\n\r\n");
    EXPECT_EQ(got.at("HTTP_UNIQUE_ID"), "u");
    got = variables("GET / HTTP/1.1\r\nHost: h\r\nX_REQUEST_ID: r\r\n\r\n");
    EXPECT_EQ(got.at("HTTP_X_REQUEST_ID"), "r");
}

TEST(Params, TakeNoFieldForOneOfOursByItsLength) {
    const auto got = variables(
        "GET / HTTP/1.1\r\nHost: h\r\nX-Request-It: theirs\r\nX-Request-Id: ours\r\n\r\n");
    EXPECT_EQ(got.at("HTTP_X_REQUEST_IT"), "theirs");
    EXPECT_EQ(got.at("HTTP_X_REQUEST_ID"), "ours");
}

TEST(Params, OfManyFieldsAreAllSent) {
    std::string head = "GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\n";
    for (int i = 0; i < 60; ++i) head += "X-" + std::to_string(i) + ": v\r\n";
    const auto got = variables(head + "Accept: b\r\nX-Request-Id: ours\r\n\r\n");
    for (int i = 0; i < 60; ++i) EXPECT_EQ(got.at("HTTP_X_" + std::to_string(i)), "v");
    EXPECT_EQ(got.at("HTTP_ACCEPT"), "a, b");
    EXPECT_EQ(got.at("HTTP_X_REQUEST_ID"), "ours");
}

TEST(Params, OfTheConfigWin) {
    Asked asked;
    asked.scripts.params = {{"SERVER_NAME", "fixed"}, {"APP_ENV", "prod"}, {"HTTP_HOST", "h2"}};
    const auto got = variables("GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\n\r\n", asked);
    EXPECT_EQ(got.at("HTTP_ACCEPT"), "a");
    EXPECT_EQ(got.at("SERVER_NAME"), "fixed");
    EXPECT_EQ(got.at("APP_ENV"), "prod");
    EXPECT_EQ(got.at("HTTP_HOST"), "h2");
}

TEST(Params, TellALengthThatBecameKnownLater) {
    std::string out;
    append_length(out, 42);
    EXPECT_EQ(decode(out), (Variables{{"CONTENT_LENGTH", "42"}}));
}

}  // namespace
}  // namespace ticketgate::fcgi

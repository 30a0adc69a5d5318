// Golden tests: exact bytes in, exact bytes out.
#include "http/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

const std::vector<std::string> ids{"x-request-id", "unique-id"};
const NameSet addresses{std::vector<std::string>{"X-Real-IP", "Client-IP", "Forwarded-For"}};
const NameSet removed{std::vector<std::string>{"X-Original-URL"}};

struct Case {
    const char* what;
    std::string in, out;
    RequestEdits edits = {};
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.what;
}

class RewriteRequest : public testing::TestWithParam<Case> {};

TEST_P(RewriteRequest, Golden) {
    RequestHead head;
    const auto progress = parse_request(GetParam().in, HeadLimits{}, head);
    ASSERT_TRUE(progress && *progress == Progress::done);
    std::string out = "before|";
    rewrite_request(head, GetParam().edits, out);
    EXPECT_EQ(out, "before|" + GetParam().out);
}

// Our parser must accept the request that we send, with the framing that was asked for.
TEST_P(RewriteRequest, OutputIsStrictHttp) {
    RequestHead head, again;
    ASSERT_TRUE(parse_request(GetParam().in, HeadLimits{}, head));
    std::string out;
    rewrite_request(head, GetParam().edits, out);
    if (head.host.empty() && head.version == 10) return;  // the caller adds a Host
    const auto progress = parse_request(out, HeadLimits{}, again);
    ASSERT_TRUE(progress && *progress == Progress::done) << out;
    EXPECT_EQ(again.bytes.size(), out.size());
    EXPECT_EQ(again.version, 11u);
    if (GetParam().edits.framing != Framing::none) {
        EXPECT_EQ(again.framing, GetParam().edits.framing);
    }
}

bool is_framing(const Field& field) {
    constexpr std::array of_it{FieldName::content_length, FieldName::transfer_encoding,
                               FieldName::connection, FieldName::upgrade};
    return std::ranges::find(of_it, field.id) != of_it.end();
}

// The views of an edited head are what a parser reads from its text.
TEST_P(RewriteRequest, ViewsAreThoseOfTheText) {
    RequestHead head, read;
    ASSERT_TRUE(parse_request(GetParam().in, HeadLimits{}, head));
    std::string out, written;
    rewrite_request(head, GetParam().edits, out);
    const auto edited = edit_request(head, GetParam().edits, written);
    if (head.host.empty() && head.version == 10) return;  // the caller adds a Host
    ASSERT_TRUE(parse_request(out, HeadLimits{}, read)) << out;
    std::erase_if(read.fields, is_framing);
    EXPECT_EQ(edited.method, read.method);
    EXPECT_EQ(edited.target, read.target);
    EXPECT_EQ(edited.host, read.host);
    ASSERT_EQ(edited.fields.size(), read.fields.size());
    for (std::size_t i = 0; i < read.fields.size(); ++i) {
        EXPECT_EQ(edited.fields[i].id, read.fields[i].id) << read.fields[i].line;
        EXPECT_EQ(edited.fields[i].line, read.fields[i].line);
        EXPECT_EQ(edited.fields[i].name, read.fields[i].name);
        EXPECT_EQ(edited.fields[i].value, read.fields[i].value);
    }
    if (GetParam().edits.framing != Framing::until_close) {
        EXPECT_EQ(edited.framing, read.framing);
        EXPECT_EQ(edited.content_length, read.content_length);
    }
}

const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";

const Case requests[] = {
    {"nothing to do", "GET /a?b HTTP/1.1\r\nhOST:  h \r\nAccept:*/*\r\n\r\n",
     "GET /a?b HTTP/1.1\r\nhOST:  h \r\nAccept:*/*\r\n\r\n"},
    {"no fields",
     "GET / HTTP/1.0\r\n\r\n",
     "GET / HTTP/1.1\r\nHost: d\r\n\r\n",
     {.added = "Host: d\r\n"}},
    {"added last",
     get + "A: b\r\n\r\n",
     get + "A: b\r\nX: y\r\nZ: w\r\n\r\n",
     {.added = "X: y\r\nZ: w\r\n"}},
    {"empty lines before", "\r\n\r\n" + get + "\r\n", get + "\r\n"},
    {"hop-by-hop",
     "GET / HTTP/1.1\r\nConnection: keep-alive\r\nHost: h\r\nKeep-Alive: 5\r\nA: "
     "b\r\nProxy-Connection: close\r\n"
     "TE: trailers\r\nC: d\r\nTrailer: X\r\nUpgrade: h2c\r\n\r\n",
     get + "A: b\r\nC: d\r\n\r\n"},
    {"Connection names fields",
     get + "X-A: 1\r\nconnection: close, x-a ,Cookie\r\nX-B: 2\r\nCookie: c\r\n\r\n",
     get + "X-B: 2\r\n\r\n"},
    {"Connection names in two lines",
     get + "Connection: a\r\nA: 1\r\nB: 2\r\nConnection: b\r\nAB: 3\r\n\r\n",
     get + "AB: 3\r\n\r\n"},
    {"Connection cannot name Host or framing",
     "POST / HTTP/1.1\r\nHost: h\r\nConnection: host, content-length, "
     "transfer-encoding\r\nContent-Length: 3\r\n\r\n",
     "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n",
     {.framing = Framing::length, .content_length = 3}},
    {"Proxy and Expect", get + "Proxy: http://evil\r\nPROXY: x\r\nExpect: 100-continue\r\n\r\n",
     get + "\r\n"},
    {"length stays",
     "POST / HTTP/1.1\r\nContent-Length: 3\r\nHost: h\r\n\r\n",
     "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n",
     {.framing = Framing::length, .content_length = 3}},
    {"chunked becomes length",
     "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
     "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n",
     {.framing = Framing::length, .content_length = ~std::uint64_t{0}}},
    {"length becomes chunked",
     "POST / HTTP/1.0\r\nHost: h\r\nContent-Length: 3\r\n\r\n",
     "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
     {.framing = Framing::chunked}},
    {"POST without body",
     "POST / HTTP/1.1\r\nHost: h\r\n\r\n",
     "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nX: y\r\n\r\n",
     {.added = "X: y\r\n"}},
    {"PUT without body", "PUT / HTTP/1.1\r\nHost: h\r\n\r\n",
     "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"},
    {"PATCH without body", "PATCH / HTTP/1.1\r\nHost: h\r\n\r\n",
     "PATCH / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"},
    {"DELETE without body", "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n",
     "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"absolute-form", "GET http://h:8/a?b HTTP/1.1\r\nHost: h:8\r\n\r\n",
     "GET /a?b HTTP/1.1\r\nHost: h:8\r\n\r\n"},
    {"absolute-form, no path", "GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", get + "\r\n"},
    {"absolute-form, query only", "GET http://h?a/b HTTP/1.1\r\nHost: h\r\n\r\n",
     "GET /?a/b HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"absolute-form OPTIONS", "OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n",
     "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"the target's own bytes", "GET //a/../%61;b HTTP/1.1\r\nHost: h\r\n\r\n",
     "GET //a/../%61;b HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"id headers in every spelling",
     get +
         "X-Request-Id: a\r\nx_request_id: b\r\nX-REQUEST_ID: c\r\nUNIQUE_ID: d\r\nUnique.Id: e\r\n"
         "X-Request-Ids: f\r\nUniqueId: g\r\n\r\n",
     get + "X-Request-Ids: f\r\nUniqueId: g\r\nUnique-Id: new\r\n\r\n",
     {.id_names = ids, .added = "Unique-Id: new\r\n"}},
    {"id headers kept when not named", get + "X-Request-Id: a\r\n\r\n",
     get + "X-Request-Id: a\r\n\r\n"},
    {"forwarded, not trusted",
     get + "X-Forwarded-For: a\r\nX-Forwarded-Proto: b\r\nX-Forwarded-Host: c\r\nX-Forwarded-Port: "
           "d\r\n"
           "Forwarded: e\r\nX-Forwarded-Prefix: f\r\nX_Forwarded_For: g\r\nX-Request-Start: h\r\n"
           "X_Request_Start: i\r\nX-Forward: j\r\nX-Forwarded: k\r\n\r\n",
     get + "X-Forward: j\r\nX-Forwarded: k\r\n\r\n"},
    {"forwarded, trusted",
     get + "X-Forwarded-For: a\r\nX-Forwarded-Proto: b\r\nX-Forwarded-Host: c\r\nX-Forwarded-Port: "
           "d\r\n"
           "Forwarded: e\r\nX-Forwarded-Prefix: f\r\nX_Forwarded_For: g\r\nX_Forwarded_Proto: "
           "h\r\nX!Forwarded-Host: h\r\n"
           "X-Request-Start: i\r\n\r\n",
     get + "X-Forwarded-Proto: b\r\nX-Forwarded-Host: c\r\nX-Forwarded-Port: d\r\nForwarded: e\r\n"
           "X-Forwarded-Prefix: f\r\nX-Forwarded-For: a, z\r\n\r\n",
     {.added = "X-Forwarded-For: a, z\r\n", .keep_forwarded = true}},
    {"Connection cannot name what a trusted proxy says of its client",
     get + "Connection: x-forwarded-proto, X-Forwarded-Host, forwarded, x-forwarded-port, a\r\n"
           "X-Forwarded-Proto: b\r\nX-Forwarded-Host: c\r\nX-Forwarded-Port: d\r\nForwarded: "
           "e\r\nA: f\r\n\r\n",
     get + "X-Forwarded-Proto: b\r\nX-Forwarded-Host: c\r\nX-Forwarded-Port: d\r\nForwarded: "
           "e\r\n\r\n",
     {.keep_forwarded = true}},
    {"a stranger's address",
     get + "X-Real-IP: 1\r\nx-real-ip: 2\r\nclient_ip: 3\r\nForwarded-For: 4\r\nX.Real.IP: 5\r\n"
           "X-Real-IPs: 6\r\nForwarded: 7\r\n\r\n",
     get + "X-Real-IPs: 6\r\n\r\n",
     {.keep_unusual = true, .address_names = &addresses}},
    {"an address from a trusted proxy, as it spells it",
     get + "X-Real-IP: 1\r\nX_Real_IP: 2\r\nclient-ip: 3\r\nclient.ip: 4\r\n\r\n",
     get + "X-Real-IP: 1\r\nclient-ip: 3\r\n\r\n",
     {.keep_forwarded = true, .keep_unusual = true, .address_names = &addresses}},
    {"Connection cannot name those either",
     get + "Connection: x-real-ip, x-forwarded-prefix, b\r\nX-Real-IP: 1\r\n"
           "X-Forwarded-Prefix: /a\r\nB: 2\r\n\r\n",
     get + "X-Real-IP: 1\r\nX-Forwarded-Prefix: /a\r\n\r\n",
     {.keep_forwarded = true, .address_names = &addresses}},
    {"what nobody may say",
     get + "X-Original-URL: /a\r\nX_ORIGINAL_URL: /b\r\nX-Original-URI: /c\r\n\r\n",
     get + "X-Original-URI: /c\r\n\r\n",
     {.keep_forwarded = true, .keep_unusual = true, .removed_names = &removed}},
    {"unusual names", get + "X_A: 1\r\nX.B: 2\r\n_: 3\r\nX-C!: 4\r\nX-D9: 5\r\n\r\n",
     get + "X-D9: 5\r\n\r\n"},
    {"unusual names that stay, but for impostors",
     get + "X_A: 1\r\nUnique.Id: 2\r\nContent_Length: 3\r\nX_Forwarded_For: 4\r\n\r\n",
     get + "X_A: 1\r\n\r\n",
     {.id_names = ids, .keep_unusual = true}},
    {"a HEAD that is sent as GET asks for no range",
     "HEAD / HTTP/1.1\r\nHost: h\r\nRange: bytes=0-0\r\nif-range: \"x\"\r\nA: b\r\n\r\n",
     get + "A: b\r\n\r\n",
     {.method = "GET"}},
    {"other ranges stay", get + "Range: bytes=0-0\r\nIf-Range: \"x\"\r\n\r\n",
     get + "Range: bytes=0-0\r\nIf-Range: \"x\"\r\n\r\n"},
    {"OPTIONS goes one hop less", "OPTIONS /a HTTP/1.1\r\nHost: h\r\nmax-forwards: 10\r\n\r\n",
     "OPTIONS /a HTTP/1.1\r\nHost: h\r\nMax-Forwards: 9\r\n\r\n"},
    {"Max-Forwards of others stays", get + "Max-Forwards: 0\r\n\r\n",
     get + "Max-Forwards: 0\r\n\r\n"},
    {"underscore twins of framing",
     get + "Content_Length: 5\r\nTransfer_Encoding: chunked\r\nT: c\r\nC: t\r\n\r\n",
     get + "T: c\r\nC: t\r\n\r\n"},
    {"Via stays",
     get + "Via: 1.1 a\r\n\r\n",
     get + "Via: 1.1 a\r\nVia: 1.1 tg\r\n\r\n",
     {.added = "Via: 1.1 tg\r\n"}},
    {"bytes of values stay", get + "A:\t caf\xc3\xa9  \r\nB:\r\n\r\n",
     get + "A:\t caf\xc3\xa9  \r\nB:\r\n\r\n"},
};

INSTANTIATE_TEST_SUITE_P(All, RewriteRequest, testing::ValuesIn(requests));

struct ResponseCase {
    const char* what;
    std::string in, out;
    ResponseEdits edits = {};
};

void PrintTo(const ResponseCase& c, std::ostream* out) {
    *out << c.what;
}

class RewriteResponse : public testing::TestWithParam<ResponseCase> {};

TEST_P(RewriteResponse, Golden) {
    ResponseHead head;
    const auto progress = parse_response(GetParam().in, HeadLimits{}, false, head);
    ASSERT_TRUE(progress && *progress == Progress::done);
    std::string out = "before|";
    rewrite_response(head, GetParam().edits, out);
    EXPECT_EQ(out, "before|" + GetParam().out);
}

const std::string ok = "HTTP/1.1 200 OK\r\n";

const ResponseCase responses[] = {
    {"nothing to do", ok + "A: b\r\n\r\n", ok + "A: b\r\n\r\n"},
    {"length",
     ok + "Content-Length: 3\r\nA: b\r\n\r\n",
     ok + "A: b\r\nContent-Length: 3\r\nX: y\r\n\r\n",
     {.added = "X: y\r\n", .framing = Framing::length, .content_length = 3}},
    {"chunked",
     ok + "Transfer-Encoding: chunked\r\n\r\n",
     ok + "Transfer-Encoding: chunked\r\n\r\n",
     {.framing = Framing::chunked}},
    {"chunked to a 1.0 client",
     ok + "Transfer-Encoding: chunked\r\n\r\n",
     ok + "Connection: close\r\n\r\n",
     {.framing = Framing::until_close, .client_1_0 = true, .keep_alive = false}},
    {"length to a kept 1.0 client",
     ok + "Content-Length: 3\r\n\r\n",
     ok + "Content-Length: 3\r\nConnection: keep-alive\r\n\r\n",
     {.framing = Framing::length, .content_length = 3, .client_1_0 = true}},
    {"from a 1.0 backend", "HTTP/1.0 404 Not here\r\nA: b\r\n\r\n",
     "HTTP/1.1 404 Not here\r\nA: b\r\n\r\n"},
    {"from a 1.0 backend, no fields", "HTTP/1.0 404 \r\n\r\n", "HTTP/1.1 404 \r\n\r\n"},
    {"length kept for HEAD",
     ok + "Content-Length: 3\r\nA: b\r\n\r\n",
     ok + "Content-Length: 3\r\nA: b\r\n\r\n",
     {.keep_content_length = true}},
    {"length kept though Connection names it",
     ok + "Content-Length: 3\r\nConnection: content-length, a\r\nA: b\r\n\r\n",
     ok + "Content-Length: 3\r\n\r\n",
     {.keep_content_length = true}},
    {"length dropped otherwise", "HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n",
     "HTTP/1.1 204 No\r\n\r\n"},
    {"hop-by-hop",
     ok + "Connection: close, X-A\r\nKeep-Alive: timeout=5\r\nX-A: b\r\nUpgrade: h2\r\nTrailer: "
          "x\r\nServer-Timing: t\r\n"
          "Proxy-Connection: x\r\nX-Accel-Buffering: no\r\n\r\n",
     ok + "Server-Timing: t\r\nX-Accel-Buffering: no\r\n\r\n"},
    {"redirects that are said anew",
     ok + "Location: a\r\nB: c\r\nRefresh: d\r\n\r\n",
     ok + "B: c\r\nLocation: e\r\n\r\n",
     {.added = "Location: e\r\n", .drop_redirects = true}},
    {"ids",
     ok + "X-Request-ID: a\r\nB: c\r\nunique_id: d\r\n\r\n",
     ok + "B: c\r\nUnique-Id: e\r\n\r\n",
     {.id_names = ids, .added = "Unique-Id: e\r\n"}},
    {"several cookies", ok + "Set-Cookie: a\r\nSet-Cookie: b\r\n\r\n",
     ok + "Set-Cookie: a\r\nSet-Cookie: b\r\n\r\n"},
    {"early hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
     "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
};

INSTANTIATE_TEST_SUITE_P(All, RewriteResponse, testing::ValuesIn(responses));

TEST(UnusualNames, AreOnlyThoseThatRewritingKeeps) {
    const auto unusual = [](const std::string& line) {
        RequestHead head;
        const std::string bytes = get + line + ": 1\r\n\r\n";
        EXPECT_TRUE(parse_request(bytes, HeadLimits{}, head));
        return has_unusual_name(head, std::vector<std::string>{"Unique_ID"});
    };
    EXPECT_TRUE(unusual("X_Real_IP"));
    EXPECT_TRUE(unusual("X.Y"));
    EXPECT_FALSE(unusual("X-Real-IP"));
    EXPECT_FALSE(unusual("UNIQUE_ID"));
    for (const char* twin : {"X_Forwarded_For", "Content_Length", "Unique.Id"})
        EXPECT_TRUE(unusual(twin)) << "dropped, were it not refused: " << twin;
}

TEST(CgiName, FoldsAllSpellings) {
    EXPECT_EQ(cgi_name("X_Request-ID"), "x-request-id");
    EXPECT_EQ(cgi_name("Unique.Id9"), "unique-id9");
    EXPECT_TRUE(same_cgi_name("UNIQUE_ID", "unique-id"));
    EXPECT_FALSE(same_cgi_name("UNIQUE_IDS", "unique-id"));
    EXPECT_FALSE(same_cgi_name("UNIQUEXID", "unique-id"));
}

}  // namespace
}  // namespace ticketgate::http

// CONTRACT 5: ids and forwarding headers; RFC 9110 7.6: hop-by-hop fields.
#include <time.h>

#include <ctime>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

TEST(HopByHop, FieldsOfARequestAreDropped) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway
                  .get("/x",
                       "Connection: keep-alive, X-Mine, x-other\r\nX-Mine: 1\r\nX-Other: 2\r\n"
                       "X-Kept: 3\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\nTrailer: X\r\n"
                       "Upgrade: websocket\r\nProxy-Connection: keep-alive\r\nProxy: evil:80\r\n")
                  .status,
              200);
    const auto fields = backend.of("/x").at(0).fields;
    for (const char* name : {"Connection", "X-Mine", "X-Other", "Keep-Alive", "TE", "Trailer",
                             "Upgrade", "Proxy-Connection", "Proxy"})
        EXPECT_FALSE(fields.has(name)) << name;
    EXPECT_EQ(fields.get("X-Kept"), "3");
    EXPECT_EQ(fields.get("Host"), "app.test");
}

TEST(HopByHop, FieldsOfAResponseAreDropped) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.respond(200, "ok",
                     "Connection: X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\n"
                     "Proxy-Connection: close\r\nUpgrade: h2c\r\nX-Kept: 3\r\n"
                     "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n");
    });
    Gateway gateway(one_queue(), with(backend));
    const auto answer = gateway.get("/x");
    for (const char* name : {"Connection", "X-Mine", "Keep-Alive", "Proxy-Connection", "Upgrade"})
        EXPECT_FALSE(answer.fields.has(name)) << name;
    EXPECT_EQ(answer.header("X-Kept"), "3");
    EXPECT_EQ(answer.fields.all("Set-Cookie"), (std::vector<std::string>{"a=1", "b=2"}));
}

TEST(Via, NamesUsInBothDirections) {
    Backend backend;
    backend.on("/x", [](Call& call) { call.respond(200, "ok", "Via: 1.0 inner\r\n"); });
    Gateway gateway(one_queue(), with(backend));
    const auto answer = gateway.get("/x", "Via: 1.1 outer\r\n");
    EXPECT_EQ(backend.of("/x").at(0).fields.all("Via"),
              (std::vector<std::string>{"1.1 outer", "1.1 ticketgate"}));
    EXPECT_EQ(answer.fields.all("Via"), (std::vector<std::string>{"1.0 inner", "1.1 ticketgate"}));
}

TEST(Via, NamesTheVersionOfTheBackendsResponse) {
    Backend backend;
    backend.on("/old", [](Call& call) {
        call.send("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/old").header("Via"), "1.0 ticketgate");
    EXPECT_EQ(gateway.get("/new").header("Via"), "1.1 ticketgate");
}

// RFC 9110 6.6.1: an origin sends Date, and a recipient with a clock adds a missing one.
TEST(Date, IsOnEveryAnswerOnceAndTheBackendsOwnStays) {
    Backend backend;
    const std::string old = "Sun, 06 Nov 1994 08:49:37 GMT";
    backend.on("/dated", [&](Call& call) { call.respond(200, "ok", "Date: " + old + "\r\n"); });
    Gateway gateway(queued_and_free(", max_body: 1"), with(backend));
    EXPECT_EQ(gateway.get("/dated").fields.all("Date"), std::vector<std::string>{old});
    const auto now_of = [&](const Response& answer) {
        std::tm tm{};
        const std::string date = answer.header("Date");
        const char* const end = strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &tm);
        EXPECT_TRUE(end != nullptr && *end == 0) << date;
        return timegm(&tm);
    };
    const std::time_t before = std::time(nullptr);
    for (const auto& answer :
         {gateway.get("/q/x"), gateway.get("/x"), gateway.post("/x", "too large")}) {
        EXPECT_EQ(answer.fields.count("Date"), 1u) << answer.status;
        EXPECT_GE(now_of(answer), before - 1) << answer.status;
        EXPECT_LE(now_of(answer), std::time(nullptr) + 1) << answer.status;
    }
    be_slow(2100ms);
    EXPECT_GT(now_of(gateway.get("/x")), before) << "it goes on";
}

TEST(UpgradeRequired, NamesTheProtocolToUpgradeTo) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.respond(426, "no", "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    });
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/x");
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 426);
    EXPECT_EQ(answer.fields.all("Upgrade"), std::vector<std::string>{"websocket"});
    EXPECT_EQ(answer.fields.all("Connection"), std::vector<std::string>{"upgrade"});
    client.get("/again");
    EXPECT_EQ(client.read().status, 200) << "it is an answer like others";
}

TEST(RequestBytes, ReachTheBackendAsTheClientWroteThem) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/A%2fb//c/../d?x=%zz&y=\"", "X-oDD-cAsE:   two  words \r\n").status,
              200);
    const auto seen = backend.all().at(0);
    EXPECT_EQ(seen.target, "/A%2fb//c/../d?x=%zz&y=\"");
    EXPECT_NE(seen.raw_head.find("X-oDD-cAsE:   two  words \r\n"), std::string::npos);
}

// ── names ──────────────────────────────────────────────────────────────────────────────────────

const std::string folded = "X_Real_User: root\r\nX.Y: 1\r\nX-Usual: 2\r\nUNIQUE_ID: spoofed\r\n";

TEST(UnusualNames, AreDroppedByDefault) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/x", folded).status, 200);
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_FALSE(fields.has("X_Real_User"));
    EXPECT_FALSE(fields.has("X.Y"));
    EXPECT_EQ(fields.get("X-Usual"), "2");
    EXPECT_EQ(fields.get("UNIQUE_ID").size(), 27u) << "ours";
}

// ── claims of a client ─────────────────────────────────────────────────────────────────────────

const std::string claimed =
    "X-Real-IP: 6.6.6.6\r\nx-client-ip: 6.6.6.6\r\nCF-CONNECTING-IP: 6.6.6.6\r\nClient_Ip: "
    "6.6.6.6\r\n"
    "X.Real.IP: 6.6.6.6\r\nTrue-Client-IP: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n"
    "X-Forwarded-Client-Ip: 6.6.6.6\r\nX-Kept: 1\r\n";

TEST(Claims, OfAnAddressReachTheBackendFromATrustedProxyOnly) {
    for (const bool trusted : {false, true}) {
        Backend backend;
        Gateway gateway(one_queue() + "clients: { unusual_names: forward, trusted_proxies: [" +
                            (trusted ? "127.0.0.1" : "192.0.2.1") + "] }\n",
                        with(backend));
        EXPECT_EQ(gateway.get("/x", claimed).status, 200);
        const auto fields = backend.of("/x").at(0).fields;
        EXPECT_EQ(fields.get("X-Kept"), "1");
        for (const char* name : {"X-Real-IP", "X-Client-IP", "CF-Connecting-IP", "True-Client-IP",
                                 "Forwarded", "X-Forwarded-Client-Ip"})
            EXPECT_EQ(fields.has(name), trusted) << name;
        for (const char* name : {"Client_Ip", "X.Real.IP"}) EXPECT_FALSE(fields.has(name)) << name;
    }
}

TEST(Claims, ThatAreRemovedCanBeChosen) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { address_headers: [default, X-Our-CDN] }\n",
                    with(backend));
    EXPECT_EQ(gateway.get("/a", claimed + "X-Our-CDN: 6.6.6.6\r\n").status, 200);
    EXPECT_FALSE(backend.of("/a").at(0).fields.has("X-Our-CDN"));
    EXPECT_FALSE(backend.of("/a").at(0).fields.has("X-Real-IP"));
    ASSERT_TRUE(gateway.reload(one_queue() + "clients: { address_headers: [] }\n"));
    EXPECT_EQ(gateway.get("/b", claimed).status, 200);
    EXPECT_EQ(backend.of("/b").at(0).header("X-Real-IP"), "6.6.6.6");
}

TEST(Claims, OfAnotherPathAreDropped) {
    const std::string other = "X-Original-URL: /q\r\nX-Rewrite-URL: /q\r\nx_original_url: /q\r\n";
    Backend backend;
    Gateway gateway(
        queued_and_free() + "clients: { unusual_names: forward, trusted_proxies: [127.0.0.1] }\n",
        with(backend));
    EXPECT_EQ(gateway.get("/free", other).status, 200);
    const auto fields = backend.of("/free").at(0).fields;
    for (const char* name : {"X-Original-URL", "X-Rewrite-URL", "x_original_url"})
        EXPECT_FALSE(fields.has(name)) << name;
}

TEST(Claims, OfAnotherMethodDoNotPassTheLine) {
    const auto yaml = [](const std::string& policy) {
        return one_queue(", skip_methods: [GET], method_override: " + policy);
    };
    const std::string header = "X-HTTP-Method-Override: DELETE\r\n";
    Backend backend;
    Gateway gateway(yaml("queue"), with(backend));
    std::size_t requests = 0;
    const auto queued = [&](const std::string& target, const std::string& lines = {}) {
        EXPECT_EQ(gateway.get(target, lines).status, 200);
        return gateway.log(++requests).back().contains("queue");
    };
    EXPECT_FALSE(queued("/x?a=1"));
    EXPECT_TRUE(queued("/x", header));
    EXPECT_TRUE(queued("/x?_method=DELETE"));
    EXPECT_EQ(backend.all().at(1).header("X-HTTP-Method-Override"), "DELETE");
    ASSERT_TRUE(gateway.reload(yaml("remove")));
    EXPECT_FALSE(queued("/x", header));
    EXPECT_EQ(backend.all().at(3).header("X-HTTP-Method-Override"), "");
    EXPECT_TRUE(queued("/x?%5Fmethod=DELETE"));
    ASSERT_TRUE(gateway.reload(yaml("forward")));
    EXPECT_FALSE(queued("/x?_method=DELETE", header));
    EXPECT_EQ(backend.all().back().header("X-HTTP-Method-Override"), "DELETE");
}

TEST(UnusualNames, AreForwardedIfConfigured) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { unusual_names: forward }\n", with(backend));
    EXPECT_EQ(gateway.get("/x", folded).status, 200);
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(fields.get("X_Real_User"), "root");
    EXPECT_EQ(fields.get("X.Y"), "1");
    EXPECT_EQ(fields.all("UNIQUE_ID").size(), 1u);
    EXPECT_NE(fields.get("UNIQUE_ID"), "spoofed");
}

TEST(UnusualNames, AreRefusedExceptForAnIdHeader) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { unusual_names: refuse }\n", with(backend));
    EXPECT_EQ(gateway.get("/x", folded).status, 400);
    EXPECT_EQ(backend.all().size(), 0u);
    for (const char* name : {"Content_Length", "X_Forwarded_For", "Unique_Id2", "Unique.Id"})
        EXPECT_EQ(gateway.get("/x", std::string(name) + ": 1\r\n").status, 400) << name;
    EXPECT_EQ(gateway.get("/x", "UNIQUE_ID: a\r\nUnique-Id: b\r\n").status, 200)
        << "a ticketgate in front says so";
}

const std::string spoofed_forwarding =
    "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.test\r\n"
    "X-Forwarded-Port: 666\r\nForwarded: for=6.6.6.6\r\nX_Forwarded_For: 6.6.6.6\r\n"
    "X-Request-Start: t=1\r\n";

TEST(XForwarded, OfAStrangerIsReplaced) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/x", spoofed_forwarding).status, 200);
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(fields.all("X-Forwarded-For"), std::vector<std::string>{"127.0.0.1"});
    EXPECT_EQ(fields.all("X-Forwarded-Proto"), std::vector<std::string>{"http"});
    EXPECT_EQ(fields.all("X-Forwarded-Host"), std::vector<std::string>{"app.test"});
    EXPECT_EQ(fields.count("X-Forwarded-Port"), 1u);
    EXPECT_EQ(fields.get("X-Forwarded-Port"), "80") << "as its Host and scheme say";
    EXPECT_FALSE(fields.has("Forwarded"));
    EXPECT_FALSE(fields.has("X_Forwarded_For"));
    EXPECT_EQ(fields.count("X-Request-Start"), 1u);
    const std::string start = fields.get("X-Request-Start");
    EXPECT_EQ(start.substr(0, 3), "t=1") << "t=<microseconds>, of this century";
    EXPECT_EQ(start.size(), 18u);
}

TEST(XForwarded, OfATrustedPeerOnAUnixSocketIsKept) {
    for (const bool trusted : {true, false}) {
        Backend backend;
        Gateway gateway("listen: [{ address: \"unix:${TMP}/s\" }]\n" + one_queue() +
                            (trusted ? "clients: { trusted_proxies: [unix] }\n" : ""),
                        with(backend));
        EXPECT_EQ(gateway.get("/x", spoofed_forwarding).status, 200);
        const auto chain = backend.of("/x").at(0).fields.all("X-Forwarded-For");
        EXPECT_EQ(chain,
                  trusted ? std::vector<std::string>{"6.6.6.6"} : std::vector<std::string>{});
        EXPECT_EQ(gateway.log(1).at(0).at("client_ip").as_string(), trusted ? "6.6.6.6" : "unix");
    }
}

TEST(XForwarded, OfATrustedProxyIsExtended) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { trusted_proxies: [127.0.0.0/8] }\n", with(backend));
    EXPECT_EQ(gateway.get("/x", spoofed_forwarding).status, 200);
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(fields.all("X-Forwarded-For"), std::vector<std::string>{"6.6.6.6, 127.0.0.1"});
    EXPECT_EQ(fields.all("X-Forwarded-Proto"), std::vector<std::string>{"https"});
    EXPECT_EQ(fields.all("X-Forwarded-Host"), std::vector<std::string>{"evil.test"});
    EXPECT_EQ(fields.all("X-Forwarded-Port"), std::vector<std::string>{"666"});
    EXPECT_FALSE(fields.has("X_Forwarded_For"));
    EXPECT_EQ(gateway.log(1).at(0).at("client_ip").as_string(), "6.6.6.6");
}

TEST(Traceparent, PassesThrough) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    EXPECT_EQ(gateway.get("/x", "traceparent: " + trace + "\r\n").status, 200);
    EXPECT_EQ(backend.of("/x").at(0).header("traceparent"), trace);
}

// ── ids ──────────────────────────────────────────────────────────────────────────────────────────

class Ids : public testing::TestWithParam<const char*> {};

TEST_P(Ids, AreTheSameInRequestResponseAndLog) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    const auto answer = gateway.get(GetParam());
    const auto fields = backend.all().at(0).fields;
    const auto line = gateway.log(1).at(0);
    const std::string request_id = fields.get("X-Request-Id"), unique_id = fields.get("Unique-Id");
    EXPECT_EQ(request_id.size(), 20u);
    EXPECT_EQ(unique_id.size(), 27u);
    EXPECT_EQ(fields.all("UNIQUE_ID"), std::vector<std::string>{unique_id});
    EXPECT_EQ(answer.header("X-Request-Id"), request_id);
    EXPECT_EQ(answer.header("Unique-Id"), unique_id);
    EXPECT_EQ(line.at("request_id").as_string(), request_id);
    EXPECT_EQ(line.at("unique_id").as_string(), unique_id);
}

TEST_P(Ids, OfTheClientAreDroppedInEverySpelling) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    const std::vector<std::string> spellings{
        "X-Request-Id", "x-request-id", "X_Request_Id", "X-Request_ID", "x_request-id",
        "X.Request.Id", "UNIQUE_ID",    "unique_id",    "Unique-Id",    "unique-id",
        "UNIQUE-ID",    "Unique.Id",    "uNiQuE_iD"};
    std::string lines;
    for (const auto& name : spellings) lines += name + ": spoofed\r\n";
    EXPECT_EQ(gateway.get(GetParam(), lines).status, 200);
    const auto seen = backend.all().at(0);
    EXPECT_EQ(seen.raw_head.find("spoofed"), std::string::npos) << seen.raw_head;
    EXPECT_EQ(seen.fields.count("X-Request-Id"), 1u);
    EXPECT_EQ(seen.fields.count("Unique-Id"), 1u);
    EXPECT_EQ(seen.fields.count("UNIQUE_ID"), 1u);
}

TEST_P(Ids, OfTheBackendsAnswerAreReplacedByOurs) {
    Backend backend;
    backend.on(GetParam(), [](Call& call) {
        call.respond(200, "ok", "X-Request-Id: theirs\r\nUnique-Id: theirs\r\n");
    });
    Gateway gateway(queued_and_free(), with(backend));
    const auto answer = gateway.get(GetParam());
    EXPECT_EQ(answer.raw_head.find("theirs"), std::string::npos);
    EXPECT_EQ(answer.fields.count("X-Request-Id"), 1u);
}

TEST_P(Ids, AreNeverTheSameTwice) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    std::set<std::string> ids;
    for (int i = 0; i < 200; ++i) {
        client.get(GetParam());
        const auto answer = client.read();
        ids.insert(answer.header("X-Request-Id"));
        ids.insert(answer.header("Unique-Id"));
    }
    EXPECT_EQ(ids.size(), 400u);
}

INSTANTIATE_TEST_SUITE_P(Routes, Ids, both_kinds, kind);

TEST(IdHeaders, HaveTheNamesOfTheConfig) {
    Backend backend;
    Gateway gateway(
        one_queue() + "ids: { request_id: { header: X-Trace }, unique_id: { header: X-Unique } }\n",
        with(backend));
    const auto answer = gateway.get("/x", "x_trace: spoofed\r\nX-Request-Id: the-clients-own\r\n");
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(fields.get("X-Trace"), answer.header("X-Trace"));
    EXPECT_EQ(fields.get("X-Unique").size(), 27u);
    EXPECT_FALSE(fields.has("UNIQUE_ID"));
    EXPECT_FALSE(fields.has("x_trace"));
    EXPECT_EQ(fields.get("X-Request-Id"), "the-clients-own") << "no id header here";
}

// ── the access log ───────────────────────────────────────────────────────────────────────────────

TEST(AccessLog, HasThePlaceInLineAndTheTimes) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 2));
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    const auto line = gateway.log(3).at(2);
    EXPECT_EQ(line.at("path").as_string(), "/next?2");
    EXPECT_EQ(line.at("method").as_string(), "GET");
    EXPECT_EQ(line.at("status").as_int64(), 200);
    EXPECT_EQ(line.at("upstream_status").as_int64(), 200);
    EXPECT_EQ(line.at("bytes").as_int64(), 7);
    EXPECT_EQ(line.at("queue").as_string(), "q");
    EXPECT_EQ(line.at("number").as_int64(), 3);
    EXPECT_EQ(line.at("position").as_int64(), 1);
    EXPECT_EQ(line.at("blocked_by").as_int64(), 1);
    EXPECT_EQ(line.at("outcome").as_string(), "admitted");
    EXPECT_EQ(line.at("client_ip").as_string(), "127.0.0.1");
    for (const char* time : {"duration_ms", "queue_wait_ms", "hold_ms", "upstream_ms"})
        EXPECT_GT(line.at(time).to_number<double>(), 0) << time;
}

TEST(AccessLog, EscapesWhatAClientWrites) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.send("GET /x?\"\\<\x7f HTTP/1.1\r\nHost: a\r\n\r\n");
    (void)client.read();
    client.close();
    EXPECT_EQ(gateway.log(1).size(), 1u) << "each line is one JSON object, whatever the target";
}

}  // namespace
}  // namespace ticketgate::test

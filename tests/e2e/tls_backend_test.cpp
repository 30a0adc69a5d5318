// TLS to backends: their identity, kept connections, and ends that may be truncations.
#include <sys/socket.h>
#include <unistd.h>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

std::string upstream(const std::string& tls, const std::string& settings = {}) {
    return "upstreams: { app: { url: \"${BACKEND}\", tls: { " + tls +
           " } } }\n"
           "defaults: { upstream: app" +
           settings +
           " }\n"
           "routes: [{ prefix: /, routes: [{ prefix: /q, queue: q }] }]\n";
}

const std::string trusted = "ca_file: \"${CA}\"";

struct TlsBackend {
    explicit TlsBackend(const std::string& yaml = upstream(trusted + ", server_name: localhost"))
        : gateway(yaml, trust.with(backend)) {}
    Trust trust;
    Backend backend{TlsEnd::server(trust.files)};
    Gateway gateway;
};

class TlsBackends : public testing::TestWithParam<const char*> {};

TEST_P(TlsBackends, AreReachedOverConnectionsThatAreKept) {
    TlsBackend house;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(house.gateway.get(GetParam()).body, GetParam());
    EXPECT_EQ(house.backend.connections(), 1) << "a session ticket must not look like a byte";
    EXPECT_EQ(house.gateway.post(GetParam(), "body").status, 200);
    EXPECT_EQ(house.backend.connections(), 2) << "what must not be sent twice has its own";
}

TEST_P(TlsBackends, GetAndGiveBodiesWhole) {
    TlsBackend house;
    house.backend.on(GetParam(), [](Call& call) { call.respond(200, call.seen().body); });
    Client client = house.gateway.client();
    for (const std::size_t size : {1u, 16'384u, 65'537u, 3'000'000u}) {
        const std::string body = pattern(size);
        client.request("POST", GetParam(), {}, body);
        EXPECT_TRUE(client.read().body == body) << size;
    }
}

// Bytes that are not TLS end the answer, but the backend may still work.
TEST(TlsBackend, ThatStopsSpeakingTlsHoldsItsSlotUntilItEndsTheConnection) {
    for (const bool with_head : {false, true}) {
        TlsBackend house;
        house.backend.on("/q/broken", [&](Call& call) {
            if (with_head) call.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it");
            call.send_past_tls("this is no record of TLS at all\r\n");
            call.wait_for("work");
            call.drop();
        });
        (void)house.gateway.get("/q/warm");
        const auto answer = house.gateway.get("/q/broken");
        EXPECT_FALSE(answer.status == 200 && answer.whole());
        Client next = house.gateway.client();
        next.get("/q/next");
        ASSERT_TRUE(house.gateway.wait_for_waiting("q", 1));
        EXPECT_EQ(house.gateway.line("q").in_flight, 1u);
        EXPECT_EQ(house.backend.count("/q/next"), 0u);
        house.backend.release("work");
        EXPECT_EQ(next.read().status, 200);
        EXPECT_EQ(house.backend.count("/q/broken"), 1u) << "it was not sent again";
        EXPECT_EQ(house.backend.most_in_flight(), 1);
    }
}

TEST(TlsBackend, ThatStopsSpeakingTlsAndKeepsItsConnectionGetsAFin) {
    for (const std::string head :
         {"", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it",
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhalf of it"}) {
        for (const std::size_t size : {0u, 3'000'000u}) {
            TlsBackend house;
            house.backend.on_head("/q/broken", [&](Call& call) {
                if (!head.empty()) call.send(head);
                call.send_past_tls("this is no record of TLS at all\r\n");
                call.drop_to_fin();
                call.drop();
            });
            Client client = house.gateway.client();
            client.request("PUT", "/q/broken", {}, std::string(size, 'b'));
            const auto answer = client.read();
            EXPECT_FALSE(answer.status == 200 && answer.whole()) << head;
            EXPECT_EQ(house.gateway.get("/q/next").status, 200) << head;
        }
    }
}

TEST_P(TlsBackends, EndABodyWithCloseNotify) {
    TlsBackend house;
    house.backend.on(GetParam(), [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it");
        call.close();
    });
    const Response response = house.gateway.get(GetParam());
    EXPECT_TRUE(response.whole()) << response.fault;
    EXPECT_EQ(response.body, "all of it");
}

TEST_P(TlsBackends, WithoutCloseNotifyTheEndCutsTheAnswer) {
    TlsBackend house;
    house.backend.on(GetParam(), [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nnot all of it");
        call.drop();
    });
    const Response response = house.gateway.get(GetParam());
    EXPECT_FALSE(response.whole());
    Client old = house.gateway.client();
    old.send(std::string("GET ") + GetParam() + " HTTP/1.0\r\n\r\n");
    (void)old.reader().rest();
    EXPECT_EQ(old.reader().status(), Socket::Status::reset);
}

TEST_P(TlsBackends, ThatCloseAnIdleConnectionGetANewOne) {
    TlsBackend house;
    for (int i = 1; i <= 3; ++i) {
        EXPECT_EQ(house.gateway.get(GetParam()).status, 200);
        house.backend.close_idle();
    }
    EXPECT_EQ(house.gateway.post(GetParam(), "x").status, 200);
}

TEST_P(TlsBackends, GetNoRequestAgainThatTheyHaveReceived) {
    TlsBackend house;
    house.backend.on("/die", [](Call& call) {
        if (call.seen().on_connection > 1) return call.close();
        call.respond(200);
    });
    EXPECT_EQ(house.gateway.get("/die").status, 200);
    EXPECT_EQ(house.gateway.get("/die").status, 502);
    EXPECT_EQ(house.backend.count("/die"), 2u);
    EXPECT_EQ(house.gateway.post("/die", "x").status, 200) << "on a connection of its own";
    EXPECT_EQ(house.backend.count("/die"), 3u);
}

INSTANTIATE_TEST_SUITE_P(Both, TlsBackends, both_kinds, kind);

// ── identity ──

TEST(TlsBackendTrust, AnUntrustedBackendGetsNoRequest) {
    for (const std::string& tls :
         {std::string("server_name: localhost"), trusted, trusted + ", server_name: other.test"}) {
        TlsBackend house(upstream(tls));
        EXPECT_EQ(house.gateway.get("/q").status, 502) << tls;
        EXPECT_EQ(house.gateway.get("/free").status, 502) << tls;
        EXPECT_EQ(house.backend.all().size(), 0u);
    }
    TlsBackend house(upstream("verify: off"));
    EXPECT_EQ(house.gateway.get("/q").status, 200);
}

TEST(TlsBackendTrust, OnBackendErrorAnswersForAnUntrustedBackend) {
    TlsBackend house(upstream(trusted, ", on_backend_error: { status: 555, body: nobody }"));
    EXPECT_EQ(house.gateway.get("/q").status, 555);
}

TEST(TlsBackendTrust, ABackendWithoutTlsGives502) {
    const Trust trust;
    Backend behind;
    const Gateway plain(one_queue(), with(behind));  // answers a ClientHello with an HTTP 400
    Gateway gateway(upstream(trusted), {{"BACKEND", "https://" + plain.address().text()},
                                        {"CA", trust.authority.file()}});
    EXPECT_EQ(gateway.get("/q").status, 502);
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
}

TEST(TlsBackendTrust, OurOwnCertificateIsShown) {
    Trust trust;
    const KeyFiles own = trust.authority.issue("own");
    TlsEnd end = TlsEnd::server(trust.files);
    Backend backend(end.takes_from(trust.authority.file()));
    const std::string known = trusted + ", server_name: localhost";
    Gateway without(upstream(known), trust.with(backend));
    EXPECT_EQ(without.get("/q").status, 502);
    Gateway with(upstream(known + ", certificate: \"${CERTIFICATES}/own.pem\", key: "
                                  "\"${CERTIFICATES}/own.key\""),
                 trust.with(backend));
    EXPECT_EQ(with.get("/q").status, 200);
}

TEST(TlsBackendTrust, ConnectTimeoutCoversTheHandshake) {
    Trust trust;
    const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    net::Endpoint at = *net::Endpoint::from_ip("127.0.0.1", 0);
    ASSERT_EQ(::bind(silent, at.address(), at.size()), 0);
    ASSERT_EQ(::listen(silent, 8), 0);
    socklen_t size = sizeof(sockaddr_storage);
    ::getsockname(silent, at.address(), &size);
    Gateway gateway(upstream(trusted, ", connect_timeout: 100ms"),
                    {{"BACKEND", "https://" + at.text()}, {"CA", trust.authority.file()}});
    EXPECT_EQ(gateway.get("/q").status, 504);
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
    ::close(silent);
}

TEST(TlsBackendTrust, AReloadReadsTheAuthoritiesAnew) {
    TlsBackend house;
    EXPECT_EQ(house.gateway.get("/q").status, 200);
    const Authority stranger;
    std::filesystem::copy_file(stranger.file(), house.trust.authority.file(),
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(house.gateway.get("/q").status, 200);
    EXPECT_TRUE(house.gateway.reload(upstream(trusted + ", server_name: localhost")));
    EXPECT_EQ(house.gateway.get("/q").status, 502) << "not on the old connection either";
}

}  // namespace
}  // namespace ticketgate::test

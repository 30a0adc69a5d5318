// TLS to clients: the promises for plain HTTP hold here too; and behaviour specific to TLS.
#include <openssl/ssl.h>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

TEST(TlsClients, AreServedAndTheBackendLearnsTheScheme) {
    House house(one_queue());
    const Response response = house.gateway.get("/x", "X-Forwarded-Proto: http\r\n");
    EXPECT_EQ(response.body, "/x");
    const Seen seen = house.backend.of("/x").at(0);
    EXPECT_EQ(seen.fields.all("X-Forwarded-Proto"), std::vector<std::string>{"https"});
    const auto line = house.gateway.log(1).at(0);
    EXPECT_EQ(line.at("tls").as_string(), "TLSv1.3");
    EXPECT_TRUE(line.at("tls_cipher").as_string().starts_with("TLS_"));
}

TEST(TlsClients, StandInOneLineWithTheOthers) {
    House house(one_queue());
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, numbered("/next", 1, 8));
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    auto expected = numbered("/next", 1, 8);
    expected.insert(expected.begin(), "/first");
    EXPECT_EQ(house.backend.order(), expected);
    EXPECT_EQ(house.backend.most_in_flight(), 1);
}

TEST(TlsClients, KeepTheirConnectionAndPipeline) {
    House house(one_queue());
    Client client = house.gateway.client();
    for (int i = 0; i < 3; ++i) {
        client.send(
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\n"
            "Content-Length: 3\r\n\r\nxyzGET /c HTTP/1.1\r\nHost: a\r\n\r\n");
        for (const char* path : {"/a", "/b", "/c"}) EXPECT_EQ(client.read().body, path);
    }
}

class TlsBodies : public testing::TestWithParam<const char*> {};

TEST_P(TlsBodies, ArriveWholeBothWays) {
    House house(queued_and_free());
    const auto echo = [](Call& call) { call.respond(200, call.seen().body); };
    house.backend.on("/q", echo);
    house.backend.on("/free", echo);
    Client client = house.gateway.client();
    for (const std::size_t size : {1u, 16'384u, 65'536u, 65'537u, 3'000'000u}) {
        const std::string body = pattern(size);
        client.request("POST", GetParam(), {}, body);
        EXPECT_TRUE(client.read().body == body) << size;
    }
}

TEST_P(TlsBodies, ASlowReaderGetsAllOfIt) {
    House house(queued_and_free());
    const std::string body = pattern(8'000'000);
    const auto answer = [&](Call& call) { call.respond(200, body); };
    house.backend.on("/q", answer);
    house.backend.on("/free", answer);
    Client client = house.gateway.slow_reader();
    client.get(GetParam());
    std::string head = client.reader().through("\r\n\r\n");
    std::string received;
    while (received.size() < body.size() / 50) {
        if (!client.reader().exactly(10'000, received)) break;
        be_slow(1ms);
    }
    client.reader().exactly(body.size() - received.size(), received);
    EXPECT_TRUE(received == body) << received.size();
}

TEST_P(TlsBodies, InChunksPassInBothDirections) {
    House house(queued_and_free());
    const auto echo = [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string body = call.seen().body;
        for (std::size_t at = 0; at < body.size(); at += 7000)
            call.send(chunk(std::string_view(body).substr(at, 7000)));
        call.finish("0\r\n\r\n");
    };
    house.backend.on("/q", echo);
    house.backend.on("/free", echo);
    Client client = house.gateway.client();
    const std::string body = pattern(300'000);
    client.send(std::string("POST ") + GetParam() +
                " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(body) +
                "0\r\n\r\n");
    EXPECT_TRUE(client.read().body == body);
}

INSTANTIATE_TEST_SUITE_P(Both, TlsBodies, both_kinds, kind);

TEST(TlsClients, GetACloseNotifyAtTheEnd) {
    House house(one_queue());
    Client client = house.gateway.client();
    client.get("/x", "Connection: close\r\n");
    EXPECT_TRUE(client.read().whole());
    EXPECT_TRUE(client.ends());
    EXPECT_TRUE(client.socket().told_end());
}

TEST(TlsClients, CanTellACutFromAnEnd) {
    House house(one_queue());
    house.backend.on("/cut", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
        call.close();
    });
    Client client = house.gateway.client();
    client.send("GET /cut HTTP/1.0\r\n\r\n");
    (void)client.reader().rest();
    EXPECT_FALSE(client.socket().told_end());
}

TEST(TlsClients, MayUpgradeTheirConnection) {
    House house(one_queue());
    house.backend.on("/ws", [](Call& call) {
        call.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
        for (std::string bytes; !(bytes = call.receive()).empty();) call.send(bytes);
        call.finish();
    });
    Client client = house.gateway.client();
    client.get("/ws", "Connection: upgrade\r\nUpgrade: websocket\r\n");
    EXPECT_EQ(client.read_to_head().status, 101);
    for (const std::size_t size : {1u, 20'000u, 200'000u}) {
        const std::string bytes = pattern(size);
        client.send(bytes);
        EXPECT_TRUE(client.reader().take(size) == bytes) << size;
    }
    client.half_close();
    EXPECT_TRUE(client.ends());
    EXPECT_TRUE(client.socket().told_end());
}

// ── peers without TLS or with unsupported TLS ──

TEST(TlsPort, AnswersPlainHttpWithoutTlsAndForwardsNothing) {
    House house(one_queue());
    Client plain(house.gateway.address());
    plain.get("/x");
    const Response response = plain.read();
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.body.find("plain HTTP was sent to a port that speaks HTTPS"),
              std::string::npos);
    EXPECT_TRUE(plain.ends());
    EXPECT_EQ(house.backend.all().size(), 0u);
    EXPECT_EQ(house.gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})"), 1);
    EXPECT_EQ(house.gateway.log(1).at(0).at("status").as_int64(), 400);
}

TEST(TlsPort, ClosesAtAHelloThatAnnouncesTooMuch) {
    House house(one_queue());
    Client client(house.gateway.address());
    client.send(std::string("\x16\x03\x01\0\x09\x01\x01\xff\xff\x03\x03xxx", 14));
    EXPECT_EQ(client.reader().rest(), std::string("\x15\x03\x03\0\x02\x02\x2f", 7));
    EXPECT_EQ(house.gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})"), 1);
    EXPECT_EQ(house.gateway.get("/x").status, 200);
}

TEST(TlsPort, AnswersAPlainHeadWithoutABody) {
    House house(one_queue());
    Client plain(house.gateway.address());
    plain.request("HEAD", "/x");
    EXPECT_EQ(plain.read_to_head().status, 400);
    EXPECT_TRUE(plain.ends());
}

TEST(TlsPort, AnswersALongPlainUploadToo) {
    House house(one_queue());
    Client plain(house.gateway.address());
    plain.request("POST", "/x", {}, pattern(500'000));
    EXPECT_EQ(plain.read().status, 400);
    EXPECT_EQ(house.backend.all().size(), 0u);
}

TEST(TlsPort, WaitsForAHandshakeAsLongAsForAHead) {
    House house(one_queue() + "clients: { head_timeout: 100ms }\n");
    Client silent(house.gateway.address());
    EXPECT_TRUE(silent.ends());
    Client begun(house.gateway.address());
    begun.send("\x16\x03\x01");
    EXPECT_TRUE(begun.ends());
    EXPECT_TRUE(eventually([&] { return house.gateway.connections() == 0; }));
}

TEST(TlsPort, RefusesClientsWithoutHttp1) {
    House house(one_queue());
    const auto fault = [&](const std::string& protocols) {
        TlsEnd end = house.trust.client();
        end.speaks(protocols);
        return Client(house.gateway.address(), end).socket().tls_fault();
    };
    EXPECT_EQ(fault("\x02h2"), "tlsv1 alert no application protocol");
    EXPECT_EQ(fault("\x02h2\x08http/1.1"), "");
}

TEST(TlsPort, ResumesSessions) {
    House house(one_queue());
    TlsEnd end = house.trust.client();
    house.gateway.speak(end.resuming());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(house.gateway.get("/x").status, 200);
    const auto count = [&](const std::string& result) {
        return house.gateway.metric("ticketgate_tls_handshakes_total{result=\"" + result + "\"}");
    };
    EXPECT_EQ(count("full"), 1);
    EXPECT_EQ(count("resumed"), 2);
    EXPECT_TRUE(house.gateway.reload(https(one_queue())));
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    EXPECT_EQ(count("full"), 2) << "a reload begins anew";
}

TEST(TlsPort, RefusesOldVersions) {
    House house(one_queue(), ", min_version: 1.3");
    TlsEnd old = house.trust.client();
    old.only(TLS1_2_VERSION);
    EXPECT_EQ(Client(house.gateway.address(), old).socket().tls_fault(),
              "tlsv1 alert protocol version");
    EXPECT_EQ(house.gateway.get("/x").status, 200);
}

TEST(TlsPort, ServesTls12) {
    House house(one_queue());
    TlsEnd old = house.trust.client();
    house.gateway.speak(old.only(TLS1_2_VERSION));
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    EXPECT_EQ(house.gateway.log(1).at(0).at("tls").as_string(), "TLSv1.2");
}

// ── behind a proxy, and with two keys ──

std::string behind_proxy(const std::string& yaml) {
    std::string whole = https(yaml);
    return whole.insert(whole.find("tls:"), "proxy_protocol: true, ");
}

// The header comes in front of the handshake, in the same packet or byte by byte.
TEST(TlsPort, TakesAProxyHeaderBeforeTheHandshake) {
    const Trust trust;
    Backend backend;
    Gateway gateway(behind_proxy(one_queue()), trust.with(backend));
    const std::string header = "PROXY TCP4 203.0.113.9 10.0.0.1 40000 8443\r\n";
    for (const std::size_t piece : {header.size(), std::size_t{1}}) {
        Client client(gateway.address());
        for (std::size_t at = 0; at < header.size(); at += piece)
            client.send(header.substr(at, piece));
        ASSERT_TRUE(client.socket().secure(trust.client())) << client.socket().tls_fault();
        client.get("/who");
        EXPECT_EQ(client.read().status, 200);
    }
    for (const auto& seen : backend.all()) {
        EXPECT_EQ(seen.header("X-Forwarded-For"), "203.0.113.9");
        EXPECT_EQ(seen.header("X-Forwarded-Proto"), "https");
        EXPECT_EQ(seen.header("X-Forwarded-Port"), "8443");
    }
    EXPECT_EQ(gateway.log(2).at(1).at("client_ip").as_string(), "203.0.113.9");
    EXPECT_EQ(gateway.log(2).at(1).at("tls").as_string(), "TLSv1.3");
}

TEST(TlsPort, RefusesAHandshakeWithoutTheProxyHeader) {
    const Trust trust;
    Backend backend;
    Gateway gateway(behind_proxy(one_queue()), trust.with(backend));
    Client client(gateway.address());
    EXPECT_FALSE(client.socket().secure(trust.client()));
    EXPECT_EQ(backend.all().size(), 0u);
}

// A port with an ECDSA key and an RSA key, and clients that support one kind only, as old clients
// support only RSA.
struct TwoKeys {
    static constexpr const char* ecdsa = "ECDSA+SHA256";
    static constexpr const char* rsa = "RSA-PSS+SHA256";
    static constexpr const char* both = "ECDSA+SHA256:RSA-PSS+SHA256";
    static constexpr int none = 0;

    TwoKeys(const std::string& ecdsa_name, const std::string& rsa_name, bool rsa_first)
        : gateway(listening(rsa_first), with_keys(ecdsa_name, rsa_name)) {}

    // Returns the kind of key shown to a client that asks for this name; empty: for no name.
    int shown(const std::string& name, const char* signatures) const {
        TlsEnd end = TlsEnd::client("", name);
        Client client(gateway.address(), end.signs(signatures));
        X509* certificate = SSL_get0_peer_certificate(client.socket().tls());
        return certificate == nullptr ? none : EVP_PKEY_get_base_id(X509_get0_pubkey(certificate));
    }

    Trust trust;
    Backend backend;
    Gateway gateway;

 private:
    static std::string listening(bool rsa_first) {
        const std::string ecdsa_pair = "{ certificate: \"${EC_PEM}\", key: \"${EC_KEY}\" }";
        const std::string rsa_pair = "{ certificate: \"${RSA_PEM}\", key: \"${RSA_KEY}\" }";
        return "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [" +
               (rsa_first ? rsa_pair + ", " + ecdsa_pair : ecdsa_pair + ", " + rsa_pair) +
               "] } }]\n" + one_queue();
    }
    Variables with_keys(const std::string& ecdsa_name, const std::string& rsa_name) {
        Wanted wanted;
        wanted.names = {ecdsa_name};
        const KeyFiles first = trust.authority.issue("new", wanted);
        wanted.names = {rsa_name};
        wanted.rsa = true;
        const KeyFiles second = trust.authority.issue("old", wanted);
        return {{"BACKEND", backend.url()},
                {"EC_PEM", first.certificate},
                {"EC_KEY", first.key},
                {"RSA_PEM", second.certificate},
                {"RSA_KEY", second.key}};
    }
};

TEST(TlsPort, ShowsTheKeyThatTheClientCanUse) {
    const TwoKeys port("localhost", "localhost", false);
    for (const char* name : {"localhost", "", "unknown.test"}) {
        EXPECT_EQ(port.shown(name, TwoKeys::rsa), EVP_PKEY_RSA) << name;
        EXPECT_EQ(port.shown(name, TwoKeys::ecdsa), EVP_PKEY_EC) << name;
    }
    EXPECT_EQ(port.shown("localhost", TwoKeys::both), EVP_PKEY_EC);
}

TEST(TlsPort, ShowsAWildcardToClientsThatCannotUseTheExactNamesKey) {
    const TwoKeys port("*.site.test", "a.site.test", true);
    EXPECT_EQ(port.shown("a.site.test", TwoKeys::both), EVP_PKEY_RSA);
    EXPECT_EQ(port.shown("a.site.test", TwoKeys::rsa), EVP_PKEY_RSA);
    EXPECT_EQ(port.shown("a.site.test", TwoKeys::ecdsa), EVP_PKEY_EC);
    EXPECT_EQ(port.shown("b.site.test", TwoKeys::ecdsa), EVP_PKEY_EC);
}

TEST(TlsPort, NeverShowsTheKeyOfAnotherSite) {
    const TwoKeys port("other.test", "site.test", true);
    EXPECT_EQ(port.shown("", TwoKeys::both), EVP_PKEY_RSA);
    EXPECT_EQ(port.shown("", TwoKeys::ecdsa), TwoKeys::none);
    EXPECT_EQ(port.shown("site.test", TwoKeys::ecdsa), TwoKeys::none);
}

// ── reload ──

std::string subject_shown(const Gateway& gateway, const TlsEnd& end) {
    Client client(gateway.address(), end);
    X509* shown = SSL_get0_peer_certificate(client.socket().tls());
    if (shown == nullptr) return client.socket().tls_fault();
    char text[100];
    X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, text, sizeof(text));
    return text;
}

TEST(TlsReload, ShowsTheNewCertificateToNewConnectionsOnly) {
    House house(one_queue());
    Client old = running(house.gateway, house.backend, "/old");
    EXPECT_EQ(subject_shown(house.gateway, house.trust.client()), "a test");
    Wanted renewed;
    renewed.common_name = "renewed";
    (void)house.trust.authority.issue("localhost", renewed);
    EXPECT_EQ(subject_shown(house.gateway, house.trust.client()), "a test");
    EXPECT_TRUE(house.gateway.reload(https(one_queue())));
    EXPECT_EQ(subject_shown(house.gateway, house.trust.client()), "renewed");
    house.backend.release("/old");
    EXPECT_EQ(old.read().body, "/old");
    old.get("/again");
    EXPECT_EQ(old.read().body, "/again");
}

TEST(TlsReload, KeepsTheOldCertificatesIfANewOneIsBad) {
    House house(one_queue());
    const std::string two =
        "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ certificate: "
        "\"${CERTIFICATE}\", key: \"${KEY}\" }, { certificate: \"${CERTIFICATE}\", key: "
        "\"${CERTIFICATES}/none\" }] } }]\n";
    EXPECT_FALSE(house.gateway.reload(two + one_queue()));
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    const KeyFiles other = house.trust.authority.issue("other");
    std::filesystem::copy_file(other.key, house.trust.files.key,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_FALSE(house.gateway.reload(https(one_queue()))) << "not the certificate's key";
    EXPECT_EQ(house.gateway.get("/x").status, 200);
}

}  // namespace
}  // namespace ticketgate::test

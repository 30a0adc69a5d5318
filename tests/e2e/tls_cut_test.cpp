// Handshakes that begin and do not end count as failed, whatever cuts them.
#include <openssl/ssl.h>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

// A client that has said hello, has got the answer, and says no more.
Client begun(const House& house) {
    const auto tls = house.trust.client().open();
    BIO* const said = BIO_new(BIO_s_mem());
    SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), said);
    SSL_do_handshake(tls.get());
    char* hello = nullptr;
    const long size = BIO_get_mem_data(said, &hello);
    Client client(house.gateway.address());
    client.send({hello, static_cast<std::size_t>(size)});
    EXPECT_TRUE(client.hears(patience));
    return client;
}

bool one_failed(const Gateway& gateway) {
    return eventually(
        [&] { return gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})") == 1; });
}

TEST(TlsPort, CountsAHandshakeThatTheTimeCuts) {
    House house(one_queue() + "clients: { head_timeout: 100ms }\n");
    Client silent(house.gateway.address());
    EXPECT_TRUE(silent.ends()) << "it began none, and does not count";
    // The time may end before the hello of a slow test has come: then the next one counts.
    EXPECT_TRUE(eventually([&] {
        Client client = begun(house);
        (void)client.reader().rest();
        return house.gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})") > 0;
    }));
}

TEST(TlsPort, CountsAHandshakeThatTheClientCuts) {
    House house(one_queue() + "clients: { head_timeout: 1h }\n");
    Client client = begun(house);
    client.close();
    EXPECT_TRUE(one_failed(house.gateway));
}

TEST(TlsPort, CountsAHandshakeThatMakesRoom) {
    House house(one_queue() + "clients: { head_timeout: 1h, max_connections: 1 }\n");
    Client client = begun(house);
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    (void)client.reader().rest();
    EXPECT_TRUE(one_failed(house.gateway));
}

TEST(TlsPort, CountsAHandshakeThatADrainCuts) {
    House house(one_queue() + "clients: { head_timeout: 1h }\n");
    Client first = running(house.gateway, house.backend, "/first");
    Client client = begun(house);
    house.gateway.drain();
    (void)client.reader().rest();
    EXPECT_TRUE(one_failed(house.gateway));
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

}  // namespace
}  // namespace ticketgate::test

// The memory for incomplete requests, and for requests behind another one, is bounded.
#include <unistd.h>

#include <fstream>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

constexpr const char* input_bytes = "ticketgate_input_bytes";

std::string limited(const std::string& clients) {
    return queued_and_free() + "clients: { " + clients + " }\n";
}

// An incomplete head of about this many bytes.
Client half_head(Gateway& gateway, std::size_t size) {
    Client client = gateway.client();
    client.send("GET /free HTTP/1.1\r\nHost: a\r\nX: " + std::string(size, 'x'));
    return client;
}

bool wait_for_input(const Gateway& gateway, double at_least) {
    return eventually([&] { return gateway.metric(input_bytes) >= at_least; });
}

bool wait_for_no_input(const Gateway& gateway) {
    return eventually([&] { return gateway.metric(input_bytes) == 0; });
}

class Input : public testing::Test {
 protected:
    Backend backend;
};

TEST_F(Input, ReadsNoMoreThanAHeadMayHave) {
    Gateway gateway(limited("max_head: 4KiB"), with(backend));
    Client runs = running(gateway, backend, "/q/runs");
    Client waits = gateway.client();
    waits.get("/q/waits");
    const std::string more(1 << 20, 'x');
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    Client sends = gateway.client();
    sends.send_some("GET /q/sends HTTP/1.1\r\nHost: a\r\n\r\n" + more);
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    EXPECT_LE(gateway.metric(input_bytes), 8 << 10);
    backend.release("/q/runs");
    EXPECT_EQ(runs.read().status, 200);
    EXPECT_EQ(sends.read().status, 200);
}

TEST_F(Input, AnIdleConnectionKeepsNone) {
    Gateway gateway(limited("max_head: 32KiB"), with(backend));
    Client client = half_head(gateway, 20'000);
    ASSERT_TRUE(wait_for_input(gateway, 20'000));
    client.send("\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(wait_for_no_input(gateway));
}

TEST_F(Input, KeepsPipelinedRequestsWhileThereIsRoom) {
    Gateway gateway(limited("max_input: 64KiB"), with(backend));
    Client runs = running(gateway, backend, "/q/runs");
    Client client = gateway.client();
    std::string all;
    for (int i = 0; i < 3; ++i)
        all += "GET /q/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(all);
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_GT(gateway.metric(input_bytes), 0);
    backend.release("/q/runs");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read().body, "/q/" + std::to_string(i));
    EXPECT_TRUE(wait_for_no_input(gateway));
}

TEST_F(Input, WithoutRoomForPipelinedRequestsTheConnectionEnds) {
    Gateway gateway(limited("max_input: 64KiB"), with(backend));
    std::vector<Client> fill;
    for (int i = 0; i < 2; ++i) fill.push_back(half_head(gateway, 20'000));
    ASSERT_TRUE(wait_for_input(gateway, 40'000));
    Client client = gateway.client();
    const std::string one = "GET /free/1 HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(one + one);
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(backend.count("/free/1"), 1u);
    EXPECT_EQ(gateway.get("/free/2").status, 200) << "a request that comes alone needs no room";
}

TEST_F(Input, HeadsInPiecesGet503WithoutRoom) {
    Gateway gateway(limited("max_input: 64KiB"), with(backend));
    std::vector<Client> fill;
    for (int i = 0; i < 3; ++i) {
        fill.push_back(half_head(gateway, 20'000));
        ASSERT_TRUE(i == 2 || wait_for_input(gateway, (i + 1) * 20'000));
    }
    Client& last = fill.back();
    EXPECT_EQ(last.read().status, 503);
    EXPECT_TRUE(last.ends());
    EXPECT_LE(gateway.metric(input_bytes), 64 << 10);
    EXPECT_EQ(gateway.get("/free").status, 200);
    ASSERT_TRUE(eventually([&] { return gateway.metric(input_bytes) < 48 << 10; }));
    fill[0].send("\r\n\r\n");
    EXPECT_EQ(fill[0].read().status, 200);
    Client again = half_head(gateway, 20'000);
    again.send("\r\n\r\n");
    EXPECT_EQ(again.read().status, 200);
}

// As many incomplete heads as there is room for, and one more, which is refused.
std::vector<Client> full_of_heads(Gateway& gateway) {
    std::vector<Client> fill;
    for (int i = 0; i < 3; ++i) fill.push_back(half_head(gateway, 16'340));
    EXPECT_TRUE(wait_for_input(gateway, 48'000));
    EXPECT_EQ(half_head(gateway, 16'000).read().status, 503);
    return fill;
}

TEST_F(Input, IncompleteHeadsLeaveRoomForRequestsThatWaitForADisk) {
    Gateway gateway(
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "clients: { max_input: 64KiB }\n"
        "routes: [{ prefix: /, upstream: app, files: { root: \"${TMP}\", try: [path] } }]\n",
        with(backend));
    const auto fill = full_of_heads(gateway);
    for (const char* name : {"a.txt", "b.txt", "c.txt"}) {
        std::ofstream(gateway.folder().file(name)) << name;
        EXPECT_EQ(gateway.get("/" + std::string(name)).body, name) << "no loop opens a file";
    }
    EXPECT_EQ(gateway.get("/none.txt").status, 404) << "after a look";
}

TEST_F(Input, IncompleteHeadsLeaveRoomForBytesBehindARequestForATunnel) {
    Gateway gateway(limited("max_input: 64KiB"), with(backend));
    Client runs = running(gateway, backend, "/q/runs");
    const auto fill = full_of_heads(gateway);
    Client client = gateway.client();
    client.send("GET /q/tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" +
                std::string(1000, 'x'));
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    backend.release("/q/runs");
    EXPECT_EQ(runs.read().status, 200);
}

// ── parts of TLS records ──

// Sends bytes below TLS.
void send_below(Client& client, std::string_view bytes) {
    Socket raw(::dup(client.socket().descriptor()));
    EXPECT_EQ(raw.send(bytes), Socket::Status::ok);
}

// The most of the largest record, of which the last bytes are missing.
const std::string part_of_a_record = "\x17\x03\x03\x40\x11" + std::string(16'300, 'x');

TEST(InputOfTls, PartsOfRecordsGet503WithoutRoom) {
    House house(limited("max_input: 64KiB"));
    Gateway& gateway = house.gateway;
    std::vector<Client> fill;
    for (int i = 0; i < 4; ++i) {
        fill.push_back(gateway.client());
        if (i % 2 == 1) {
            fill.back().get("/free");
            EXPECT_EQ(fill.back().read().status, 200);
        }
        send_below(fill.back(), part_of_a_record);
        ASSERT_TRUE(i == 3 || wait_for_input(gateway, (i + 1) * 16'305));
    }
    EXPECT_EQ(fill.back().read().status, 503);
    EXPECT_EQ(gateway.get("/free").status, 200);
    Client plain(gateway.address());
    plain.send(std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc", 9) + std::string(500, 'x'));
    EXPECT_TRUE(plain.ends()) << "in a handshake there is nobody to answer";
    EXPECT_EQ(gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})"), 1);
}

TEST(InputOfTls, PartsOfBodiesTakeNoRoomOfHeads) {
    House house(limited("max_input: 64KiB"));
    Gateway& gateway = house.gateway;
    std::vector<Client> uploads;
    for (int i = 0; i < 4; ++i) {
        uploads.push_back(gateway.client());
        uploads.back().send("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
        send_below(uploads.back(), part_of_a_record);
        ASSERT_TRUE(wait_for_input(gateway, (i + 1) * 16'305));
    }
    Client other = half_head(gateway, 10'000);
    ASSERT_TRUE(wait_for_input(gateway, 4 * 16'305 + 10'000));
    other.send("\r\n\r\n");
    EXPECT_EQ(other.read().status, 200);
}

TEST(InputOfTls, APartOfARecordBeginsAHead) {
    House house(limited("idle_timeout: 10m"));
    Client client = house.gateway.client();
    client.get("/free");
    EXPECT_EQ(client.read().status, 200);
    // This time must not limit the handshake; it holds behind the next request.
    ASSERT_TRUE(house.gateway.reload(https(limited("idle_timeout: 10m, head_timeout: 1s"))));
    client.get("/free");
    EXPECT_EQ(client.read().status, 200);
    send_below(client, part_of_a_record);
    EXPECT_EQ(client.read().status, 408);
    EXPECT_TRUE(client.ends());
}

TEST_F(Input, ARefusedHeadIsNotKept) {
    Gateway gateway(limited("max_head: 32KiB"), with(backend));
    Client client = half_head(gateway, 20'000);
    ASSERT_TRUE(wait_for_input(gateway, 20'000));
    client.send("\n\n");
    EXPECT_EQ(client.read().status, 400);
    EXPECT_TRUE(wait_for_no_input(gateway));
}

TEST_F(Input, AReloadChangesTheLimit) {
    Gateway gateway(limited("max_input: 64KiB"), with(backend));
    ASSERT_TRUE(gateway.reload(limited("max_input: 1MiB")));
    std::vector<Client> fill;
    for (int i = 0; i < 5; ++i) fill.push_back(half_head(gateway, 20'000));
    ASSERT_TRUE(wait_for_input(gateway, 100'000));
    for (auto& client : fill) {
        client.send("\r\n\r\n");
        EXPECT_EQ(client.read().status, 200);
    }
}

}  // namespace
}  // namespace ticketgate::test

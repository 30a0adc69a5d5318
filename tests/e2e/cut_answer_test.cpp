// The access log says of an answer that it ended before its end.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

struct CutAnswer : testing::TestWithParam<const char*> {
    // Sends an answer's begin, and then what `rest` says.
    void answers(const std::string& head, std::function<void(Call&)> rest) {
        backend.on(path, [head, rest = std::move(rest)](Call& call) {
            call.send("HTTP/1.1 200 OK\r\n" + head);
            rest(call);
        });
    }
    // The client has the begin of its answer.
    Client reading() {
        Client client = gateway.client();
        client.get(path);
        EXPECT_NE(client.reader().through("hello"), "");
        return client;
    }
    void expect_cut() {
        const auto line = gateway.log(1).at(0);
        EXPECT_EQ(line.at("status"), 200);
        EXPECT_TRUE(line.contains("cut")) << line;
    }

    const std::string path = GetParam() + std::string("/x");
    Backend backend;
    Gateway gateway{queued_and_free(), with(backend)};
};

TEST_P(CutAnswer, ByItsBackend) {
    answers("Content-Length: 10\r\n\r\nhello", [](Call& call) { call.close(); });
    reading();
    expect_cut();
}

TEST_P(CutAnswer, InItsTrailers) {
    answers("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: ",
            [](Call& call) { call.close(); });
    reading();
    expect_cut();
}

TEST_P(CutAnswer, ByAStop) {
    answers("Content-Length: 10\r\n\r\nhello", [](Call& call) {
        call.wait_for("end");
        call.close();
    });
    Client client = reading();
    gateway.stop();
    expect_cut();
    EXPECT_EQ(gateway.exit_code(), 0);
    backend.release("end");
}

TEST_P(CutAnswer, ByItsClient) {
    answers("Content-Length: 20000000\r\n\r\nhello",
            [](Call& call) { call.finish(pattern(20'000'000 - 5)); });
    reading().reset();
    expect_cut();
}

TEST_P(CutAnswer, IsNotOneThatIsWhole) {
    answers("Content-Length: 5\r\n\r\nhello", [](Call& call) { call.finish(); });
    reading();
    EXPECT_FALSE(gateway.log(1).at(0).contains("cut"));
}

INSTANTIATE_TEST_SUITE_P(Routes, CutAnswer, both_kinds, kind);

TEST(Tunnel, ThatItsClientResetsIsNoCutAnswer) {
    Backend backend;
    backend.on("/ws", [](Call& call) {
        call.send(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\n\r\n");
        EXPECT_EQ(call.receive(), "");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    EXPECT_EQ(client.read_to_head().status, 101);
    client.reset();
    EXPECT_FALSE(gateway.log(1).at(0).contains("cut"));
}

}  // namespace
}  // namespace ticketgate::test

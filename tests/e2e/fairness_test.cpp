// One loop serves many connections: a peer that always has data must not monopolise it.
#include <atomic>
#include <thread>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

// Runs in another thread until destroyed.
class Storm {
 public:
    template <class Act>
    explicit Storm(Act act)
        : thread_([this, act] {
              while (!over_) act();
          }) {}
    ~Storm() {
        over_ = true;
        thread_.join();
    }

 private:
    std::atomic<bool> over_{false};
    std::thread thread_;
};

std::string times(int count, std::string_view text) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
}

class Fairness : public testing::TestWithParam<const char*> {
 protected:
    std::string at(const std::string& path) const { return GetParam() + path; }
};

class BackendThatNeverStops : public testing::Test {
 protected:
    // Answers `path` with `first`, then with `again` without end.
    void talks(const std::string& path, const std::string& first, const std::string& again) {
        backend_.on(path, [this, first, again](Call& call) {
            call.send(first);
            while (!over_) call.send(again);
            call.close();
        });
    }
    void everybody_else_is_served() {
        EXPECT_TRUE(backend_.wait_for(path_));
        for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway_.get("/free").status, 200);
    }
    ~BackendThatNeverStops() override { over_ = true; }

    std::atomic<bool> over_{false};
    Backend backend_;
    Gateway gateway_{queued_and_free(), with(backend_)};
    const std::string path_ = "/q/storm";
};

TEST_F(BackendThatNeverStops, SendingInterimResponses) {
    talks(path_, "", times(500, "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"));
    Client client = gateway_.client();
    client.get(path_);
    everybody_else_is_served();
}

TEST_F(BackendThatNeverStops, SendingItsBody) {
    talks(path_, "HTTP/1.1 200 OK\r\n\r\n", pattern(100'000));
    Client client = gateway_.client();
    client.get(path_);
    const Storm reads([&] { (void)client.reader().take_some(); });
    everybody_else_is_served();
    over_ = true;
}

TEST_F(BackendThatNeverStops, AfterItsClientHasLeft) {
    talks(path_, "HTTP/1.1 200 OK\r\n\r\n", pattern(100'000));
    Client client = gateway_.client();
    client.get(path_);
    EXPECT_TRUE(backend_.wait_for(path_));
    client.reset();
    everybody_else_is_served();
}

TEST_F(BackendThatNeverStops, SendingBytesThatAreNotHttp) {
    talks(path_, "garbage\r\n\r\n", times(10'000, "garbage"));
    EXPECT_EQ(gateway_.get(path_).status, 502);
    everybody_else_is_served();
}

TEST(ClientThatNeverStops, AskingForAnswersThatNeedNoBackend) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    for (const char* request : {"OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n",
                                "GET /nowhere HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"}) {
        Client client = gateway.client();
        client.get("/first");
        EXPECT_EQ(client.read().status, 200);
        const Storm asks([&, all = times(500, request)] { (void)client.send(all); });
        const Storm reads([&] { (void)client.reader().take_some(); });
        for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.get("/free").status, 200);
        client.socket().shut_down();  // ends both threads; they share no other state
    }
}

// An upload of one-byte chunks arrives whole and does not delay other clients.
TEST_P(Fairness, AnUploadByteByByte) {
    Backend backend;
    Gateway gateway("spool: { memory_per_body: 4KiB }\n" + queued_and_free(), with(backend));
    backend.on(at("/x"), [](Call& call) { call.respond(200, call.seen().body); });
    const std::string body = pattern(150'000);
    std::string chunks;
    for (const char c : body) chunks.append("1\r\n").append(1, c).append("\r\n");
    Client client = gateway.client();
    std::thread sender([&] {
        client.send("POST " + at("/x") +
                    " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks +
                    "0\r\n\r\n");
    });
    EXPECT_EQ(gateway.get("/free").status, 200);
    sender.join();  // 150,000 chunks may take longer than a read waits
    const auto response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(response.body == body);
}

INSTANTIATE_TEST_SUITE_P(Both, Fairness, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test

// CONTRACT 2.11 and 2.12: an early answer does not stop the upload, and a slot is free when the
// script has ended, not when the answer seems to have.
#include <future>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

// More than all buffers between two processes can hold.
constexpr std::size_t much = 8 << 20;

class EarlyAnswer : public testing::TestWithParam<const char*> {};

// Like PHP: writes the answer first, and reads the whole request before it ends.
TEST_P(EarlyAnswer, TheRestOfTheRequestIsSentMeanwhile) {
    const std::string path = std::string(GetParam()) + "/x";
    Backend backend;
    backend.on_head(path, [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        call.send(chunk(std::string(much, 'a')));
        call.read_body();
        call.finish("0\r\n\r\n");
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    std::thread sender([&] { client.request("POST", path, {}, std::string(much, 'b')); });
    const auto answer = client.read();
    sender.join();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body.size(), much);
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_EQ(backend.of(path).at(0).body.size(), much);
    EXPECT_EQ(gateway.get(std::string(GetParam()) + "/next").status, 200);
}

// The length shows the end of the answer, but not that of the script, which reads on.
TEST_P(EarlyAnswer, ACompleteOneDoesNotCutTheRequest) {
    const std::string path = std::string(GetParam()) + "/x";
    Backend backend;
    backend.on_head(path, [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        call.wait_for("the client has its answer");
        call.read_body();
        call.finish();
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    std::thread sender([&] { client.request("POST", path, {}, std::string(much, 'b')); });
    EXPECT_EQ(client.read().body, "ok");
    backend.release("the client has its answer");
    sender.join();
    EXPECT_TRUE(backend.wait_for_end(path));
    EXPECT_EQ(backend.of(path).at(0).body.size(), much);
    EXPECT_EQ(gateway.get(std::string(GetParam()) + "/next").status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

INSTANTIATE_TEST_SUITE_P(Routes, EarlyAnswer, both_kinds, kind);

// The next request waits until the test releases the script.
void expect_kept_until_release(Gateway& gateway, Backend& backend, Client& next,
                               const std::string& what) {
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1)) << what;
    EXPECT_EQ(backend.count("/next"), 0u) << what;
    backend.release("script");
    EXPECT_EQ(next.read().status, 200) << what;
    EXPECT_EQ(backend.most_in_flight(), 1) << what;
}

// The client has its answer; the next request waits until the backend has ended the connection.
void expect_slot_kept(const std::string& head, std::string_view method = "GET",
                      std::string_view body = {}) {
    Backend backend;
    backend.on("/x", [&](Call& call) {
        call.send(head);
        call.wait_for("script");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    Client first = gateway.client(), next = gateway.client();
    first.request(method, "/x", {}, body);
    EXPECT_NE(first.read().status, 0) << head;
    next.get("/next");
    expect_kept_until_release(gateway, backend, next, head);
}

TEST(SlotEnd, IsNotTheEndOfAnAnswerWithoutABody) {
    expect_slot_kept("HTTP/1.1 204 No Content\r\n\r\n");
    expect_slot_kept("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno");
    expect_slot_kept("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
}

TEST(SlotEnd, IsNotTheEndOfAnAnswerThatAnnouncesTheEndOfItsConnection) {
    expect_slot_kept("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    expect_slot_kept("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

const std::string closes_after_body =
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
const std::string closes_after_head = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

// As behind Tornado and aiohttp, which keep the connection. False: the answer came too late, as the
// machine stood still for longer than response_timeout.
bool is_asked_for_end(Backend& backend, const std::string& answer, std::string_view method,
                      std::string_view body, const std::string& config) {
    backend.on("/x", [&](Call& call) { call.finish(answer); });
    Gateway gateway(config, with(backend));
    Client client = gateway.client();
    client.request(method, "/x", {}, body);
    const int status = client.read().status;
    EXPECT_NE(status, 0) << answer;
    if (status == 504) return false;
    EXPECT_EQ(gateway.get("/next").status, 200) << answer;
    EXPECT_EQ(backend.of("*").at(0).method, "OPTIONS") << answer;
    EXPECT_EQ(backend.of("*").at(0).header("Connection"), "close");
    EXPECT_EQ(backend.most_in_flight(), 1) << answer;
    return true;
}

void expect_asked_for_end(Backend& backend, const std::string& answer,
                          std::string_view method = "GET", std::string_view body = {}) {
    EXPECT_TRUE(is_asked_for_end(backend, answer, method, body, one_queue())) << answer;
}

void expect_asked_for_announced_end(const std::string& answer, std::string_view method = "GET",
                                    std::string_view body = {}) {
    Backend backend;
    expect_asked_for_end(backend, answer, method, body);
}

TEST(SlotEnd, IsAskedForWhereAnAnnouncedEndDoesNotCome) {
    expect_asked_for_announced_end(closes_after_body);
    expect_asked_for_announced_end("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
    expect_asked_for_announced_end(closes_after_head);
    expect_asked_for_announced_end("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n");
    expect_asked_for_announced_end(closes_after_body, "PUT", std::string(70'000, 'b'));
}

// nginx closes at a FIN, while the script behind it runs on; Node runs the question beside it.
void expect_asked_for_end_of_garbage(const std::string& answer) {
    EXPECT_TRUE(eventually([&] {
        Backend backend;
        backend.on("*", [](Call& call) { call.close(); });
        return is_asked_for_end(backend, answer, "GET", {},
                                one_queue_but("/x", ", response_timeout: 200ms"));
    })) << answer;
}

// Where its body begins, each of these breaks the framing that its head has told.
TEST(SlotEnd, IsAskedForBehindABodyThatBreaksItsFraming) {
    for (const std::string close : {"Connection: close\r\n", ""}) {
        const std::string chunked =
            "HTTP/1.1 200 OK\r\n" + close + "Transfer-Encoding: chunked\r\n\r\n";
        expect_asked_for_end_of_garbage(chunked + "zz");
        expect_asked_for_end_of_garbage(chunked + "2\r\nokay");
        expect_asked_for_end_of_garbage(chunked + "2\r\nok\r\n0\r\nno field\r\n\r\n");
    }
}

// nginx takes a `Status: 100` of a script for the head of an interim answer, and keeps the
// connection.
TEST(SlotEnd, IsAskedForBehindBytesThatAreNoHead) {
    const std::string two_lengths =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok";
    expect_asked_for_end_of_garbage("HTTP/1.1 100 Continue\r\n\r\nbody");
    expect_asked_for_end_of_garbage("HTTP/1.1 103 Early Hints\r\n\r\n" + two_lengths);
}

// The client did not ask to upgrade, and the bytes after such a 101 are not HTTP. nginx passes on
// those of scripts.
TEST(SlotEnd, IsAskedForBehindAnUnaskedSwitch) {
    const std::string head = "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade";
    expect_asked_for_end_of_garbage(head + "\r\n\r\n");
    expect_asked_for_end_of_garbage(head + ", close\r\n\r\n");
    expect_asked_for_end_of_garbage(
        "HTTP/1.0 101 S\r\nUpgrade: foo\r\nConnection: upgrade\r\n\r\n");
}

// No question may reach an application before it can have ended: the backend closes by itself.
TEST(SlotEnd, OfAnAnswerWithoutFramingIsTheEndOfItsConnection) {
    for (const std::string close : {"Connection: close\r\n", ""}) {
        Backend backend;
        backend.on("/x", [&](Call& call) {
            call.send("HTTP/1.1 200 OK\r\n" + close + "Transfer-Encoding: chunked\r\n\r\nzz");
            call.wait_for("script");
            call.close();
        });
        Gateway gateway(one_queue(), with(backend));
        Client first = gateway.client(), next = gateway.client();
        first.get("/x");
        (void)first.read();
        next.get("/next");
        expect_kept_until_release(gateway, backend, next, close);
        EXPECT_EQ(backend.count("*"), 0u) << close;
    }
}

// A script that works on writes more, which may look like the answer to the question.
TEST(SlotEnd, IsNotShownByBytesBehindTheAnswer) {
    for (const std::string& answer : {closes_after_body, closes_after_head}) {
        Backend backend;
        std::promise<std::string> heard;
        backend.on("/x", [&](Call& call) {
            call.send(answer);
            std::string question = call.receive();
            call.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            while (!call.receive().empty()) continue;  // the FIN shows that the proxy has read it
            heard.set_value(question);
            call.wait_for("script");
            call.close();
        });
        Gateway gateway(one_queue(), with(backend));
        Client first = gateway.client(), next = gateway.client();
        first.get("/x");
        EXPECT_NE(first.read().status, 0) << answer;
        next.get("/next");
        auto question = heard.get_future();
        ASSERT_EQ(question.wait_for(patience), std::future_status::ready) << answer;
        EXPECT_TRUE(question.get().starts_with("OPTIONS * HTTP/1.1\r\n")) << answer;
        expect_kept_until_release(gateway, backend, next, answer);
    }
}

// Such an answer may have begun before the body was read, and our thread was late.
TEST(SlotEnd, IsNotTheEndOfAnAnswerToALargeRequest) {
    const std::string large(70'000, 'b');
    expect_slot_kept("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "PUT", large);
    expect_slot_kept("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST",
                     large);
}

// The body is wholly in this machine's send buffer when the answer comes, and has not reached the
// backend.
TEST(SlotEnd, IsNotTheEndOfAnAnswerThatComesBeforeTheBodyHasArrived) {
    Backend backend;
    backend.on_head("/x", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        call.wait_for("script");
        call.read_body();
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    Client first = gateway.client(), next = gateway.client();
    std::thread sender([&] { first.request("POST", "/x", {}, std::string(1 << 20, 'b')); });
    EXPECT_EQ(first.read().body, "ok");
    sender.join();
    next.get("/next");
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("script");
    EXPECT_EQ(next.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(SlotEnd, OfAHeadIsTheEndOfTheBodyOfItsGet) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
        call.wait_for("script");
        call.finish("lo");
    });
    Gateway gateway(one_queue(), with(backend));
    Client first = gateway.client(), next = gateway.client();
    first.request("HEAD", "/x");
    const auto answer = first.read_to_head();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Length"), "5");
    next.get("/next");
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.metric("ticketgate_queue_orphaned{queue=\"q\"}"), 0) << "nobody has left";
    backend.release("script");
    EXPECT_EQ(next.read().status, 200);
    EXPECT_EQ(backend.of("/x").at(0).method, "GET");
    EXPECT_EQ(backend.most_in_flight(), 1);
}

// The backend keeps the connection, so its end would come late or never.
TEST(SlotEnd, OfAnAnswerWithAMalformedFieldFollowsItsFraming) {
    Backend backend;
    for (const std::string body : {"Content-Length: 2\r\n\r\nok",
                                   "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"}) {
        backend.on(
            "/x", [&](Call& call) { call.finish("HTTP/1.1 200 OK\r\nX-Echo: a\x01z\r\n" + body); });
        Gateway gateway(one_queue(), with(backend));
        EXPECT_EQ(gateway.get("/x").status, 502);
        EXPECT_EQ(gateway.get("/next").status, 200);
    }
}

// An application can send all of these with valid framing: a debug log in a field, a cookie for
// each product, a status above 599.
TEST(SlotEnd, OfAnAnswerBeyondTheLimitsFollowsItsFraming) {
    Backend backend;
    std::string many;
    for (int i = 0; i < 201; ++i) many += "A" + std::to_string(i) + ": 1\r\n";
    const std::string ok = "HTTP/1.1 200 OK\r\n", end = "Content-Length: 2\r\n\r\nok";
    const auto with_field = [&](std::size_t size) {
        return std::string(ok).append("X: ").append(size, 'x').append("\r\n").append(end);
    };
    for (const std::string& answer :
         {ok + many + end, with_field(66'000), with_field(500'000), "HTTP/1.1 999 No\r\n" + end}) {
        backend.on("/x", [&](Call& call) { call.finish(answer); });
        Gateway gateway(one_queue(), with(backend));
        EXPECT_EQ(gateway.get("/x").status, 502);
        EXPECT_EQ(gateway.get("/next").status, 200);
    }
}

// An application can send these, too. The head is forwarded before the limit is reached.
// With an odd field, the answer is read for nobody from its head on.
TEST(SlotEnd, OfAnAnswerWithTooManyTrailersOrExtensionsFollowsItsFraming) {
    Backend backend;
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
    std::string trailers, extensions;
    for (int i = 0; i < 1000; ++i) trailers += "X-Trailer: " + std::string(40, 'x') + "\r\n";
    for (int i = 0; i < 1000; ++i) extensions += "2;" + std::string(60, 'x') + "\r\nok\r\n";
    for (const std::string field : {"", "X-Odd: a\x01z\r\n"})
        for (const std::string& body :
             {"2\r\nok\r\n0\r\n" + trailers + "\r\n", extensions + "0\r\n\r\n"}) {
            const std::string answer = head + field + "\r\n" + body;
            // A copy: it may end behind this round.
            backend.on("/x", [answer](Call& call) {
                call.finish(answer);
                call.wait_for(answer);  // a FIN ends nothing here
            });
            Gateway gateway(one_queue(", response_timeout: 10m"), with(backend));
            const auto cut = gateway.get("/x");
            EXPECT_EQ(cut.status, field.empty() ? 200 : 502);
            EXPECT_EQ(cut.whole(), !field.empty());
            EXPECT_EQ(gateway.get("/next").status, 200);
            backend.release(answer);
            EXPECT_EQ(backend.most_in_flight(), 1);
        }
}

TEST(SlotEnd, DoesNotWaitForASlowReaderOfAnUnbufferedAnswer) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.respond(200, std::string(much, 'a'), "X-Accel-Buffering: no\r\n");
    });
    Gateway gateway(one_queue(), with(backend));
    Client slow = gateway.client();
    slow.get("/x");
    EXPECT_TRUE(backend.wait_for_end("/x"));
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(slow.read().body.size(), much);
}

}  // namespace
}  // namespace ticketgate::test

// Responses as backends send them, cut at every place.
#include "bench.hpp"

namespace ticketgate {
namespace {

struct Response {
    const char* name;
    std::string bytes;
    std::vector<unsigned> interim;
    unsigned status;
    std::string body;
    bool to_head = false;
    bool until_close = false;  // the end of the connection ends the body
    bool reusable = true;
};

const Response responses[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello", {}, 200, "hello"},
    {"no body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}, 200, ""},
    // Reusable after a rest, or never: a body may come nevertheless (pool_trust_test.cpp).
    {"no content", "HTTP/1.1 204 No Content\r\n\r\n", {}, 204, "", false, false, false},
    {"not modified",
     "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n",
     {},
     304,
     "",
     false,
     false,
     false},
    {"to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", {}, 200, "", true, false, false},
    {"chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
     "chunked\r\n\r\n3\r\nabc\r\na;x=y\r\n0123456789\r\n0\r\n\r\n",
     {},
     200,
     "abc0123456789"},
    {"trailers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n",
     {},
     200,
     "a"},
    {"interim, then the last",
     "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
     "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
     {103, 102},
     201,
     "x"},
    {"continue",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
     {100},
     200,
     "x"},
    {"until close",
     "HTTP/1.1 200 OK\r\n\r\nup to the end",
     {},
     200,
     "up to the end",
     false,
     true,
     false},
    {"old", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold", {}, 200, "old", false, false, false},
    {"old, kept",
     "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nold",
     {},
     200,
     "old"},
    {"closing",
     "HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
     {},
     500,
     "no",
     false,
     false,
     false},
};

struct Talk {
    void open() {
        exchange = bench.open();
        reused = exchange->connected();
        ASSERT_TRUE(bench.send(*exchange));
        if (!reused) backend.emplace(bench.door.accept());
        ASSERT_EQ(backend->receive(), Bench::get);
    }
    void end(const Response& response) {
        if (!response.until_close) return;
        backend->finish();
    }
    Bench bench;
    std::unique_ptr<Exchange> exchange;
    std::optional<Peer> backend;
    bool reused = false;
};

void expect(const Answer& answer, const Response& response, std::size_t at) {
    ASSERT_FALSE(answer.failure) << response.name << " at " << at << ": "
                                 << answer.failure.message();
    ASSERT_EQ(answer.status, response.status) << response.name << " at " << at;
    ASSERT_EQ(answer.interim, response.interim) << response.name << " at " << at;
    ASSERT_EQ(answer.body, response.body) << response.name << " at " << at;
}

TEST(Response, IsReadWhole) {
    for (const Response& response : responses) {
        Talk talk;
        talk.open();
        talk.backend->send(response.bytes);
        talk.end(response);
        expect(talk.bench.read(*talk.exchange, response.to_head), response, 0);
        EXPECT_TRUE(talk.exchange->ended()) << response.name;
        talk.bench.finish(std::move(talk.exchange));
        EXPECT_EQ(talk.bench.has_idle(), response.reusable) << response.name;
    }
}

// Reads a response in steps.
struct Reader {
    /// Reads what is there. Returns true once the response is whole or has failed.
    bool go_on(Exchange& exchange, bool to_head) {
        while (!in_body) {
            http::ResponseHead head;
            const auto step = exchange.read_head(to_head, head);
            if (!step) return fail(step.error());
            if (*step == Step::blocked) return false;
            answer.status = head.status;
            if (head.informational())
                answer.interim.push_back(head.status);
            else
                in_body = true;
        }
        for (;;) {
            std::string_view piece;
            const auto step = exchange.read_body(piece);
            if (!step) return fail(step.error());
            if (*step == Step::blocked) return false;
            if (piece.empty()) return true;
            answer.body += piece;
        }
    }
    bool fail(error_code failure) {
        answer.failure = failure;
        return true;
    }
    Answer answer;
    bool in_body = false;
};

TEST(Response, MayBeCutAnywhere) {
    for (const Response& response : responses) {
        std::optional<Talk> talk(std::in_place);
        for (std::size_t cut = 1; cut < response.bytes.size(); ++cut) {
            talk->open();
            Reader reader;
            talk->backend->send(response.bytes.substr(0, cut));
            net::catch_up(talk->bench.loop);
            EXPECT_FALSE(reader.go_on(*talk->exchange, response.to_head))
                << response.name << " at " << cut;
            talk->backend->send(response.bytes.substr(cut));
            talk->end(response);
            const auto whole = [&] { return reader.go_on(*talk->exchange, response.to_head); };
            ASSERT_TRUE(run_until(talk->bench.loop, whole)) << response.name << " at " << cut;
            expect(reader.answer, response, cut);
            talk->bench.finish(std::move(talk->exchange));
            if (!response.reusable) talk.emplace();
        }
    }
}

TEST(Response, MayComeByteByByte) {
    for (const Response& response : responses) {
        Talk talk;
        talk.open();
        Reader reader;
        for (std::size_t i = 0; i < response.bytes.size(); ++i) {
            talk.backend->send({&response.bytes[i], 1});
            net::catch_up(talk.bench.loop);
            // Whole exactly at its last byte; with until-close framing only at the close.
            const bool last = i + 1 == response.bytes.size() && !response.until_close;
            ASSERT_EQ(reader.go_on(*talk.exchange, response.to_head), last) << response.name;
        }
        talk.end(response);
        const auto whole = [&] { return reader.go_on(*talk.exchange, response.to_head); };
        ASSERT_TRUE(run_until(talk.bench.loop, whole)) << response.name;
        expect(reader.answer, response, 0);
    }
}

TEST(Response, LargeBodiesAreReadWhole) {
    Talk talk;
    talk.open();
    const std::string bytes(3'000'000, 'x');
    std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n";
    std::string left = head + bytes;
    Reader reader;
    const auto whole = [&] {
        const auto n = ::send(talk.backend->descriptor(), left.data(), left.size(), MSG_DONTWAIT);
        if (n > 0) left.erase(0, static_cast<std::size_t>(n));
        return reader.go_on(*talk.exchange, false);
    };
    ASSERT_TRUE(run_until(talk.bench.loop, whole));
    EXPECT_TRUE(reader.answer.body == bytes);
}

// Each read fills the same buffer. Once a read that ended inside chunk framing was followed by
// another at once, which overwrote the bytes of the first.
TEST(Response, PiecesStayGoodUntilTheNextRead) {
    Talk talk;
    talk.open();
    talk.backend->send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n");
    http::ResponseHead head;
    ASSERT_TRUE(talk.bench.read_head(*talk.exchange, head));
    std::string_view first, second, none;
    ASSERT_TRUE(talk.exchange->read_body(first));
    const int before = talk.bench.ear.heard;
    talk.backend->send("1\r\nc\r\n");
    ASSERT_TRUE(run_until(talk.bench.loop, [&] { return talk.bench.ear.heard > before; }));
    ASSERT_FALSE(talk.exchange->read_buffered(second));
    ASSERT_FALSE(talk.exchange->read_buffered(none)) << "used up, though there is more to read";
    EXPECT_EQ(first, "a");
    EXPECT_EQ(second, "b");
    EXPECT_EQ(none, "");
    std::string_view third;
    ASSERT_EQ(*talk.exchange->read_body(third), Step::done);
    EXPECT_EQ(third, "c");
}

}  // namespace
}  // namespace ticketgate

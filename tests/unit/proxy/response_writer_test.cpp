// The bytes of a backend's response that the client gets: framing, chunks and dropped bodies, in
// one write for each read.
#include "proxy/response_writer.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fake_stream.hpp"
#include "http/body.hpp"
#include "http/parser.hpp"

namespace ticketgate {
namespace {

// The answer to a GET.
void parse(std::string_view bytes, http::ResponseHead& head) {
    const auto progress = http::parse_response(bytes, {}, false, head);
    EXPECT_TRUE(progress && *progress == http::Progress::done) << bytes;
}

struct Client {
    Client() {
        reply.attach(stream, session);
        *joined.fresh() = "left by another request";
    }
    /// Begins the answer with the backend's head.
    bool begin(std::string_view bytes, const ClientFacts& facts = {}) {
        parse(bytes, parsed);
        return writer.begin(parsed, facts);
    }
    std::string take() { return std::exchange(stream.outgoing, {}); }

    http::SpoolBudget budget{http::SpoolBudget::Limits()};
    FakeStream stream;
    Ear session;
    Reply reply{budget};
    Scheduler scheduler;
    Scratch<std::string> head{scheduler}, joined{scheduler};
    http::ResponseHead parsed;
    ResponseWriter writer{reply, head, joined};
};

TEST(ResponseWriter, ALengthIsKept) {
    Client c;
    EXPECT_TRUE(c.begin("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"));
    EXPECT_EQ(c.take(), "") << "the head goes out with the body";
    c.writer.body("abc");
    c.writer.body("def");
    EXPECT_EQ(c.writer.flush(true, false), 6u);
    EXPECT_EQ(c.take(), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef");
    EXPECT_EQ(c.stream.writes, 1);
}

TEST(ResponseWriter, AnUnknownLengthGoesOutInChunks) {
    for (const std::string_view framing : {"Transfer-Encoding: chunked\r\n", ""}) {
        Client c;
        EXPECT_TRUE(c.begin("HTTP/1.1 200 OK\r\n" + std::string(framing) + "\r\n"));
        c.writer.body("0123456789");
        c.writer.body("abcdef");
        EXPECT_EQ(c.writer.flush(false, false), 16u);
        EXPECT_EQ(c.take(),
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "10\r\n0123456789abcdef\r\n");
        EXPECT_EQ(c.writer.flush(false, false), 0u) << "an empty chunk would be the end";
        EXPECT_EQ(c.take(), "");
        c.writer.body("x");
        EXPECT_EQ(c.writer.flush(true, false), 1u);
        EXPECT_EQ(c.take(), "1\r\nx\r\n0\r\n\r\n");
    }
}

TEST(ResponseWriter, AnOldClientGetsAnUnknownLengthUntilTheClose) {
    Client c;
    EXPECT_FALSE(c.begin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                         {.http_1_0 = true, .keep_alive = true}));
    c.writer.body("abc");
    c.writer.flush(true, false);
    EXPECT_EQ(c.take(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc");
}

TEST(ResponseWriter, WithoutKeepAliveTheConnectionCloses) {
    Client c;
    EXPECT_FALSE(c.begin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {.keep_alive = false}));
    c.writer.flush(true, false);
    EXPECT_EQ(c.take(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST(ResponseWriter, AHeadRequestGetsTheHeadOnly) {
    Client c;  // the backend was asked by GET, so it sends the body
    constexpr std::string_view bytes = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";
    EXPECT_TRUE(c.begin(bytes, {.to_head = true}));
    c.writer.body("abcdef");
    EXPECT_EQ(c.writer.flush(true, false), 0u);
    EXPECT_EQ(c.take(), bytes);
}

TEST(ResponseWriter, A205IsEmptied) {
    for (const std::string_view framing :
         {"Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", ""}) {
        Client c;
        EXPECT_TRUE(c.begin("HTTP/1.1 205 Reset\r\n" + std::string(framing) + "\r\n"));
        c.writer.body("abc");
        EXPECT_EQ(c.writer.flush(true, false), 0u);
        EXPECT_EQ(c.take(), "HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n");
    }
}

TEST(ResponseWriter, ManySmallPiecesArriveInOrderInOneWrite) {
    for (const int pieces : {31, 32, 33, 34, 5000}) {
        Client c;
        EXPECT_TRUE(c.begin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
        c.writer.flush(false, false);
        c.take();
        c.stream.writes = 0;
        std::string source, expected;
        for (int i = 0; i < pieces; ++i) source += static_cast<char>('a' + i % 26);
        for (int round = 0; round < 2; ++round) {
            for (const char& letter : source) c.writer.body({&letter, 1});
            EXPECT_EQ(c.writer.flush(false, false), source.size());
            std::array<char, 20> size;
            expected.append(size.data(), http::write_chunk_head(size.data(), source.size()));
            expected += source + "\r\n";
        }
        EXPECT_EQ(c.take(), expected) << pieces;
        EXPECT_EQ(c.stream.writes, 2) << pieces;
    }
}

TEST(ResponseWriter, TheEndMayWaitForTheSession) {
    Client c;
    EXPECT_TRUE(c.begin("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"));
    c.writer.body("abc");
    EXPECT_EQ(c.writer.flush(true, true), 3u);
    EXPECT_EQ(c.take(), "");
    EXPECT_TRUE(c.reply.pump());
    EXPECT_EQ(c.take(), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(ResponseWriter, AnInterimResponseGoesToHttp11ClientsOnly) {
    http::ResponseHead hints;
    constexpr std::string_view bytes = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    parse(bytes, hints);
    Client modern, old, slow;
    modern.writer.interim(hints, {});
    EXPECT_EQ(modern.take(), bytes);
    old.writer.interim(hints, {.http_1_0 = true});
    EXPECT_EQ(old.take(), "");
    slow.stream.room = 1;
    slow.writer.interim(hints, {});
    slow.writer.interim(hints, {});
    slow.stream.room = 1000;
    EXPECT_TRUE(slow.reply.pump());
    EXPECT_EQ(slow.take(), bytes) << "the second one was dropped";
}

TEST(ResponseWriter, BytesWithoutAClientAreNotCounted) {
    Client c;
    EXPECT_TRUE(c.begin("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"));
    c.reply.detach();
    c.writer.body("abc");
    EXPECT_EQ(c.writer.flush(true, false), 0u);
}

}  // namespace
}  // namespace ticketgate

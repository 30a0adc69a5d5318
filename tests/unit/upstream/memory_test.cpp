// A request on its way to the backend while there is no memory: it is sent to its end.
#include "../../support/no_memory.hpp"
#include "bench.hpp"
#include "fcgi/record.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {
namespace {

using namespace std::string_literals;

const std::string head = "the head";

/// Sends `head` with memory, then the body without. Returns what the backend got behind the head.
std::string send_body_without_memory(Bench& bench, bool chunked) {
    auto exchange = bench.open();
    Body body(bench.budget);
    body.chunked = chunked;
    body.complete = false;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::starved);
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), head);
    EXPECT_FALSE(body.spool.append("a body"));
    body.complete = true;
    {
        const NoMemory shortage;
        EXPECT_EQ(*exchange->send(head, body), Step::done);
    }
    return backend.receive();
}

TEST(WithoutMemory, ABodyIsSentInChunks) {
    Bench bench;
    EXPECT_EQ(send_body_without_memory(bench, true), "6\r\na body\r\n0\r\n\r\n");
}

TEST(WithoutMemory, ABodyIsSentInRecords) {
    Bench bench;
    UpstreamSettings settings;
    settings.host = "127.0.0.1";
    settings.port = bench.door.at().port();
    bench.upstream = std::make_shared<FcgiUpstream>(settings, FcgiSettings(), bench.resolver, 1);
    std::string expected;
    fcgi::append_header(expected, fcgi::Type::params, 0);
    fcgi::append_stream(expected, fcgi::Type::in, "a body");
    fcgi::append_header(expected, fcgi::Type::in, 0);
    EXPECT_EQ(send_body_without_memory(bench, false), expected);
}

TEST(WithoutMemory, AConnectionThatCannotBeMadeIsClosed) {
    Bench bench;
    int error = 0;
    {
        const NoMemory shortage;
        EXPECT_THROW((void)net::SocketStream::connect(bench.loop, bench.door.at(), error),
                     std::bad_alloc);
    }
    EXPECT_TRUE(closed(bench, bench.door.accept()));
}

}  // namespace
}  // namespace ticketgate

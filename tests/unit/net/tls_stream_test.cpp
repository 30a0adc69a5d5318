// TLS as a stream: every byte arrives however the records are cut, in few writes, and messages of
// TLS itself are not passed on as bytes.
#include "net/tls_stream.hpp"

#include <ostream>

#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

struct Cut {
    std::size_t step, capacity;
};

void PrintTo(const Cut& cut, std::ostream* out) {
    *out << "step " << cut.step << " capacity " << cut.capacity;
}

class TlsCut : public testing::TestWithParam<Cut> {};

// Sends `bytes` and returns those that arrive, read in pieces of every size.
std::string carry(Ends& ends, Stream& from, Stream& to, std::string_view bytes) {
    std::string received;
    std::size_t sent = 0, room = 1;
    for (int idle = 0; idle < 3; ends.deliver_one()) {
        const std::size_t before = sent + received.size();
        if (sent < bytes.size()) sent += write(from, bytes.substr(sent)).bytes;
        received += read_all(to, nullptr, room++ % 20'000 + 1);
        idle = sent + received.size() == before && !ends.deliver_one() ? idle + 1 : 0;
    }
    return received;
}

TEST_P(TlsCut, EveryByteArrivesBothWays) {
    Ends ends(usual_server(), usual_client(), {GetParam().step, GetParam().capacity});
    ASSERT_TRUE(ends.shake_hands());
    for (const std::size_t size : {1u, 100u, 16'383u, 16'385u, 150'000u}) {
        const std::string bytes = sample(size);
        EXPECT_TRUE(carry(ends, *ends.client, *ends.server, bytes) == bytes) << size;
        EXPECT_TRUE(carry(ends, *ends.server, *ends.client, bytes) == bytes) << size;
    }
    IoResult last;
    ends.client->finish_writing();
    ends.settle();
    EXPECT_EQ(read_all(*ends.server, &last), "");
    EXPECT_EQ(last.status, Io::ended);
}

INSTANTIATE_TEST_SUITE_P(Steps, TlsCut,
                         testing::Values(Cut{1, 1 << 20}, Cut{2, 1 << 20}, Cut{3, 5}, Cut{4, 4},
                                         Cut{5, 1 << 20}, Cut{6, 7}, Cut{13, 100}, Cut{1000, 1500},
                                         Cut{1 << 20, 1}, Cut{1 << 20, 16'400},
                                         Cut{1 << 20, 1 << 20}),
                         [](const auto& each) {
                             return "Of" + std::to_string(each.param.step) + "Within" +
                                    std::to_string(each.param.capacity);
                         });

TEST(TlsStream, NamesTheVersionAndCipher) {
    Ends ends(usual_server(), usual_client());
    EXPECT_EQ(ends.server->secured(), nullptr);
    ASSERT_TRUE(ends.shake_hands());
    EXPECT_EQ(ends.server->secured()->version, "TLSv1.3");
    EXPECT_EQ(ends.server->secured()->cipher, ends.client->secured()->cipher);
    EXPECT_FALSE(ends.server->secured()->resumed);
}

TEST(TlsStream, SessionTicketsAreNotReadableBytes) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    EXPECT_FALSE(ends.client->readable()) << "or an idle connection would look as if it was stale";
    EXPECT_FALSE(ends.client->stale());
    write(*ends.server, "x");
    ends.settle();
    EXPECT_TRUE(ends.client->readable());
    EXPECT_TRUE(ends.client->stale());
}

// The client takes as much as earns it the large window.
void flow(Ends& ends) {
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(write(*ends.server, sample(16 << 10)).bytes, 16u << 10U);
        ends.settle();
        EXPECT_TRUE(read_all(*ends.client) == sample(16 << 10));
    }
}

TEST(TlsStream, ManyPiecesAreOneWriteBelow) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    flow(ends);
    const std::string head = "HTTP/1.1 200 OK\r\n\r\n", size = "ff00\r\n", body = sample(0xff00),
                      end = "\r\n0\r\n\r\n";
    std::vector<iovec> pieces;
    for (const auto* text : {&head, &size, &body, &end})
        pieces.push_back({const_cast<char*>(text->data()), text->size()});
    ends.pipe.writes = 0;
    const std::size_t whole = head.size() + size.size() + body.size() + end.size();
    EXPECT_EQ(ends.server->write_some(pieces).bytes, whole);
    EXPECT_EQ(ends.pipe.writes, 1);
    EXPECT_LT(ends.below_client->unread(), whole + 5 * 40) << "and few records";
    ends.settle();
    EXPECT_TRUE(read_all(*ends.client) == head + size + body + end);
}

TEST(TlsStream, TheHandshakesFlightIsOneWrite) {
    Ends ends(usual_server(), usual_client());
    EXPECT_EQ(ends.client->connected().status, Io::blocked);
    EXPECT_EQ(ends.pipe.writes, 1);
    ends.settle();
    char none = 0;
    EXPECT_EQ(ends.server->read_some({&none, 0}).status, Io::blocked);
    EXPECT_EQ(ends.pipe.writes, 2);
}

TEST(TlsStream, GathersOneRecordForAPeerThatPauses) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    const std::string bytes = sample(1 << 20);
    for (const bool earned : {false, true, false}) {
        if (earned) flow(ends);
        ends.pipe.capacity = 0;
        EXPECT_EQ(write(*ends.server, bytes).status, Io::blocked);
        ends.pipe.capacity = 1 << 20;
        ends.below_server->make_room();
        ends.settle();
        const std::size_t gathered = read_all(*ends.client).size();
        EXPECT_EQ(gathered, (earned ? 4u : 1u) * (16u << 10U)) << "earned " << earned;
        EXPECT_EQ(write(*ends.server, std::string_view(bytes).substr(0, gathered)).bytes, gathered);
    }
}

// Bytes reported as taken must already be sent: the caller may close right after them.
TEST(TlsStream, BytesAreTakenWhenTheirRecordsAreSent) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    ends.pipe.capacity = 10'000;
    const std::string bytes = sample(16'000);
    EXPECT_EQ(write(*ends.server, bytes).status, Io::blocked);
    EXPECT_FALSE(ends.server->writable());
    std::string received;
    IoResult written;
    for (int i = 0; i < 10 && written.bytes == 0; ++i) {
        ends.settle();
        received += read_all(*ends.client);
        written = write(*ends.server, bytes);
    }
    EXPECT_EQ(written.bytes, bytes.size());
    ends.server.reset();
    ends.settle();
    EXPECT_TRUE(received + read_all(*ends.client) == bytes);
}

TEST(TlsStream, BytesNotTakenMayBeOfferedInOtherPieces) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    ends.pipe.capacity = 10'000;
    const std::string bytes = sample(100'000);
    EXPECT_EQ(write(*ends.server, bytes).status, Io::blocked);
    std::string received;
    std::size_t taken = 0;
    for (int i = 0; i < 1000 && received.size() < bytes.size(); ++i) {
        const IoResult written = write(*ends.server, std::string_view(bytes).substr(taken, 700));
        if (written.status == Io::ok) {
            EXPECT_LE(written.bytes, 700u);
            taken += written.bytes;
        }
        ends.settle();
        received += read_all(*ends.client);
    }
    EXPECT_TRUE(received == bytes);
}

TEST(TlsStream, RoomInTheSocketNotifiesTheObserver) {
    struct Ear final : Observer {
        void notify() override { ++heard; }
        int heard = 0;
    } ear;
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    ends.pipe.capacity = 100;
    EXPECT_EQ(write(*ends.server, sample(1000)).status, Io::blocked);
    ends.pipe.capacity = 1 << 20;
    ends.server->observe(&ear);
    ends.below_server->make_room();
    ends.settle();
    EXPECT_GT(ear.heard, 0);
    EXPECT_TRUE(ends.server->writable());
    EXPECT_EQ(read_all(*ends.client), sample(1000)) << "sent without being asked again";
    EXPECT_EQ(write(*ends.server, sample(1000)).bytes, 1000u) << "and told once";
    EXPECT_EQ(read_all(*ends.client), "");
}

TEST(TlsStream, UnreadBytesStayBounded) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    const std::string bytes = sample(600'000);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const IoResult written = write(*ends.client, std::string_view(bytes).substr(sent));
        ASSERT_EQ(written.status, Io::ok);
        sent += written.bytes;
    }
    ends.settle();
    EXPECT_TRUE(ends.server->readable());
    EXPECT_FALSE(ends.server->fin());
    EXPECT_GT(ends.below_server->unread(), 500'000u) << "they stay below";
    EXPECT_TRUE(read_all(*ends.server) == bytes);
}

// A reader that has what it wanted, and further requests behind it.
std::unique_ptr<Ends> served_ends() {
    auto ends = std::make_unique<Ends>(usual_server(), usual_client());
    EXPECT_TRUE(ends->shake_hands());
    write(*ends->client, "first");
    ends->settle();
    char into[100];
    EXPECT_EQ(ends->server->read_some(into).bytes, 5u);
    return ends;
}

TEST(TlsStream, HoldsLittleOfWhatNobodyReadsYet) {
    const auto ends = served_ends();
    for (int i = 0; i < 5; ++i) write(*ends->client, sample(16'000));
    ends->settle();
    EXPECT_TRUE(ends->server->readable());
    EXPECT_LE(ends->server->held(), 512u);
    EXPECT_GT(ends->below_server->unread(), 79'000u) << "they stay below";
    std::string all;
    for (int i = 0; i < 5; ++i) all += sample(16'000);
    EXPECT_TRUE(read_all(*ends->server) == all);
    EXPECT_EQ(ends->server->held(), 0u);
}

TEST(TlsStream, HoldsASmallRecordInAsManyBytes) {
    const auto ends = served_ends();
    write(*ends->client, "second");
    write(*ends->client, "third");
    ends->settle();
    EXPECT_TRUE(ends->server->readable());
    EXPECT_LE(ends->server->held(), 512u);
    EXPECT_EQ(read_all(*ends->server), "secondthird");
}

TEST(TlsStream, CountsThePartOfARecordThatItHasRead) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    ends.pipe.capacity = 9'000;
    write(*ends.client, sample(16'000));
    ends.below_server->deliver();
    char into[100];
    EXPECT_EQ(ends.server->read_some(into).status, Io::blocked);
    EXPECT_EQ(ends.server->held(), 9'000u);
}

TEST(TlsStream, SeesTheEndBehindBytesThatItDropped) {
    const auto ends = served_ends();
    write(*ends->client, "second");
    ends->settle();
    ASSERT_GT(ends->server->held(), 0u);
    ends->server->drop_held();
    EXPECT_EQ(ends->server->held(), 0u);
    write(*ends->client, sample(100'000));
    ends->settle();
    EXPECT_EQ(ends->server->held(), 0u);
    EXPECT_FALSE(ends->server->fin());
    EXPECT_EQ(read_all(*ends->server), "") << "what follows is lost too";
    EXPECT_EQ(write(*ends->server, "answer").status, Io::ok);
    ends->settle();
    EXPECT_EQ(read_all(*ends->client), "answer");
    ends->client->finish_writing();
    ends->settle();
    EXPECT_TRUE(ends->server->fin());
}

TEST(TlsStream, MovesWithItsSocket) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    write(*ends.client, "before");
    ends.settle();
    Loop other(1);
    ends.server->detach();
    ends.server->attach(other);
    EXPECT_EQ(ends.below_server->detached, 1);
    EXPECT_EQ(ends.below_server->attached, 1);
    EXPECT_TRUE(ends.server->readable());
    EXPECT_EQ(read_all(*ends.server), "before");
}

// A server, and a peer without TLS.
struct Stranger {
    Stranger() {
        auto near = std::make_unique<MemoryStream>(pipe);
        near->join(*far);
        below = near.get();
        server = secure(usual_server(), std::move(near));
    }
    void says(std::string_view bytes) {
        write(*far, bytes);
        below->deliver();
    }
    std::string hears() {
        far->deliver();
        return read_all(*far);
    }
    Pipe pipe;
    std::unique_ptr<MemoryStream> far = std::make_unique<MemoryStream>(pipe);
    MemoryStream* below;
    std::unique_ptr<Stream> server;
};

TEST(TlsStream, PlainHttpIsAnsweredPlainly) {
    Stranger stranger;
    stranger.says("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    char into[100];
    const IoResult got = stranger.server->read_some(into);
    EXPECT_EQ(got.status, Io::failed);
    EXPECT_EQ(got.error, spoke_plainly);
    EXPECT_EQ(stranger.server->secured(), nullptr);
    write(*stranger.server, "HTTP/1.1 400 ");
    EXPECT_EQ(stranger.hears(), "HTTP/1.1 400 ");
}

TEST(TlsStream, ANonTlsPeerIsALastingFailure) {
    Stranger stranger;
    stranger.says("\x16\x03\x01\x02\x01 nonsense that is no TLS at all" + std::string(600, 'x'));
    char into[100];
    for (int i = 0; i < 3; ++i) EXPECT_EQ(stranger.server->read_some(into).status, Io::failed);
    EXPECT_EQ(write(*stranger.server, "x").status, Io::failed);
    EXPECT_TRUE(stranger.server->broken());
    EXPECT_FALSE(stranger.server->fault().empty());
    EXPECT_EQ(stranger.hears().substr(0, 1), "\x15") << "an alert says so";
}

}  // namespace
}  // namespace ticketgate::net

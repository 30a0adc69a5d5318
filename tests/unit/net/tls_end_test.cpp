// Ends of a connection: close_notify, a bare FIN, a reset; also while the stream is not read.
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

struct TlsEnding : testing::Test {
    Ends ends{usual_server(), usual_client()};
    void SetUp() override { ASSERT_TRUE(ends.shake_hands()); }
    IoResult last;
};

TEST_F(TlsEnding, CloseNotifyIsSeenWithoutARead) {
    EXPECT_FALSE(ends.server->fin());
    ends.client->finish_writing();
    ends.settle();
    EXPECT_TRUE(ends.server->fin());
    EXPECT_FALSE(ends.server->broken());
    read_all(*ends.server, &last);
    EXPECT_EQ(last.status, Io::ended);
    EXPECT_EQ(write(*ends.server, "an answer").status, Io::ok) << "it is only half closed";
    ends.settle();
    EXPECT_EQ(read_all(*ends.client), "an answer");
}

TEST_F(TlsEnding, ALookSeesItBeforeTheEvent) {
    ends.client->finish_writing();  // the event is still on its way
    EXPECT_FALSE(ends.server->fin());
    ends.server->look();
    EXPECT_TRUE(ends.server->fin());
}

TEST_F(TlsEnding, AClientsFinAloneIsItsEnd) {
    write(*ends.client, "last words");
    ends.below_client->finish_writing();
    ends.settle();
    EXPECT_TRUE(ends.server->fin()) << "though bytes are unread";
    EXPECT_FALSE(ends.server->broken());
    EXPECT_EQ(read_all(*ends.server, &last), "last words");
    EXPECT_EQ(last.status, Io::ended);
    EXPECT_EQ(write(*ends.server, "an answer").status, Io::ok);
    ends.settle();
    EXPECT_EQ(read_all(*ends.client), "an answer");
}

TEST_F(TlsEnding, AServersFinAloneIsAFailure) {
    write(*ends.server, "as much as");
    ends.below_server->finish_writing();
    ends.settle();
    EXPECT_TRUE(ends.client->fin());
    EXPECT_EQ(read_all(*ends.client, &last), "as much as");
    EXPECT_EQ(last.status, Io::failed) << "it may be a cut";
    EXPECT_EQ(ends.client->fault(), "the peer closed the connection without close_notify");
}

TEST_F(TlsEnding, AServersCloseNotifyIsAnEnd) {
    write(*ends.server, "all of it");
    ends.server->finish_writing();
    ends.settle();
    EXPECT_EQ(read_all(*ends.client, &last), "all of it");
    EXPECT_EQ(last.status, Io::ended);
}

TEST_F(TlsEnding, AResetIsAFailure) {
    ends.below_server->end(true);
    ends.settle();
    EXPECT_TRUE(ends.server->broken());
    read_all(*ends.server, &last);
    EXPECT_EQ(last.status, Io::failed);
    EXPECT_EQ(last.error, ECONNRESET);
}

TEST_F(TlsEnding, ClosingSendsCloseNotify) {
    ends.server.reset();
    ends.settle();
    read_all(*ends.client, &last);
    EXPECT_EQ(last.status, Io::ended);
}

TEST_F(TlsEnding, AbortingSendsNoCloseNotify) {
    ends.server->abort_on_close();
    EXPECT_TRUE(ends.below_server->aborted);
    ends.server.reset();
    ends.settle();
    read_all(*ends.client, &last);
    EXPECT_EQ(last.status, Io::failed);
}

TEST_F(TlsEnding, TheFinWaitsForTheLastRecords) {
    ends.pipe.capacity = 10;
    ends.server->finish_writing();
    EXPECT_FALSE(ends.below_server->finished) << "the close_notify is not out yet";
    ends.pipe.capacity = 1 << 20;
    ends.below_server->make_room();
    ends.settle();
    EXPECT_TRUE(ends.below_server->finished);
    read_all(*ends.client, &last);
    EXPECT_EQ(last.status, Io::ended);
}

TEST_F(TlsEnding, AFinInTheHandshakeEndsIt) {
    Ends fresh(usual_server(), usual_client());
    EXPECT_EQ(fresh.client->connected().status, Io::blocked);
    fresh.below_client->finish_writing();
    fresh.settle();
    char into[10];
    EXPECT_EQ(fresh.server->read_some(into).status, Io::ended);
}

}  // namespace
}  // namespace ticketgate::net

// A response between a fast and a slow side: every byte in order, the run waits for the client only
// at the limit, and each side is notified of what concerns it.
#include "proxy/reply.hpp"

#include <gtest/gtest.h>

#include <random>

#include "fake_stream.hpp"

namespace ticketgate {
namespace {

struct Delivery {
    Delivery() {
        reply.attach(client, session);
        reply.writer(&run);
    }
    void write(std::string_view a, std::string_view b = {}, bool hold = false) {
        const auto piece = [](std::string_view s) {
            return iovec{const_cast<char*>(s.data()), s.size()};
        };
        const iovec pieces[] = {piece(a), piece(b)};
        reply.write(pieces, hold);
    }

    http::SpoolBudget budget{http::SpoolBudget::Limits()};
    FakeStream client;
    Ear session, run;
    Reply reply{budget};
};

TEST(Reply, GoesStraightToAFastClient) {
    Delivery d;
    EXPECT_FALSE(d.reply.begun());
    d.write("head ", "body");
    EXPECT_EQ(d.client.outgoing, "head body");
    EXPECT_EQ(d.client.writes, 1);  // in one system call
    EXPECT_TRUE(d.reply.begun());
    EXPECT_TRUE(d.reply.drained());
    EXPECT_EQ(d.reply.taken(), 9u);
    EXPECT_EQ(d.budget.memory(), 0u);
    EXPECT_EQ(d.session.heard, 0);  // the session has nothing to do
}

TEST(Reply, KeepsBytesThatTheClientDoesNotTake) {
    for (std::size_t room = 0; room <= 9; ++room) {
        Delivery d;
        d.client.room = room;
        d.write("head ", "body");
        EXPECT_EQ(d.client.outgoing, std::string("head body").substr(0, room));
        EXPECT_EQ(d.reply.drained(), room == 9) << room;
        EXPECT_EQ(d.session.heard > 0, room != 9) << "the session hands it on";
        EXPECT_EQ(d.reply.untaken(), 9 - room);
        d.client.room = 100;
        EXPECT_TRUE(d.reply.pump());
        EXPECT_EQ(d.client.outgoing, "head body");
        EXPECT_EQ(d.reply.taken(), 9u);
        EXPECT_EQ(d.reply.untaken(), 0u);
        EXPECT_TRUE(d.reply.drained());
    }
}

TEST(Reply, NewBytesDoNotOvertakeKeptOnes) {
    Delivery d;
    d.client.room = 2;
    d.write("one ");
    d.client.room = 100;
    d.write("two ");
    EXPECT_EQ(d.client.outgoing, "on");
    EXPECT_TRUE(d.reply.pump());
    EXPECT_EQ(d.client.outgoing, "one two ");
    d.write("three");
    EXPECT_EQ(d.client.outgoing, "one two three");
}

TEST(Reply, HeldBytesWaitForTheSession) {
    Delivery d;
    d.write("last", {}, true);
    EXPECT_EQ(d.client.writes, 0);
    EXPECT_TRUE(d.reply.begun());
    d.reply.finish();
    EXPECT_EQ(d.session.take(), 1);
    EXPECT_TRUE(d.reply.pump());
    EXPECT_EQ(d.client.outgoing, "last");
    EXPECT_TRUE(d.reply.finished());
}

TEST(Reply, FinishAndFailNotifyTheSession) {
    Delivery finished, failed;
    finished.reply.finish();
    EXPECT_EQ(finished.session.take(), 1);
    EXPECT_FALSE(finished.reply.failure());
    failed.reply.fail(errc::upstream_broke);
    EXPECT_EQ(failed.session.take(), 1);
    EXPECT_EQ(failed.reply.failure(), errc::upstream_broke);
    EXPECT_FALSE(failed.reply.finished());
    EXPECT_FALSE(failed.reply.begun());  // so the session may send an error response
}

TEST(Reply, TheFirstFailureStands) {
    Delivery d;
    d.reply.fail(errc::upstream_timeout);
    d.reply.fail(errc::upstream_broke);
    EXPECT_EQ(d.reply.failure(), errc::upstream_timeout);
    Delivery finished;
    finished.reply.finish();
    finished.reply.fail(errc::upstream_broke);
    EXPECT_FALSE(finished.reply.failure());
}

TEST(Reply, AFailedReplyIsNeverFinished) {
    Delivery d;
    d.reply.fail(errc::spool_full);
    d.reply.finish();  // the backend's response has ended, but parts of it were lost
    EXPECT_FALSE(d.reply.finished());
    EXPECT_EQ(d.reply.failure(), errc::spool_full);
}

TEST(Reply, NothingIsWrittenAfterAFailure) {
    Delivery d;
    d.reply.fail(errc::upstream_timeout);
    d.write("late");
    EXPECT_EQ(d.client.outgoing, "");
    EXPECT_FALSE(d.reply.begun());
}

// After lost bytes, later ones would be taken for them.
TEST(Reply, AFailedWriteEndsTheReply) {
    Delivery d;
    d.client.breaks();
    d.write("lost");
    EXPECT_EQ(d.session.take(), 1);
    EXPECT_EQ(d.reply.failure(), errc::client_closed);
    EXPECT_FALSE(d.reply.wanted());
    d.reply.finish();
    EXPECT_FALSE(d.reply.finished());
    Delivery kept;
    kept.client.room = 0;
    kept.write("kept");
    kept.client.breaks();
    EXPECT_FALSE(kept.reply.pump());
}

TEST(Reply, TheRunGoesOnWithoutAClient) {
    Delivery d;
    d.client.room = 0;
    d.write("kept");
    EXPECT_GT(d.budget.memory(), 0u);
    EXPECT_TRUE(d.reply.wanted());
    d.run.take();
    d.reply.detach();
    EXPECT_EQ(d.run.take(), 1);  // the run may be waiting for room
    EXPECT_FALSE(d.reply.wanted());
    EXPECT_EQ(d.budget.memory(), 0u);
    d.client.room = 100;
    d.write("more");
    d.reply.write_interim("HTTP/1.1 103 Early Hints\r\n\r\n");
    d.reply.finish();
    d.reply.ask_for_body();
    EXPECT_EQ(d.client.outgoing, "");
    EXPECT_EQ(d.budget.memory(), 0u);
    EXPECT_TRUE(d.reply.finished());
}

TEST(Reply, DetachesHoweverItsSessionEnds) {
    Delivery d;
    { const Attached attached(d.reply, d.client, d.session); }
    EXPECT_FALSE(d.reply.wanted());
}

// ── back-pressure ──

TEST(Reply, TheRunStopsAtTheLimitAndIsNotifiedOfRoom) {
    Delivery d;
    d.reply.limit(10);
    d.client.room = 0;
    d.write("123456789");
    EXPECT_TRUE(d.reply.room());
    d.write("0");
    EXPECT_FALSE(d.reply.room());
    EXPECT_TRUE(d.reply.pump());
    EXPECT_EQ(d.run.take(), 0);
    d.client.room = 1;
    EXPECT_TRUE(d.reply.pump());
    EXPECT_TRUE(d.reply.room());
    EXPECT_EQ(d.run.take(), 1);
    d.client.room = 100;
    EXPECT_TRUE(d.reply.pump());
    EXPECT_EQ(d.run.take(), 0);  // notified once only
    EXPECT_EQ(d.client.outgoing, "1234567890");
}

TEST(Reply, AFullSpoolHoldsTheRunBackUntilItIsDrained) {
    Delivery d;
    http::SpoolBudget::Limits limits;
    limits.memory_per_body = limits.max_memory = 4096;
    limits.max_disk = 0;
    http::SpoolBudget small(limits);
    Reply reply(small);
    reply.attach(d.client, d.session);
    reply.writer(&d.run);
    d.client.room = 0;
    const std::string much(100'000, 'x');
    const iovec piece{const_cast<char*>(much.data()), much.size()};
    reply.write({&piece, 1}, false);
    EXPECT_FALSE(reply.failure());
    EXPECT_FALSE(reply.room());
    EXPECT_GE(small.memory(), much.size()) << "counted, though it is past the limit";
    d.client.room = much.size() - 1;
    EXPECT_TRUE(reply.pump());
    EXPECT_FALSE(reply.room());
    d.client.room = 1;
    EXPECT_TRUE(reply.pump());
    EXPECT_TRUE(reply.room());
    EXPECT_EQ(d.run.take(), 1);
    EXPECT_EQ(d.client.outgoing, much);
    EXPECT_EQ(small.memory(), 0u);
}

TEST(Reply, AskingForTheBodyNotifiesTheSession) {
    Delivery d;
    d.reply.ask_for_body();
    EXPECT_EQ(d.session.take(), 1);
}

// ── interim responses ──

TEST(Reply, AnInterimResponseDoesNotBeginTheReply) {
    Delivery d;
    d.reply.write_interim("100 ");
    EXPECT_EQ(d.client.outgoing, "100 ");
    EXPECT_FALSE(d.reply.begun());
    d.write("200");
    d.reply.write_interim("103 ");  // too late
    EXPECT_EQ(d.client.outgoing, "100 200");
}

TEST(Reply, AnInterimResponseThatIsTakenInPartStaysInOrder) {
    Delivery d;
    d.client.room = 2;
    d.reply.write_interim("100 ");
    EXPECT_FALSE(d.reply.begun());
    d.client.room = 100;
    d.write("200");
    EXPECT_TRUE(d.reply.pump());
    EXPECT_EQ(d.client.outgoing, "100 200");
}

TEST(Reply, AnInterimResponseIsKeptEvenWithoutRoom) {
    Delivery d;
    http::SpoolBudget::Limits limits;
    limits.memory_per_body = limits.max_memory = limits.max_disk = 0;
    http::SpoolBudget none(limits);
    Reply reply(none);
    reply.attach(d.client, d.session);
    d.client.room = 2;
    reply.write_interim("100 ");
    EXPECT_FALSE(reply.failure());
    EXPECT_FALSE(reply.begun());
    d.client.room = 2;
    EXPECT_TRUE(reply.pump());
    EXPECT_EQ(d.client.outgoing, "100 ");
    EXPECT_TRUE(reply.room());
}

// ── any speed of either side ──

TEST(Reply, EveryByteArrivesInOrder) {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        Delivery d;
        d.reply.limit(500);
        d.client.room = 0;
        std::string sent;
        for (int i = 0; i < 300; ++i) {
            if (random() % 3 == 0) d.client.room += random() % 300;
            d.client.most_at_once = 1 + random() % 100;
            if (random() % 2 == 0 && d.reply.room()) {
                const std::string a(random() % 200, char('a' + i % 26));
                const std::string b(random() % 50, char('A' + i % 26));
                d.write(a, b, random() % 4 == 0);
                sent += a + b;
            } else {
                ASSERT_TRUE(d.reply.pump());
            }
            ASSERT_EQ(d.client.outgoing, sent.substr(0, d.client.outgoing.size()))
                << "seed " << seed;
            ASSERT_EQ(d.reply.taken(), d.client.outgoing.size());
        }
        d.client.room = ~std::size_t{0};
        ASSERT_TRUE(d.reply.pump());
        ASSERT_EQ(d.client.outgoing, sent) << "seed " << seed;
        ASSERT_TRUE(d.reply.drained());
    }
}

}  // namespace
}  // namespace ticketgate

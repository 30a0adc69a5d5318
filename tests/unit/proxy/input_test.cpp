// Compares a client's unread bytes with a plain string. Each suspension overwrites the shared
// buffer, so a stale view shows.
#include "proxy/input.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fake_stream.hpp"

namespace ticketgate {
namespace {

struct Reading {
    net::IoResult read(std::uint64_t most = ~0ull) { return input.read(stream, buffer, most); }
    // Acts as a suspension does: other connections overwrite the loop's buffer.
    void suspend() {
        input.keep();
        std::fill(buffer.begin(), buffer.end(), '#');
    }
    std::string view() const { return std::string(input.view()); }

    FakeStream stream;
    InputBudget budget{1 << 20};
    Input input{budget};
    std::vector<char> buffer = std::vector<char>(64);
};

TEST(Input, ShowsTheBytesRead) {
    Reading r;
    EXPECT_TRUE(r.input.empty());
    r.stream.incoming = "hello world";
    EXPECT_EQ(r.read().status, net::Io::ok);
    EXPECT_EQ(r.view(), "hello world");
    r.input.consume(6);
    EXPECT_EQ(r.view(), "world");
    r.input.consume(5);
    EXPECT_TRUE(r.input.empty());
}

TEST(Input, KeepsUnusedBytesThroughASuspension) {
    Reading r;
    r.stream.incoming = "hello world";
    (void)r.read();
    r.input.consume(6);
    r.suspend();
    EXPECT_EQ(r.view(), "world");
    r.input.consume(2);
    r.suspend();
    EXPECT_EQ(r.view(), "rld");
}

TEST(Input, AppendsToKeptBytes) {
    Reading r;
    r.stream.incoming = "first ";
    (void)r.read();
    r.suspend();
    r.stream.incoming = "second";
    (void)r.read();
    EXPECT_EQ(r.view(), "first second");
    r.suspend();
    EXPECT_EQ(r.view(), "first second");
}

TEST(Input, AppendsToBytesInTheBuffer) {
    Reading r;
    r.stream.incoming = "one";
    (void)r.read();
    r.input.consume(1);
    r.stream.incoming = "two";
    (void)r.read();
    EXPECT_EQ(r.view(), "netwo");
}

TEST(Input, AReadWithoutBytesChangesNothing) {
    Reading r;
    r.stream.incoming = "kept";
    (void)r.read();
    EXPECT_EQ(r.read().status, net::Io::blocked);
    EXPECT_EQ(r.view(), "kept");
    r.stream.end = net::Io::ended;
    EXPECT_EQ(r.read().status, net::Io::ended);
    EXPECT_EQ(r.view(), "kept");
}

TEST(Input, ReadsNoMoreThanTheMessageMayHave) {
    Reading r;
    r.stream.incoming = "hello world";
    EXPECT_EQ(r.read(5).bytes, 5u);
    EXPECT_EQ(r.view(), "hello");
    EXPECT_EQ(r.stream.incoming, " world");
}

// libstdc++ keeps a string's memory when an empty one is assigned to it.
TEST(Input, FreesTheMemoryOfConsumedBytes) {
    Reading r;
    r.buffer.resize(64 << 10);
    r.stream.incoming = std::string(40'000, 'x');
    (void)r.read();
    EXPECT_EQ(r.budget.used(), 0u) << "in the loop's buffer";
    r.suspend();
    EXPECT_GE(r.budget.used(), 40'000u);
    r.stream.incoming = "y";
    (void)r.read();
    r.input.consume(40'001);
    EXPECT_EQ(r.budget.used(), 0u);
    r.suspend();
    EXPECT_EQ(r.budget.used(), 0u);
}

TEST(Input, GivesItsShareOfTheBudgetBack) {
    InputBudget budget{1 << 20};
    FakeStream stream;
    std::vector<char> buffer(1000);
    {
        Input input(budget);
        stream.incoming = std::string(1000, 'x');
        (void)input.read(stream, buffer, 1000);
        input.keep();
        EXPECT_GE(budget.used(), 1000u);
        input.drop();
        EXPECT_TRUE(input.empty());
        EXPECT_EQ(budget.used(), 0u);
        stream.incoming = std::string(1000, 'x');
        (void)input.read(stream, buffer, 1000);
        input.keep();
    }
    EXPECT_EQ(budget.used(), 0u);
}

TEST(InputBudget, PipelinedRequestsLeaveRoomForHeads) {
    InputBudget budget{80};
    const auto heads = InputBudget::Kind::head;
    budget.take(heads, 40);
    EXPECT_TRUE(budget.takes_pipelined());
    budget.take(heads, 1);
    EXPECT_FALSE(budget.takes_pipelined());
    budget.take(heads, 19);
    EXPECT_TRUE(budget.takes_heads());
    budget.take(heads, 1);
    EXPECT_FALSE(budget.takes_heads());
    budget.limit(160);
    EXPECT_TRUE(budget.takes_heads());
    EXPECT_TRUE(budget.takes_pipelined());
    EXPECT_EQ(budget.used(), 61u);
}

TEST(InputBudget, NoKindUsesUpTheShareOfAnother) {
    using Kind = InputBudget::Kind;
    for (const Kind full : {Kind::head, Kind::whole, Kind::tunnel}) {
        InputBudget budget{80};
        budget.take(full, 1000);
        for (const Kind other : {Kind::head, Kind::whole, Kind::tunnel}) {
            if (other == full) continue;
            budget.take(other, 4);
            budget.take(other, 6);
            EXPECT_TRUE(budget.takes(other, 6));
        }
        budget.take(full, 1);
        EXPECT_FALSE(budget.takes(full, 1));
    }
}

TEST(InputBudget, ASingleLargeRequestHasRoom) {
    InputBudget budget{80};
    budget.take(InputBudget::Kind::whole, 11);
    EXPECT_TRUE(budget.takes(InputBudget::Kind::whole, 11));
    budget.take(InputBudget::Kind::whole, 1);
    EXPECT_FALSE(budget.takes(InputBudget::Kind::whole, 1));
}

TEST(Input, CountsEachByteOnceAsWhatItIsNow) {
    InputBudget budget{8'000};
    FakeStream stream;
    std::vector<char> buffer(5000);
    Input input(budget);
    stream.incoming = std::string(5000, 'x');
    (void)input.read(stream, buffer, 5000);
    input.keep(2000);
    EXPECT_FALSE(budget.takes_heads());
    input.keep(2000, InputBudget::Kind::whole);
    EXPECT_TRUE(budget.takes_heads());
    EXPECT_EQ(budget.used(), 7000u);
    EXPECT_TRUE(input.fits()) << "nobody else is there";
    budget.take(InputBudget::Kind::whole, 1);
    EXPECT_FALSE(input.fits());
    input.drop();
    EXPECT_EQ(budget.used(), 1u);
}

TEST(Input, AgreesWithAString) {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        Reading r;
        std::string model;
        char next = 'a';
        for (int i = 0; i < 500; ++i) {
            const auto kind = random() % 10;
            if (kind < 4) {
                const std::string more(random() % 80, next = next == 'z' ? 'a' : char(next + 1));
                r.stream.incoming += more;
                const std::size_t before = r.stream.incoming.size();
                const auto pending = r.stream.incoming;
                (void)r.read();
                model += pending.substr(0, before - r.stream.incoming.size());
            } else if (kind < 8) {
                const std::size_t n = random() % (model.size() + 1);
                r.input.consume(n);
                model.erase(0, n);
            } else {
                r.suspend();
            }
            ASSERT_EQ(r.view(), model) << "seed " << seed << ", step " << i;
        }
    }
}

}  // namespace
}  // namespace ticketgate

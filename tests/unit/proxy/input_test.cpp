// A client's unread bytes against a plain string: the shared buffer is overwritten at every
// suspension, so a view that was not kept would show.
#include "proxy/input.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fake_stream.hpp"

namespace ticketgate {
namespace {

struct Reading {
    net::IoResult read() { return input.read(stream, buffer); }
    // What a suspension does to the loop's buffer: others read into it.
    void suspend() {
        input.keep();
        std::fill(buffer.begin(), buffer.end(), '#');
    }
    std::string view() const { return std::string(input.view()); }

    FakeStream stream;
    Input input;
    std::vector<char> buffer = std::vector<char>(64);
};

TEST(Input, ShowsWhatWasRead) {
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

TEST(Input, KeepsWhatIsUnusedThroughASuspension) {
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

TEST(Input, ReadsBehindWhatIsKept) {
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

TEST(Input, ReadsBehindWhatIsStillInTheBuffer) {
    Reading r;
    r.stream.incoming = "one";
    (void)r.read();
    r.input.consume(1);
    r.stream.incoming = "two";
    (void)r.read();
    EXPECT_EQ(r.view(), "netwo");
}

TEST(Input, AReadThatGivesNothingChangesNothing) {
    Reading r;
    r.stream.incoming = "kept";
    (void)r.read();
    EXPECT_EQ(r.read().status, net::Io::blocked);
    EXPECT_EQ(r.view(), "kept");
    r.stream.end = net::Io::ended;
    EXPECT_EQ(r.read().status, net::Io::ended);
    EXPECT_EQ(r.view(), "kept");
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

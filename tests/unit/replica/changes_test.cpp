// What the log says of a clustered queue.
#include "replica/changes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "log/line_sink.hpp"

namespace ticketgate::replica {
namespace {

LineView waiting() {
    const cluster::Instance a{"aaaa", "web-a", "a:9902"}, b{"bbbb", "web-b", "b:9902"};
    LineView out;
    out.role = cluster::Role::settling;
    out.epoch = 20;
    out.record = cluster::Line{20, b, cluster::LineState::settling, cluster::Prior{10, a, true}};
    return out;
}

// Returns what this writes.
template <class Write>
std::string said(Write write) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    std::array<char, 4096> text{};
    {
        Log log(Level::info, std::make_shared<LogFile>(ends[1]));
        write(log);
        EXPECT_TRUE(log.drain(30s));
    }
    const auto got = read(ends[0], text.data(), text.size());
    for (const int end : ends) close(end);
    return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

// Returns what is written when the queue begins to wait.
std::string said_with(const std::string& options) {
    return said([&](Log& log) { log_changes(log, "app", {}, waiting(), options); });
}

TEST(Changes, NameTheCommandThatEndsAWaitWithItsOptions) {
    const auto with = said_with("-c /etc/shop.yaml");
    EXPECT_NE(with.find("if_it_has_ended=\"ticketgate settle app 10 -c /etc/shop.yaml\""),
              std::string::npos)
        << with;
    const auto without = said_with("");
    EXPECT_NE(without.find("if_it_has_ended=\"ticketgate settle app 10\""), std::string::npos)
        << without;
}

// The command that ends the wait writes, too.
TEST(Changes, TellOfAKeptLineWhetherTheStoreTakesTheCommand) {
    const auto kept = [](const StoreProblem& problem) {
        LineView view = waiting();
        view.rid = false;
        return said([&](Log& log) { log_kept(log, "app", view, problem, "-c x.yaml"); });
    };
    const auto away = kept({"no answer", false}), full = kept({"no room", true});
    EXPECT_NE(away.find("it stands until an operator settles it queue=app epoch=10 "),
              std::string::npos)
        << away;
    EXPECT_NE(full.find("it stands until the cluster's store takes writes again, and an operator "
                        "settles it then queue=app epoch=10 why=\"no room\" "
                        "command=\"ticketgate settle app 10 -c x.yaml\""),
              std::string::npos)
        << full;
}

}  // namespace
}  // namespace ticketgate::replica

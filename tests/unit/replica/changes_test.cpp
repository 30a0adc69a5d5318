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

// Returns what is written when the queue begins to wait.
std::string said_with(const std::string& options) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    std::array<char, 4096> text{};
    {
        Log log(Level::info, std::make_shared<LogFile>(ends[1]));
        log_changes(log, "app", {}, waiting(), options);
        EXPECT_TRUE(log.drain(30s));
    }
    const auto got = read(ends[0], text.data(), text.size());
    for (const int end : ends) close(end);
    return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
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

}  // namespace
}  // namespace ticketgate::replica

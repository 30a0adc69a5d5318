// A forked child begins with the parent's generator state and must not repeat the parent's ids.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "ids/generator.hpp"

namespace ticketgate::ids {
namespace {

constexpr WallTime now{1'795'186'941'000'000};
constexpr Machine machine{.address = 0x0a000001, .process = 4711, .worker = 7, .datacenter = 0};
constexpr int count = 500;

std::string lines(Generator& generator, Format format) {
    std::string out;
    for (int i = 0; i < count; ++i) out.append(generator.next(format, now).view()).push_back('\n');
    return out;
}

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const auto wrote = write(to, text.data(), text.size());
        if (wrote <= 0) _exit(1);
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

std::string read_all(int from) {
    std::string text;
    char piece[4096];
    for (ssize_t got; (got = read(from, piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(got));
    return text;
}

std::string lines_of_a_child(Generator& generator, Format format) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        write_all(ends[1], lines(generator, format));
        _exit(0);
    }
    close(ends[1]);
    const auto text = read_all(ends[0]);
    close(ends[0]);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return text;
}

TEST(Fork, AChildRepeatsNothingOfItsParent) {
    for (std::size_t i = 0; i < format_names.size(); ++i) {
        const auto format = static_cast<Format>(i);
        if (needs_worker(format)) continue;
        Generator generator(machine);
        std::set<std::string> seen;
        for (const auto& text : {lines(generator, format), lines_of_a_child(generator, format),
                                 lines_of_a_child(generator, format), lines(generator, format)})
            for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
                EXPECT_TRUE(seen.insert(text.substr(at, text.find('\n', at) - at)).second)
                    << format_names[i];
        EXPECT_EQ(seen.size(), 4u * count) << format_names[i];
    }
}

// Child and parent share a worker number, and the format has no other field that differs.
TEST(Fork, AChildMakesNoSnowflakes) {
    Generator generator(machine);
    EXPECT_EQ(lines_of_a_child(generator, Format::snowflake), std::string(count, '\n'));
    EXPECT_NE(generator.next(Format::snowflake, now).view(), "");
}

TEST(Fork, IsNoticedOnceInTheChildAndNeverInTheParent) {
    ForkMark mark;
    EXPECT_FALSE(mark.forked());
    const pid_t child = fork();
    if (child == 0) _exit(mark.forked() && !mark.forked() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(mark.forked());
}

}  // namespace
}  // namespace ticketgate::ids

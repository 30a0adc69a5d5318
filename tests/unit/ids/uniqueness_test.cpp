// Makes many ids of each format under every kind of clock and finds no duplicates. Generators that
// are broken on purpose prove that this test would notice. loadtest/unique_ids.cpp does the same
// with 100 million ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "ids/generator.hpp"

namespace ticketgate::ids {
namespace {

// More than twice the range of httpd's counter, 32 times that of a snowflake.
constexpr std::size_t many = 140'000;
constexpr std::int64_t start_us = 1'795'186'941'000'000;
constexpr Machine machine{.address = 0x0a000001, .process = 4711, .worker = 7, .datacenter = 21};

using Clock = std::function<WallTime(std::size_t)>;

// An id's text as plain bytes: a million are sorted here, in a build without optimisation.
struct Text {
    char bytes[40] = {};  // the longest id has 36
    friend bool operator<(const Text& a, const Text& b) {
        return std::memcmp(a.bytes, b.bytes, sizeof a.bytes) < 0;
    }
    friend bool operator==(const Text& a, const Text& b) {
        return std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
    }
};

// A clock with 70,000 readings in each second.
WallTime busy(std::size_t i) {
    return {start_us + static_cast<std::int64_t>(i) * 1'000'000 / 70'000};
}

// The same clock, set back by two seconds at every 50,000th reading.
WallTime stepping_back(std::size_t i) {
    return {busy(i).unix_us - static_cast<std::int64_t>(i / 50'000) * 2'000'000};
}

// A clock whose readings jump at random within ten seconds.
WallTime jumping(std::size_t i) {
    std::minstd_rand random(static_cast<unsigned>(i + 1));
    random.discard(2);
    return {start_us + static_cast<std::int64_t>(random() % 10'000'000)};
}

WallTime stopped(std::size_t) {
    return {start_us};
}

const Clock clocks[] = {busy, stepping_back, jumping, stopped};

std::vector<Text> made(Generator& generator, Format format, const Clock& clock, std::size_t count) {
    std::vector<Text> ids(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto id = generator.next(format, clock(i));
        std::copy_n(id.view().data(), id.view().size(), ids[i].bytes);
    }
    return ids;
}

std::size_t duplicates(std::vector<Text> ids) {
    std::sort(ids.begin(), ids.end());
    return static_cast<std::size_t>(ids.end() - std::unique(ids.begin(), ids.end()));
}

void append(std::vector<Text>& all, const std::vector<Text>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

template <class Use>
void for_each_format(Use use) {
    for (std::size_t i = 0; i < format_names.size(); ++i) {
        SCOPED_TRACE(format_names[i]);
        use(static_cast<Format>(i));
    }
}

TEST(Unique, NothingIsRepeatedUnderAnyClock) {
    for_each_format([](Format format) {
        for (const Clock& clock : clocks) {
            Generator generator(machine);
            EXPECT_EQ(duplicates(made(generator, format, clock, many)), 0u);
        }
    });
}

TEST(Unique, TimeOrderedFormatsRiseUnderEveryClock) {
    for (const Format format : {Format::txid, Format::uuidv7, Format::ulid, Format::snowflake})
        for (const Clock& clock : clocks) {
            Generator generator(machine);
            const auto ids = made(generator, format, clock, many);
            EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << name_of(format);
        }
}

TEST(Unique, NothingIsRepeatedByFourThreads) {
    for_each_format([](Format format) {
        std::array<std::vector<Text>, 4> parts;
        std::vector<std::jthread> threads;
        for (std::uint32_t t = 0; t < parts.size(); ++t)
            threads.emplace_back([&, t] {
                Generator generator(machine, {t, 4});
                parts[t] = made(generator, format, busy, many / 4);
            });
        threads.clear();
        std::vector<Text> all;
        for (const auto& part : parts) append(all, part);
        EXPECT_EQ(duplicates(all), 0u);
    });
}

// Another process has another process id or worker number; other formats rely on random bits.
TEST(Unique, NothingIsRepeatedByAnotherProcess) {
    Machine other = machine;
    other.process = 4712;
    other.worker = 8;
    for_each_format([&](Format format) {
        Generator a(machine), b(other);
        auto all = made(a, format, stepping_back, many / 2);
        append(all, made(b, format, stepping_back, many / 2));
        EXPECT_EQ(duplicates(all), 0u);
    });
}

TEST(Unique, NothingIsRepeatedWithoutEntropy) {
    const auto fail = [](std::span<std::uint8_t>) { return false; };
    Machine other = machine;
    other.process = 4712;
    other.worker = 8;
    for_each_format([&](Format format) {
        Generator a(machine, {}, Entropy(fail)), b(other, {}, Entropy(fail));
        auto all = made(a, format, stepping_back, many / 2);
        append(all, made(b, format, stepping_back, many / 2));
        EXPECT_EQ(duplicates(all), 0u);
    });
}

// An entropy source that reports success and always returns the same bytes: roots never differ, so
// the second 65,536 unique ids of a second repeat the first, and for the other formats two
// generators make the same ids.
TEST(Unique, TheCheckSeesABrokenSource) {
    const auto broken = [](std::span<std::uint8_t> out) {
        std::fill(out.begin(), out.end(), std::uint8_t{42});
        return true;
    };
    Generator a({}, {}, Entropy(broken)), b({}, {}, Entropy(broken));
    EXPECT_EQ(duplicates(made(a, Format::httpd_2_4_47, stopped, 70'000)), 70'000u - 65'536u);
    for (const Format format : {Format::txid, Format::uuidv7, Format::ulid}) {
        auto all = made(a, format, busy, 1000);
        append(all, made(b, format, busy, 1000));
        EXPECT_EQ(duplicates(all), 1000u) << name_of(format);
    }
}

// A clock that starts again at an earlier time, as after a restart: ids without randomness repeat.
TEST(Unique, TheCheckSeesABrokenClock) {
    Generator before(machine), after(machine);
    auto all = made(before, Format::snowflake, busy, 1000);
    append(all, made(after, Format::snowflake, busy, 1000));
    EXPECT_EQ(duplicates(all), 1000u);
}

}  // namespace
}  // namespace ticketgate::ids

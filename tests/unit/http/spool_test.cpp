#include "http/spool.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "base/kept_descriptors.hpp"

namespace ticketgate::http {
namespace {

constexpr std::size_t kib = 1 << 10;

struct SpoolTest : testing::Test {
    SpoolTest() {
        std::string name = testing::TempDir() + "spool_test_XXXXXX";
        directory = ::mkdtemp(name.data());
    }
    ~SpoolTest() override {
        EXPECT_TRUE(std::filesystem::is_empty(directory)) << "a spool file has a name";
        std::filesystem::remove_all(directory);
    }

    SpoolBudget::Limits limits(std::uint64_t body, std::uint64_t memory, std::uint64_t disk) const {
        return {body, memory, disk, directory};
    }

    std::string directory;
};

std::string noise(std::size_t size, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::string bytes(size, 0);
    for (char& c : bytes) c = static_cast<char>(random());
    return bytes;
}

std::string drain(Spool& spool, std::size_t most = 64 * kib) {
    std::string all;
    while (!spool.empty()) {
        const auto bytes = spool.front(most);
        if (!bytes || bytes->empty()) return all + "stuck";
        all += *bytes;
        spool.consume(bytes->size());
    }
    return all;
}

void expect_unused(const SpoolBudget& budget) {
    EXPECT_EQ(budget.memory(), 0u);
    EXPECT_EQ(budget.disk(), 0u);
}

TEST_F(SpoolTest, SmallBodiesTakeOneSmallBlock) {
    SpoolBudget budget(limits(64 * kib, 1024 * kib, 1024 * kib));
    Spool spool(budget);
    EXPECT_EQ(spool.front()->size(), 0u);
    ASSERT_FALSE(spool.append("hello"));
    ASSERT_FALSE(spool.append(" world"));
    EXPECT_EQ(budget.memory(), 2 * kib);
    EXPECT_EQ(*spool.front(5), "hello");
    EXPECT_EQ(*spool.front(), "hello world");
    spool.consume(3);
    EXPECT_EQ(*spool.front(), "lo world");
    EXPECT_EQ(spool.size(), 8u);
    spool.consume(8);
    expect_unused(budget);
}

TEST_F(SpoolTest, BlocksDouble) {
    SpoolBudget budget(limits(1024 * kib, 1024 * kib, 0));
    Spool spool(budget);
    ASSERT_FALSE(spool.append(noise(1)));
    for (const std::size_t total : {2, 6, 14, 30, 62, 94}) {
        EXPECT_EQ(budget.memory(), total * kib);
        ASSERT_FALSE(spool.append(noise(total * kib - spool.size())));
        EXPECT_EQ(budget.memory(), total * kib);
        ASSERT_FALSE(spool.append(noise(1)));
    }
}

TEST_F(SpoolTest, PastTheThresholdIntoAFileAndBack) {
    SpoolBudget budget(limits(64 * kib, 1024 * kib, 1024 * kib));
    Spool spool(budget);
    const auto bytes = noise(200 * kib);
    ASSERT_FALSE(spool.append(bytes));
    EXPECT_TRUE(spool.on_disk());
    EXPECT_EQ(budget.memory(), 64 * kib);
    EXPECT_EQ(budget.disk(), 136 * kib);
    EXPECT_EQ(drain(spool, 1000), bytes);
    EXPECT_FALSE(spool.on_disk());
    expect_unused(budget);
    ASSERT_FALSE(spool.append("again"));
    EXPECT_FALSE(spool.on_disk());
    EXPECT_EQ(drain(spool), "again");
}

TEST_F(SpoolTest, AppendsFollowTheFileUntilItIsDrained) {
    SpoolBudget budget(limits(2 * kib, 1024 * kib, 1024 * kib));
    Spool spool(budget);
    ASSERT_FALSE(spool.append(noise(3 * kib)));
    spool.consume(2 * kib + 100);
    ASSERT_FALSE(spool.append("tail"));
    EXPECT_TRUE(spool.on_disk());
    EXPECT_EQ(drain(spool), noise(3 * kib).substr(2 * kib + 100) + "tail");
    expect_unused(budget);
}

TEST_F(SpoolTest, WithoutMemoryStraightToAFile) {
    SpoolBudget budget(limits(0, 1024 * kib, 1024 * kib));
    Spool spool(budget);
    ASSERT_FALSE(spool.append("abc"));
    EXPECT_TRUE(spool.on_disk());
    EXPECT_EQ(budget.memory(), 0u);
    EXPECT_EQ(*spool.front(2), "ab");
    spool.clear();
    EXPECT_TRUE(spool.empty());
    expect_unused(budget);
}

TEST_F(SpoolTest, MemoryOfAllExhaustedMeansDisk) {
    SpoolBudget budget(limits(64 * kib, 4 * kib, 1024 * kib));
    Spool first(budget), second(budget);
    ASSERT_FALSE(first.append(noise(4 * kib)));
    EXPECT_FALSE(first.on_disk());
    ASSERT_FALSE(second.append("abc"));
    EXPECT_TRUE(second.on_disk());
    EXPECT_EQ(budget.memory(), 4 * kib);
    EXPECT_EQ(budget.disk(), 3u);
    EXPECT_EQ(drain(second), "abc");
}

TEST_F(SpoolTest, DiskExhaustedIsAnErrorThatChangesNothing) {
    SpoolBudget budget(limits(2 * kib, 64 * kib, 1 * kib));
    Spool spool(budget);
    EXPECT_EQ(spool.append(noise(4 * kib)), errc::spool_full);
    EXPECT_TRUE(spool.empty());
    expect_unused(budget);
    ASSERT_FALSE(spool.append(noise(2 * kib + 1000)));
    EXPECT_EQ(spool.append(noise(100)), errc::spool_full);
    ASSERT_FALSE(spool.append(noise(24)));
    EXPECT_EQ(drain(spool), noise(2 * kib + 1000) + noise(24));
    expect_unused(budget);
}

TEST_F(SpoolTest, NoFileCanBeMade) {
    auto nowhere = limits(2 * kib, 64 * kib, 64 * kib);
    nowhere.directory += "/missing";
    SpoolBudget budget(nowhere);
    Spool spool(budget);
    ASSERT_FALSE(spool.append(noise(kib)));
    EXPECT_EQ(spool.append(noise(2 * kib)), errc::spool_full);
    EXPECT_EQ(spool.size(), kib);
    EXPECT_FALSE(spool.on_disk());
    ASSERT_FALSE(spool.append(noise(kib)));
    EXPECT_EQ(drain(spool), noise(kib) + noise(kib));
    expect_unused(budget);
}

// Waiting bodies would otherwise hold the descriptors that the end of a slot needs.
TEST_F(SpoolTest, NoFileTakesADescriptorThatIsKept) {
    SpoolBudget budget(limits(2 * kib, 64 * kib, 64 * kib));
    Spool spool(budget);
    keep_descriptors_from(0);
    const auto failure = spool.append(noise(4 * kib));
    keep_descriptors_from(std::numeric_limits<int>::max());
    EXPECT_EQ(failure, errc::spool_full);
    EXPECT_EQ(budget.fault(), EMFILE);
    ASSERT_FALSE(spool.append(noise(4 * kib)));
    EXPECT_EQ(drain(spool), noise(4 * kib));
    expect_unused(budget);
}

TEST_F(SpoolTest, OverflowKeepsBytesPastTheLimitsAndRefusesMoreUntilDrained) {
    SpoolBudget budget(limits(2 * kib, 64 * kib, 1 * kib));
    Spool spool(budget);
    const std::string first = noise(2 * kib + 500), second = noise(100 * kib);
    ASSERT_FALSE(spool.append(first));
    EXPECT_TRUE(spool.on_disk());
    ASSERT_TRUE(spool.append(second));
    spool.overflow(second);
    EXPECT_TRUE(spool.overflowing());
    EXPECT_EQ(spool.append("a"), errc::spool_full);
    EXPECT_GE(budget.memory(), second.size());
    EXPECT_EQ(drain(spool), first + second) << "in order: memory, file, overflow";
    EXPECT_FALSE(spool.overflowing());
    expect_unused(budget);
    ASSERT_FALSE(spool.append(first));
    spool.overflow(second);
    spool.clear();
    expect_unused(budget);
}

TEST_F(SpoolTest, OverflowGoesToTheFileOnceAnotherSpoolHasFreedTheDisk) {
    SpoolBudget budget(limits(2 * kib, 2 * kib, 64 * kib));
    Spool other(budget), spool(budget), behind_file(budget);
    ASSERT_FALSE(other.append(noise(60 * kib)));
    ASSERT_FALSE(behind_file.append(noise(1 * kib)));
    const std::string bytes = noise(20 * kib);
    for (Spool* const waits : {&spool, &behind_file}) {
        ASSERT_TRUE(waits->append(bytes));
        waits->overflow(bytes);
        waits->settle();
        EXPECT_TRUE(waits->overflowing()) << "there is no room yet";
    }
    spool.consume(5 * kib);
    other.clear();
    for (Spool* const waits : {&spool, &behind_file}) {
        waits->settle();
        EXPECT_FALSE(waits->overflowing());
        EXPECT_TRUE(waits->on_disk());
        ASSERT_FALSE(waits->append("!"));
    }
    EXPECT_EQ(drain(spool), bytes.substr(5 * kib) + "!");
    EXPECT_EQ(drain(behind_file), noise(1 * kib) + bytes + "!");
    expect_unused(budget);
}

// Many slow readers of answers on disk.
TEST_F(SpoolTest, ReadingBodiesBackKeepsTheLimitOfMemory) {
    SpoolBudget budget(limits(0, 128 * kib, 4096 * kib));
    std::vector<std::unique_ptr<Spool>> spools;
    const auto body = noise(100 * kib);
    for (int i = 0; i < 5; ++i) {
        spools.push_back(std::make_unique<Spool>(budget));
        ASSERT_FALSE(spools.back()->append(body));
        ASSERT_TRUE(spools.back()->front());
        EXPECT_LE(budget.memory(), 128 * kib);
    }
    for (const auto& spool : spools) EXPECT_EQ(drain(*spool), body);
    expect_unused(budget);
}

TEST_F(SpoolTest, DestructionReturnsEverything) {
    SpoolBudget budget(limits(8 * kib, 64 * kib, 1024 * kib));
    {
        Spool spool(budget);
        ASSERT_FALSE(spool.append(noise(100 * kib)));
        spool.consume(50 * kib);
        ASSERT_TRUE(spool.front());
        EXPECT_GT(budget.memory(), 0u);
        EXPECT_GT(budget.disk(), 0u);
    }
    expect_unused(budget);
}

// With a reader slightly behind the writer, 64 MiB pass through a disk budget of 4 MiB if the file
// system can punch holes.
TEST_F(SpoolTest, DiskAlreadyReadIsGivenBackOnTheWay) {
    SpoolBudget budget(limits(0, 64 * kib, 4096 * kib));
    Spool spool(budget);
    const auto part = noise(256 * kib);
    ASSERT_FALSE(spool.append(part));
    for (int i = 0; i < 256; ++i) {
        if (spool.append(part)) GTEST_SKIP() << "no holes in this file system";
        std::string read;
        while (read.size() < part.size()) {
            const auto bytes = spool.front(part.size() - read.size());
            ASSERT_TRUE(bytes && !bytes->empty());
            read += *bytes;
            spool.consume(bytes->size());
        }
        ASSERT_EQ(read, part);
        ASSERT_LE(budget.disk(), 2048 * kib);
    }
    EXPECT_TRUE(spool.on_disk());
    EXPECT_EQ(drain(spool), part);
    expect_unused(budget);
}

TEST_F(SpoolTest, ConsumesAcrossBlocksAndFile) {
    SpoolBudget budget(limits(6 * kib, 64 * kib, 1024 * kib));
    Spool spool(budget);
    const auto bytes = noise(300 * kib);
    for (std::size_t i = 0; i < bytes.size(); i += 500)
        ASSERT_FALSE(spool.append(bytes.substr(i, 500)));
    ASSERT_TRUE(spool.front());
    spool.consume(150 * kib);
    ASSERT_TRUE(spool.front(10));
    spool.consume(100 * kib);
    EXPECT_EQ(drain(spool), bytes.substr(250 * kib));
    expect_unused(budget);
}

// Compares with a string: writes and reads of random sizes, with budgets from zero to ample.
TEST_F(SpoolTest, BehavesLikeAString) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto up_to = [&](std::size_t n) { return random() % (n + 1); };
        SpoolBudget budget(
            limits(up_to(3) * up_to(40 * kib), up_to(100 * kib), up_to(4) * 100 * kib));
        Spool spool(budget);
        std::string model;
        for (int step = 0; step < 400; ++step) {
            if (random() % 5 < 2) {
                const auto bytes =
                    noise(up_to(1) ? up_to(100) : up_to(30 * kib), static_cast<unsigned>(step));
                if (!spool.append(bytes)) model += bytes;
            } else {
                const auto front = spool.front(up_to(1) ? 64 * kib : 1 + up_to(5000));
                ASSERT_TRUE(front);
                ASSERT_EQ(front->empty(), model.empty());
                ASSERT_EQ(*front, std::string_view(model).substr(0, front->size()));
                const std::size_t n =
                    random() % 20 == 0 ? up_to(model.size()) : up_to(front->size());
                spool.consume(n);
                model.erase(0, n);
            }
            ASSERT_EQ(spool.size(), model.size());
        }
        ASSERT_EQ(drain(spool), model);
        expect_unused(budget);
    }
}

}  // namespace
}  // namespace ticketgate::http

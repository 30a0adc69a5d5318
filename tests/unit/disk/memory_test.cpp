// The readers of the disk without memory: a task is done, or it is refused and never done.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "../../support/no_memory.hpp"
#include "disk/readers.hpp"
#include "support/patience.hpp"

namespace ticketgate::disk {
namespace {

class Counted final : public Task {
 public:
    std::atomic<int> worked{0};

 private:
    void work() override { ++worked; }
};

// Null: refused.
std::shared_ptr<Counted> submit(Readers& readers, net::Loop& loop, const std::string& root,
                                int pieces, std::vector<std::shared_ptr<Counted>>& refused) {
    auto task = std::make_shared<Counted>();
    bool taken = false;
    try {
        const NoMemory shortage(pieces);
        taken = readers.submit(root, task, loop);
    } catch (const std::bad_alloc&) {
        taken = false;
    }
    if (taken) return task;
    refused.push_back(std::move(task));
    return nullptr;
}

bool done(const std::shared_ptr<Counted>& task) {
    return task->done();
}

// Wherever memory ends: in the line, in the turn, in the thread.
TEST(ReadersWithoutMemory, DoWhatTheyTakeAndNothingElse) {
    net::Loop loop(0);
    Readers readers;
    std::vector<std::shared_ptr<Counted>> taken, refused;
    for (int i = 0; i < 2000; ++i) {
        const std::string root = "/a root with a name that is not short " + std::to_string(i % 3);
        auto task = submit(readers, loop, root, i % 11, refused);
        if (!task) continue;
        taken.push_back(std::move(task));
        if (i % 50 != 0) continue;
        ASSERT_TRUE(test::eventually([&] {
            loop.run_once(1ms);
            return std::ranges::all_of(taken, done);
        })) << "task "
            << i;
    }
    ASSERT_TRUE(test::eventually([&] {
        loop.run_once(1ms);
        return std::ranges::all_of(taken, done);
    }));
    EXPECT_GT(refused.size(), 100u);
    EXPECT_GT(taken.size(), 100u);
    for (const auto& task : taken) EXPECT_EQ(task->worked, 1);
    for (const auto& task : refused) EXPECT_EQ(task->worked, 0);
    for (const auto& task : refused) EXPECT_EQ(task.use_count(), 1) << "nobody keeps it";
}

}  // namespace
}  // namespace ticketgate::disk

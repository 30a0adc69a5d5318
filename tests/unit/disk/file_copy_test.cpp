#include "disk/file_copy.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace ticketgate::disk {
namespace {

class Copies : public testing::Test {
 protected:
    // As the file system says, or as one that does not tell what the system has in memory.
    OpenedFile opened(const std::string& text, Place place = Place::untold) const {
        (void)folder_.write("file", text);
        auto file = std::make_shared<const Descriptor>(
            ::open(folder_.file("file").c_str(), O_RDONLY | O_CLOEXEC));
        const auto seen = look_at(file->get());
        return {seen.value().identity, file, place};
    }
    std::unique_ptr<File> file(const OpenedFile& opened) const {
        EXPECT_TRUE(budget_->take());
        return std::make_unique<File>(opened, budget_);
    }
    static std::string now(const File& file, std::uint64_t from = 0) {
        std::string out(1000, 0);
        const ReadResult read = file.read_now(from, out);
        return read.error == 0 ? out.substr(0, read.bytes) : std::string("must wait");
    }

    const test::TemporaryFolder folder_;
    const std::shared_ptr<OpenFiles> budget_ = std::make_shared<OpenFiles>();
    const std::shared_ptr<CopyBudget> copies_ = std::make_shared<CopyBudget>();
};

TEST_F(Copies, AreReadWithoutWaiting) {
    const auto original = file(opened("what the file says"));
    EXPECT_EQ(now(*original), "must wait");
    EXPECT_FALSE(original->in_memory(0, 4));
    const SharedDescriptor copy = copy_of(*original, copies_);
    ASSERT_NE(copy, nullptr);
    original->use({original->identity(), copy, Place::memory});
    EXPECT_EQ(now(*original), "what the file says");
    EXPECT_EQ(now(*original, 9), "file says");
    EXPECT_TRUE(original->in_memory(0, 4));
}

TEST_F(Copies, StayWhatTheFileWas) {
    const auto original = file(opened("before"));
    original->use({original->identity(), copy_of(*original, copies_), Place::memory});
    (void)folder_.write("file", "after");
    EXPECT_EQ(now(*original), "before");
}

TEST_F(Copies, GiveTheirMemoryBackWithTheLastOwner) {
    const auto original = file(opened(std::string(1000, 'x')));
    SharedDescriptor copy = copy_of(*original, copies_);
    EXPECT_EQ(copies_->used(), 8192u) << "its page, and one for the rest";
    const SharedDescriptor other = std::exchange(copy, nullptr);
    EXPECT_EQ(copies_->used(), 8192u);
    EXPECT_EQ(::fcntl(other->get(), F_GETFD), FD_CLOEXEC) << "no worker inherits it";
    EXPECT_EQ(other.use_count(), 1);
}

TEST_F(Copies, ReturnToTheLimit) {
    const auto original = file(opened(std::string(1000, 'x')));
    (void)copy_of(*original, copies_);
    EXPECT_EQ(copies_->used(), 0u);
}

TEST_F(Copies, TakeNoMoreMemoryThanTheLimit) {
    copies_->limit(65'536, 100);
    const auto large = file(opened(std::string(4097, 'x')));
    EXPECT_EQ(copy_of(*large, copies_), nullptr) << "more than an eighth";
    const auto small = file(opened(std::string(1, 'x')));
    std::vector<SharedDescriptor> copies;
    while (SharedDescriptor copy = copy_of(*small, copies_)) copies.push_back(std::move(copy));
    EXPECT_EQ(copies.size(), 8u);
    copies.pop_back();
    EXPECT_NE(copy_of(*small, copies_), nullptr);
    copies_->limit(0, 100);
    copies.clear();
    EXPECT_EQ(copy_of(*small, copies_), nullptr);
    EXPECT_EQ(copies_->used(), 0u);
}

// A slow client uses its copy for longer than KeptFiles keeps it.
TEST_F(Copies, AreNotMoreThanTheLimit) {
    copies_->limit(1 << 20, 3);
    const auto one = file(opened("one"));
    std::vector<SharedDescriptor> copies;
    while (SharedDescriptor copy = copy_of(*one, copies_)) copies.push_back(std::move(copy));
    EXPECT_EQ(copies.size(), 3u);
    EXPECT_EQ(copy_of(*file(opened(std::string(200'000, 'x'))), copies_), nullptr) << "too large";
    EXPECT_EQ(copies_->copies(), 3u) << "none that was not made counts";
    copies.pop_back();
    EXPECT_NE(copy_of(*one, copies_), nullptr);
    EXPECT_EQ(copies_->copies(), 2u);
    copies.clear();
    EXPECT_EQ(copies_->copies(), 0u);
}

TEST_F(Copies, OfAFileThatBecameShorterAreNotMade) {
    const OpenedFile longer = opened("it was longer");
    (void)folder_.write("file", "now");
    EXPECT_EQ(copy_of(*file(longer), copies_), nullptr);
    EXPECT_EQ(copy_of(*file(opened("")), copies_), nullptr) << "nothing to copy";
    EXPECT_EQ(copies_->used(), 0u);
}

// So no other file, nor one of another file system, gets its identity.
TEST_F(Copies, KeepTheirFileOpen) {
    OpenedFile original = opened("what the file says");
    const std::weak_ptr<const Descriptor> is_open = original.descriptor;
    SharedDescriptor copy = copy_of(*file(original), copies_);
    original.descriptor = nullptr;
    EXPECT_FALSE(is_open.expired());
    copy = nullptr;
    EXPECT_TRUE(is_open.expired());
}

TEST_F(Copies, AreGivenUpWhereTheDiskIsSlow) {
    const auto large = file(opened(std::string(1 << 20, 'x')));
    EXPECT_EQ(copy_of(*large, copies_, 0s), nullptr);
    EXPECT_EQ(copies_->used(), 0u);
    const auto small = file(opened("read at once"));
    EXPECT_NE(copy_of(*small, copies_, 0s), nullptr) << "all is read by then";
}

class KeptCopies : public Copies {
 protected:
    KeptCopies() {
        one_.identity.changed_ns = one_.identity.mtime_ns = (today_.unix_us - 2'000'000) * 1000;
        kept_.keep(one_, now_);
    }
    bool wants(const OpenedFile& file) { return kept_.wants_copy(file.identity, now_, today_); }

    const WallTime today_{1'700'000'000'000'000};
    Time now_ = Time(1h);
    OpenedFile one_ = opened("one");
    KeptFiles kept_;
};

TEST_F(KeptCopies, AreMadeOnceOfAFileThatIsFoundAgain) {
    EXPECT_FALSE(wants(one_)) << "only its first client has it";
    EXPECT_TRUE(kept_.find(one_.identity, now_));
    EXPECT_TRUE(wants(one_));
    EXPECT_FALSE(wants(one_)) << "somebody makes it";
    EXPECT_TRUE(kept_.find(one_.identity, now_));
    EXPECT_FALSE(wants(one_));
}

// The next change might have the same time, and the copy would pass for it.
TEST_F(KeptCopies, AreNotMadeOfAFileThatHasJustChanged) {
    for (std::int64_t Identity::*time : {&Identity::changed_ns, &Identity::mtime_ns}) {
        OpenedFile young = one_;
        young.identity.*time += 1'000'000;
        kept_.keep(young, now_);
        EXPECT_TRUE(kept_.find(young.identity, now_));
        EXPECT_FALSE(wants(young));
    }
}

TEST_F(KeptCopies, StandForTheFileAsLongAsItWouldBeKept) {
    OpenedFile copy = one_;
    copy.place = Place::memory;
    kept_.replace(copy, now_ + 500ms);
    EXPECT_EQ(kept_.size(), 1u);
    EXPECT_EQ(kept_.find(one_.identity, now_ + 999ms).value_or(one_).place, Place::memory);
    OpenedFile other = one_;
    other.identity.changed_ns += 1;
    EXPECT_FALSE(kept_.find(other.identity, now_));
    EXPECT_FALSE(kept_.find(one_.identity, now_ + 1s));
    EXPECT_FALSE(kept_.wants_copy(one_.identity, now_ + 1s, today_));
}

TEST_F(KeptCopies, CountAsTwoDescriptors) {
    OpenedFile copy = one_;
    copy.place = Place::memory;
    for (int i = 0; i < 200; ++i) {
        ++copy.identity.inode;
        kept_.keep(copy, now_);
    }
    EXPECT_EQ(kept_.size(), 64u);
}

TEST_F(KeptCopies, ThatTookTooLongAreKeptThemselves) {
    EXPECT_EQ(kept_.forget(now_ + 1s), never);
    kept_.replace(one_, now_ + 1s);
    EXPECT_TRUE(kept_.find(one_.identity, now_ + 1s));
}

}  // namespace
}  // namespace ticketgate::disk

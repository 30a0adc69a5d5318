#include "disk/folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/temporary_folder.hpp"

namespace ticketgate::disk {
namespace {

using Kind = files::Found::Kind;
namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
    Folders() {
        fs::create_directories(at("root/sub/deep"));
        write("root/a.txt", "inside");
        write("root/sub/b.txt", "inside");
        write("outside.txt", "outside");
        fs::create_symlink("../outside.txt", at("root/out"));
        fs::create_symlink("..", at("root/sub/deep/up"));
        fs::create_symlink("../..", at("root/parent"));
        fs::create_symlink("sub/b.txt", at("root/within"));
        fs::create_symlink("/etc/passwd", at("root/absolute"));
        fs::create_symlink(at("root/a.txt"), at("root/absolute_within"));
        fs::create_symlink("circle", at("root/circle"));
        fs::create_symlink("/proc/self/fd/0", at("root/magic"));
        (void)::mkfifo(at("root/fifo").c_str(), 0600);
    }
    std::string at(const std::string& name) const { return folder_.file(name); }
    void write(const std::string& name, const std::string& text) const {
        (void)folder_.write(name, text);
    }
    Root root() const {
        int error = 0;
        return open_root_now(at("root"), error);
    }
    Folder folder(const std::vector<std::string>& links = {}) const {
        return {root(), budget_, links};
    }
    /// As a loop asks it.
    Folder folder_now(const std::vector<std::string>& links = {}) {
        return {root(), budget_, links, kept_, now_};
    }
    void keep(const Folder& folder) {
        for (const auto& file : folder.opened()) kept_.keep(file, now_);
    }
    Kind kind(const std::string& path) const { return folder().open(path).kind; }
    std::string text(const std::string& path) const {
        const auto found = folder().open(path);
        if (found.kind != Kind::file) return {};
        std::string out(100, 0);
        const auto read = static_cast<const File&>(*found.file).read(0, out);
        return out.substr(0, read.bytes);
    }

    const test::TemporaryFolder folder_;
    const std::shared_ptr<OpenFiles> budget_ = std::make_shared<OpenFiles>();
    KeptFiles kept_;
    Time now_ = monotonic_now();
};

TEST_F(Folders, ShowRegularFilesAndFolders) {
    EXPECT_EQ(text("/a.txt"), "inside");
    EXPECT_EQ(text("//sub/b.txt"), "inside");
    EXPECT_EQ(text("/within"), "inside");
    EXPECT_EQ(text("/sub/deep/up/b.txt"), "inside");
    for (const char* path : {"", "/", "/sub", "/sub/"}) EXPECT_EQ(kind(path), Kind::folder) << path;
    const auto found = folder().open("/a.txt");
    EXPECT_EQ(found.file->size, 6u);
    EXPECT_GT(found.file->mtime_ns, 0);
}

TEST_F(Folders, ShowNothingElse) {
    const std::string long_name(300, 'x');
    for (const std::string& path :
         {std::string("/nothing"), std::string("/a.txt/"), std::string("/a.txt/x"),
          std::string("/out"), std::string("/parent/outside.txt"), std::string("/absolute"),
          std::string("/absolute_within"), std::string("/circle"), std::string("/magic"),
          std::string("/fifo"), std::string("/../outside.txt"),
          std::string("/sub/../../outside.txt"), "/" + long_name,
          std::string(5000, '/') + std::string(5000, 'y')})
        EXPECT_EQ(kind(path), Kind::nothing) << path.substr(0, 100);
}

// files.links: what a link leads to decides, wherever the link is.
TEST_F(Folders, ShowWhatLinksLeadToWhereThatIsAllowed) {
    fs::create_directories(at("shared/deep"));
    fs::create_directories(at("shared-not"));
    write("shared/deep/s.js", "shared");
    write("shared-not/n.js", "not");
    (void)::mkfifo(at("shared/fifo").c_str(), 0600);
    fs::create_symlink("../shared", at("root/lib"));
    fs::create_symlink(at("shared/deep/s.js"), at("root/s.js"));
    fs::create_symlink("../shared-not/n.js", at("root/n.js"));
    fs::create_symlink("../outside.txt", at("shared/back"));
    const std::string real = fs::canonical(at("shared")).string();
    for (const std::vector<std::string>& links :
         {std::vector<std::string>{real}, {"/nothing", real}, {}, {"/"}})
        for (const Wait wait : {Wait::may, Wait::no}) {
            const auto kind = [&](const std::string& path) {
                Folder one = folder(links);
                Folder two = wait == Wait::may ? folder(links) : folder_now(links);
                (void)one.open(path);  // now the system knows it
                keep(one);
                const auto found = two.open(path).kind;
                return found == Kind::unknown ? one.open(path).kind : found;
            };
            const bool any = links == std::vector<std::string>{"/"};
            const auto shown = [&](Kind what) { return links.empty() ? Kind::nothing : what; };
            EXPECT_EQ(kind("/lib/deep/s.js"), shown(Kind::file));
            EXPECT_EQ(kind("/s.js"), shown(Kind::file));
            EXPECT_EQ(kind("/lib"), shown(Kind::folder));
            EXPECT_EQ(kind("/a.txt"), Kind::file);
            for (const char* path : {"/n.js", "/lib/back", "/out"})
                EXPECT_EQ(kind(path) == Kind::nothing, !any) << path;
            for (const char* path :
                 {"/lib/fifo", "/lib/nothing", "/circle", "/magic", "/parent/outside.txt"})
                EXPECT_EQ(kind(path), Kind::nothing) << path;
        }
}

TEST_F(Folders, TellWhatALinkDoes) {
    Folder one = folder();
    (void)one.open("/nothing");
    EXPECT_EQ(one.trouble(), 0);
    (void)one.open("/out");
    EXPECT_EQ(one.trouble(), EXDEV);
    EXPECT_EQ(one.troubled(), "/out");
}

// 64 bits of nanoseconds end in 1677 and in 2262. Not every file system keeps such dates.
TEST_F(Folders, KeepADateThatIsFarAwayOnItsSide) {
    const std::int64_t far = 9'223'372'035;
    for (const std::int64_t second :
         {std::int64_t{9'300'000'000}, std::int64_t{253'402'300'900}, std::int64_t{-9'300'000'000},
          far, std::int64_t{-5}, far + 1}) {
        const std::array<timespec, 2> times{timespec{second, 7}, timespec{second, 7}};
        ASSERT_EQ(::utimensat(AT_FDCWD, at("root/a.txt").c_str(), times.data(), 0), 0);
        struct stat about {};
        ASSERT_EQ(::stat(at("root/a.txt").c_str(), &about), 0);
        const std::int64_t kept = about.st_mtim.tv_sec;
        const bool reaches = kept <= far && kept >= -far;
        const std::int64_t expected = reaches ? kept * 1'000'000'000 + about.st_mtim.tv_nsec
                                              : (kept > 0 ? far : -far) * 1'000'000'000;
        EXPECT_EQ(folder().open("/a.txt").file->mtime_ns, expected) << kept;
    }
}

TEST_F(Folders, CountOpenFiles) {
    budget_->limit(2);
    EXPECT_EQ(folder().find("/a.txt").kind, Kind::file);
    const auto one = folder().open("/a.txt"), two = folder().open("/a.txt");
    Folder third = folder();
    EXPECT_EQ(third.open("/a.txt").kind, Kind::failed);
    EXPECT_EQ(budget_->open(), 2u);
    EXPECT_EQ(kind("/sub"), Kind::failed);
}

TEST_F(Folders, GiveTheirPlaceBack) {
    budget_->limit(1);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(kind("/a.txt"), Kind::file);
        EXPECT_EQ(kind("/sub"), Kind::folder);
        EXPECT_EQ(kind("/fifo"), Kind::nothing);
        EXPECT_EQ(kind("/nothing"), Kind::nothing);
    }
    EXPECT_EQ(budget_->open(), 0u);
}

// What the kernel does not have in memory is unknown; what it has is the same as if it may wait.
TEST_F(Folders, NeverWaitIfTheyMayNot) {
    for (const char* path : {"/a.txt", "/sub", "/nothing", "/out", "/fifo", "/within"}) {
        Folder reader = folder();
        const auto waited = reader.open(path).kind, found = reader.find(path).kind;
        EXPECT_EQ(waited, found) << path;
        for (int kept = 0; kept < 2; ++kept) {
            const auto now = folder_now().open(path).kind, found_now = folder_now().find(path).kind;
            EXPECT_TRUE(now == waited || now == Kind::unknown) << path;
            EXPECT_TRUE(found_now == waited || found_now == Kind::unknown) << path;
            keep(reader);
        }
    }
}

// An open may wait though the name is known: for a scanner, or the server of a file system.
TEST_F(Folders, OnALoopHaveNoFileThatNoReaderHasOpened) {
    (void)folder().find("/a.txt");  // now the system knows the name
    EXPECT_EQ(folder_now().open("/a.txt").kind, Kind::unknown);
    EXPECT_EQ(budget_->open(), 0u);
    Folder reader = folder();
    (void)reader.open("/a.txt");
    keep(reader);
    const auto found = folder_now().open("/a.txt");
    if (folder_now().find("/a.txt").kind == Kind::unknown) GTEST_SKIP() << "no RESOLVE_CACHED here";
    ASSERT_EQ(found.kind, Kind::file);
    EXPECT_EQ(budget_->open(), 1u);
    EXPECT_EQ(static_cast<const File&>(*found.file).descriptor(),
              reader.opened()[0].descriptor->get());
}

TEST_F(Folders, OnALoopHaveNoFileThatHasChanged) {
    const auto is_kept = [&] {
        Folder reader = folder();
        (void)reader.open("/a.txt");
        keep(reader);
        return folder_now().open("/a.txt").kind == Kind::file;
    };
    if (!is_kept()) GTEST_SKIP() << "no RESOLVE_CACHED here";
    write("root/a.txt", "longer than it was");
    EXPECT_EQ(folder_now().open("/a.txt").kind, Kind::unknown);
    ASSERT_TRUE(is_kept());
    write("root/new", "longer than it was");
    fs::rename(at("root/new"), at("root/a.txt"));
    EXPECT_EQ(folder_now().open("/a.txt").kind, Kind::unknown);
    ASSERT_TRUE(is_kept());
    now_ += 2s;
    EXPECT_EQ(folder_now().open("/a.txt").kind, Kind::unknown);
    EXPECT_EQ(kept_.forget(now_), never);
    EXPECT_EQ(kept_.size(), 0u);
}

TEST_F(Folders, KeepFewFilesOpen) {
    Folder reader = folder();
    (void)reader.open("/a.txt");
    disk::OpenedFile file = reader.opened()[0];
    for (int i = 0; i < 1000; ++i) {
        ++file.identity.inode;
        for (int time = 0; time < 2; ++time) kept_.keep(file, now_);
    }
    EXPECT_EQ(kept_.size(), 128u);
    EXPECT_LE(kept_.forget(now_), 1s);
}

TEST_F(Folders, ReadWhatIsThere) {
    const auto found = folder().open("/a.txt");
    const auto& file = static_cast<const File&>(*found.file);
    std::array<char, 10> bytes{};
    EXPECT_EQ(file.read(2, bytes).bytes, 4u);
    EXPECT_EQ(file.read(6, bytes).bytes, 0u);
    const auto now = file.read_now(0, bytes);
    EXPECT_TRUE(now.bytes == 6 || now.error == EAGAIN);
    EXPECT_FALSE(file.in_memory(0, 0));
}

// One thread moves a folder in and out of the root and swaps a file for a link while another opens:
// no open ever reaches outside.
TEST_F(Folders, CannotBeLeftByARace) {
    fs::create_directories(at("elsewhere"));
    write("elsewhere/outside.txt", "outside");
    write("root/sub/deep/outside.txt", "inside");
    std::atomic<bool> stop{false};
    std::thread mover([&] {
        std::error_code ignored;
        while (!stop) {
            fs::rename(at("root/sub/deep"), at("elsewhere/deep"), ignored);
            fs::rename(at("elsewhere/deep"), at("root/sub/deep"), ignored);
            fs::create_symlink("../outside.txt", at("root/new"), ignored);
            fs::rename(at("root/new"), at("root/swap"), ignored);
            write("root/new", "inside");
            fs::rename(at("root/new"), at("root/swap"), ignored);
        }
    });
    for (int i = 0; i < 20000; ++i) {
        for (const char* path : {"/sub/deep/up/../outside.txt", "/sub/deep/../../outside.txt",
                                 "/swap", "/sub/deep/outside.txt"}) {
            const auto seen = text(path);
            EXPECT_TRUE(seen.empty() || seen == "inside") << path << " " << seen;
        }
    }
    stop = true;
    mover.join();
}

TEST_F(Folders, OfARootThatMovesAreFoundAnew) {
    fs::create_directories(at("next"));
    fs::create_directory_symlink("root", at("current"));
    Roots roots;
    int error = 0;
    const Time start = monotonic_now();
    Root first = roots.find(at("current"), start);
    if (first == nullptr)
        roots.put(at("current"), first = open_root_now(at("current"), error), start);
    EXPECT_EQ(roots.find(at("current"), start + 100ms), first);
    EXPECT_NE(roots.find(at("current"), start + 2s), first);
    EXPECT_EQ(open_root_now(at("missing"), error), nullptr);
    EXPECT_EQ(error, ENOENT);
}

}  // namespace
}  // namespace ticketgate::disk

#include "noeq/state_file.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "support/temporary_folder.hpp"

namespace {
std::vector<std::string> synced;  // paths passed to fsync
}

// Replaces the C library's fsync in this test program.
extern "C" int fsync(int descriptor) {
    synced.push_back(
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace ticketgate::noeq {
namespace {

struct StateFileTest : testing::Test {
    std::string text() const {
        std::ifstream in(path);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }
    std::string complaint() const { return complaint(path); }
    static std::string complaint(const std::string& of) {
        try {
            StateFile file(of);
        } catch (const std::system_error& error) {
            return error.what();
        }
        return "";
    }
    test::TemporaryFolder folder;
    const std::string path = folder.path() + "/state";
};

TEST_F(StateFileTest, KnowsNothingAtFirst) {
    EXPECT_EQ(StateFile(path).reserved_ms(), -1);
}

TEST_F(StateFileTest, RemembersTheLastReservation) {
    {
        StateFile file(path);
        EXPECT_TRUE(file.reserve(1'795'186'941'000));
        EXPECT_TRUE(file.reserve(1'795'186'942'000));
        EXPECT_EQ(file.reserved_ms(), 1'795'186'942'000);
        EXPECT_EQ(text(), "0000001795186942000\n");
    }
    EXPECT_EQ(StateFile(path).reserved_ms(), 1'795'186'942'000);
}

TEST_F(StateFileTest, MakesAFileAgainThatSomebodyHasRemoved) {
    StateFile file(path);
    EXPECT_TRUE(file.reserve(1'795'186'941'000));
    std::filesystem::remove(path);
    EXPECT_TRUE(file.reserve(1'795'186'942'000));
    EXPECT_EQ(text(), "0000001795186942000\n");
    EXPECT_NE(complaint(), "") << "the new file is locked";
}

TEST_F(StateFileTest, ReservesNothingInAFileThatAnotherProcessHasMadeAgain) {
    StateFile file(path);
    EXPECT_TRUE(file.reserve(1'795'186'941'000));
    std::filesystem::remove(path);
    const StateFile other(path);
    EXPECT_FALSE(file.reserve(1'795'186'942'000));
    EXPECT_EQ(file.reserved_ms(), 1'795'186'941'000);
}

// A crash must not lose the directory entry of a file whose contents are on the disk.
TEST_F(StateFileTest, SyncsTheFolderOfItsNewName) {
    synced.clear();
    {
        StateFile file(path);
        EXPECT_EQ(synced, std::vector{std::filesystem::canonical(folder.path()).string()});
        EXPECT_TRUE(file.reserve(1'795'186'941'000));
    }
    synced.clear();
    const StateFile again(path);
    EXPECT_TRUE(synced.empty());
}

TEST_F(StateFileTest, RefusesAnythingButARegularFile) {
    EXPECT_NE(complaint("/dev/null").find("not a regular file"), std::string::npos);
}

TEST_F(StateFileTest, IsCheckedWithoutBeingChanged) {
    EXPECT_EQ(StateFile::why_not(path), "");
    EXPECT_FALSE(std::filesystem::exists(path));
    {
        StateFile file(path);
        EXPECT_EQ(StateFile::why_not(path), "") << "another process has it";
        EXPECT_TRUE(file.reserve(1'795'186'941'000));
    }
    EXPECT_EQ(StateFile::why_not(path), "");
    std::ofstream(path) << "hello, I am a letter\n";
    EXPECT_NE(StateFile::why_not(path).find("is not a state file"), std::string::npos);
}

TEST_F(StateFileTest, BelongsToOneProcessAtATime) {
    const StateFile file(path);
    EXPECT_NE(complaint().find("another process uses"), std::string::npos) << complaint();
}

TEST_F(StateFileTest, RefusesContentsThatItDidNotWrite) {
    for (const char* other : {"17951869", "hello, I am a letter\n", "0000001795186942000\nmore",
                              "000000179518694200x\n", "-000001795186942000"}) {
        std::ofstream(path) << other;
        EXPECT_NE(complaint().find("is not a state file"), std::string::npos) << other;
        EXPECT_EQ(text(), other);
    }
}

TEST_F(StateFileTest, NamesTheFileThatCannotBeOpened) {
    const std::string file = "/no/such/folder/state";
    EXPECT_NE(complaint(file).find(file), std::string::npos);
}

}  // namespace
}  // namespace ticketgate::noeq

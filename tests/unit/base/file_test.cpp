#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ticketgate {
namespace {

class ReadFile : public testing::Test {
 protected:
    ReadFile() {
        std::string form = (std::filesystem::temp_directory_path() / "read_file.XXXXXX").string();
        folder_ = mkdtemp(form.data());
    }
    ~ReadFile() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::string write(const char* name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }
    std::filesystem::path folder_;
};

TEST_F(ReadFile, GivesTheWholeText) {
    for (const std::size_t size : {0, 1, 4095, 4096, 4097, 100'000}) {
        const std::string text(size, 'x');
        const auto got = read_file(write("a", text), 100'000);
        EXPECT_TRUE(got) << got.why;
        EXPECT_EQ(got.text, text);
    }
    EXPECT_GT(read_file("/proc/self/status", 1 << 20).text.size(), 100u) << "its size is 0";
}

TEST_F(ReadFile, RefusesMoreThanTheLimit) {
    EXPECT_EQ(read_file(write("a", "12345"), 4).why, "it has more than 4 bytes");
    EXPECT_EQ(read_file("/proc/self/status", 10).why, "it has more than 10 bytes");
}

TEST_F(ReadFile, ReportsTheSystemsError) {
    EXPECT_EQ(read_file(path("absent"), 9).why, "No such file or directory");
    EXPECT_EQ(read_file(path("."), 9).why, "not a regular file");
}

// Reading any of these would block, or would never end.
TEST_F(ReadFile, RefusesAnythingButARegularFile) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path("socket").c_str(), sizeof(at.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
    for (const auto& name : {path("pipe"), std::string("/dev/zero"), std::string("/dev/null")})
        EXPECT_EQ(read_file(name, 1 << 20).why, "not a regular file") << name;
    EXPECT_EQ(read_file(path("socket"), 9).why, "No such device or address");
    ::close(socket);
}

}  // namespace
}  // namespace ticketgate

#include "net/socket_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "net/listener.hpp"

namespace ticketgate::net {
namespace {

class SocketFileTest : public testing::Test {
 protected:
    SocketFileTest() {
        char name[] = "/tmp/ticketgate-file-XXXXXX";
        folder = ::mkdtemp(name);
        at = *Endpoint::from_unix(folder + "/s");
        socket = open_listener(at);
    }
    ~SocketFileTest() override { std::filesystem::remove_all(folder); }
    bool exists() const { return std::filesystem::exists(folder + "/s"); }

    std::string folder;
    Endpoint at;
    Descriptor socket{-1};
};

TEST_F(SocketFileTest, GoesWithTheProcessThatMadeIt) {
    std::optional<SocketFile> file(std::in_place, at, true);
    EXPECT_TRUE(file->there());
    file.reset();
    EXPECT_FALSE(exists());
}

TEST_F(SocketFileTest, StaysWhileAnotherProcessOwnsIt) {
    { const SocketFile passed(at, false); }
    EXPECT_TRUE(exists());
    {
        SocketFile lent(at, true);
        lent.lend();
    }
    EXPECT_TRUE(exists());
}

TEST_F(SocketFileTest, GoesWithTheProcessThatTookItOverOrBack) {
    {
        SocketFile back(at, true);
        back.lend();
        back.take_back();
    }
    EXPECT_FALSE(exists());
    socket = open_listener(at);
    {
        SocketFile over(at, false);
        over.own();
    }
    EXPECT_FALSE(exists());
}

TEST_F(SocketFileTest, OfSystemdIsNotTakenBack) {
    {
        SocketFile passed(at, false);
        passed.lend();
        passed.take_back();
    }
    EXPECT_TRUE(exists());
}

TEST_F(SocketFileTest, KnowsThatItIsGoneAndLeavesAnotherOneThatHasItsName) {
    std::optional<SocketFile> file(std::in_place, at, true);
    std::filesystem::remove(folder + "/s");
    EXPECT_FALSE(file->there());
    const Descriptor other = open_listener(at);
    EXPECT_FALSE(file->there());
    file.reset();
    EXPECT_TRUE(exists());
}

TEST(SocketFile, OfAnInternetAddressIsNone) {
    SocketFile file(*Endpoint::from_ip("127.0.0.1", 80), true);
    EXPECT_TRUE(file.there());
}

}  // namespace
}  // namespace ticketgate::net

#include "noeq/state_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "support/temporary_folder.hpp"

namespace ticketgate::noeq {
namespace {

struct StateFileTest : testing::Test {
    std::string text() const {
        std::ifstream in(path);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }
    std::string complaint() const {
        try {
            StateFile file(path);
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

TEST_F(StateFileTest, BelongsToOneProcessAtATime) {
    const StateFile file(path);
    EXPECT_NE(complaint().find("another process uses"), std::string::npos) << complaint();
}

TEST_F(StateFileTest, RefusesWhatItDidNotWrite) {
    for (const char* other : {"17951869", "hello, I am a letter\n", "0000001795186942000\nmore",
                              "000000179518694200x\n", "-000001795186942000"}) {
        std::ofstream(path) << other;
        EXPECT_NE(complaint().find("is no state file"), std::string::npos) << other;
        EXPECT_EQ(text(), other);
    }
}

TEST_F(StateFileTest, NamesTheFileThatCannotBeHad) {
    try {
        StateFile file("/no/such/folder/state");
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/folder/state"), std::string::npos);
    }
}

}  // namespace
}  // namespace ticketgate::noeq

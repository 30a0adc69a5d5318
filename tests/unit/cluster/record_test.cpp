#include "cluster/record.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace ticketgate::cluster {
namespace {

const Instance a{"4f1d", "web-1", "10.0.0.1:9901"}, b{"a07c", "web-2", "10.0.0.2:9901"};
constexpr WallTime since{1'795'000'000'123'456};

TEST(Record, IsWrittenAsTheStoreHasIt) {
    const Line line{1'795'000'000, a, LineState::open, {}};
    EXPECT_EQ(write_line(line, since),
              R"({"epoch":1795000000,"instance":"4f1d","name":"web-1","address":"10.0.0.1:9901",)"
              R"("state":"open","since":1795000000123,"prior":null})");
}

TEST(Record, ComesBackAsItWasWritten) {
    std::string why;
    for (const LineState state :
         {LineState::free, LineState::idle, LineState::open, LineState::leaving}) {
        const Line line{1'795'000'000, a, state, {}};
        EXPECT_EQ(read_line(write_line(line, since), why), line) << why;
    }
    const Line settling{1'795'000'009, b, LineState::settling, Prior{1'795'000'000, a, true}};
    EXPECT_EQ(read_line(write_line(settling, since), why), settling) << why;
    Instance asked = a;
    asked.backends = "0123456789abcdef";
    const Line told{7, b, LineState::settling, Prior{5, asked, true}};
    EXPECT_EQ(read_line(write_line(told, since), why), told) << why;
}

TEST(Record, OfALongNameStaysWithinItsLimit) {
    const Instance longest{std::string(32, 'f'), std::string(63, 'n'), std::string(255, 'a'),
                           std::string(16, 'b')};
    const Line line{last_clock, longest, LineState::settling, Prior{last_clock - 1, longest, true}};
    EXPECT_LE(write_line(line, since).size(), max_record);
}

struct Bad {
    const char* text;
    const char* why;
};

std::ostream& operator<<(std::ostream& out, const Bad& bad) {
    return out << bad.why;
}

class BadRecord : public testing::TestWithParam<Bad> {};

TEST_P(BadRecord, IsRefusedWithItsReason) {
    std::string why;
    EXPECT_FALSE(read_line(GetParam().text, why));
    EXPECT_EQ(why, GetParam().why) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadRecord,
    testing::Values(
        Bad{"", "not a JSON object"}, Bad{"[]", "not a JSON object"},
        Bad{"{}", "\"epoch\" is not a positive number"},
        Bad{R"({"epoch":-1,"instance":"i","name":"n","address":"a","state":"idle"})",
            "\"epoch\" is not a positive number"},
        Bad{R"({"epoch":9000000000,"instance":"i","name":"n","address":"a","state":"idle"})",
            "\"epoch\" is too large"},
        Bad{R"({"epoch":5,"instance":7,"name":"n","address":"a","state":"idle"})",
            "\"instance\" is not a string"},
        Bad{R"({"epoch":5,"instance":"i","name":"n","address":"a","state":"busy"})",
            "\"state\" is not a state of a line"},
        Bad{R"({"epoch":5,"instance":"i","name":"n","address":"a","state":"settling"})",
            "\"prior\" stands with \"settling\", and only there"},
        Bad{R"({"epoch":5,"instance":"i","name":"n","address":"a","state":"open","prior":)"
            R"({"epoch":4,"instance":"i","name":"n","address":"a"}})",
            "\"prior\" stands with \"settling\", and only there"},
        Bad{R"({"epoch":5,"instance":"i","name":"n","address":"a","state":"settling","prior":)"
            R"({"epoch":5,"instance":"i","name":"n","address":"a"}})",
            "\"prior\" is not an earlier epoch"},
        Bad{R"({"epoch":5,"instance":"i","name":"n","address":"a","state":"settling","prior":3})",
            "\"prior\" is not an object"}));

}  // namespace
}  // namespace ticketgate::cluster

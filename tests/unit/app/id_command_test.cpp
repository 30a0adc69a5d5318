#include "app/id_command.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "app/commands.hpp"
#include "ids/decode.hpp"
#include "ids/format.hpp"

namespace ticketgate {
namespace {

constexpr WallTime now{1'795'200'000'000'000};

struct Said {
    int code = 0;
    std::string out, err;
};

Said make(const std::string& format, std::uint64_t count = 1) {
    std::ostringstream out, err;
    IdOrder order{format, count, {}};
    order.machine.address = "10.0.0.1";
    order.machine.worker = 7;
    const int code = make_ids(order, config::environment_of({}), out, err);
    return {code, out.str(), err.str()};
}

Said decode(const std::vector<std::string>& ids) {
    std::ostringstream out, err;
    const int code = decode_ids(ids, now, out, err);
    return {code, out.str(), err.str()};
}

TEST(IdCommand, MakesAsManyAsAskedForOfEveryFormat) {
    for (const auto format : ids::format_names) {
        const auto said = make(std::string(format), 3);
        EXPECT_EQ(said.code, commands::ok);
        std::istringstream lines(said.out);
        std::set<std::string> ids;
        for (std::string line; std::getline(lines, line);) {
            ids.insert(line);
            EXPECT_FALSE(ids::readings(line, wall_now()).empty()) << format << " " << line;
        }
        EXPECT_EQ(ids.size(), 3u) << format;
    }
}

TEST(IdCommand, AnUnknownFormatIsAUsageErrorThatNamesThemAll) {
    const auto said = make("uuid7");
    EXPECT_EQ(said.code, commands::usage);
    EXPECT_EQ(said.out, "");
    EXPECT_TRUE(
        said.err.starts_with("ticketgate: uuid7 is not a format; did you mean uuidv7? "
                             "The formats are txid uuidv7 "))
        << said.err;
}

// TICKETGATE_WORKER is the worker of the running service, which makes ids with it meanwhile.
TEST(IdCommand, DoesNotMakeASnowflakeWithTheServicesWorker) {
    std::ostringstream out, err;
    const auto environment = config::environment_of({{"TICKETGATE_WORKER", "7"}});
    EXPECT_EQ(make_ids({"snowflake", 1, {}}, environment, out, err), commands::usage);
    EXPECT_EQ(out.str(), "");
    EXPECT_NE(err.str().find("--worker N, 0 to 31"), std::string::npos) << err.str();
}

TEST(IdCommand, ReportsABadVariableOnlyIfTheFormatNeedsIt) {
    const auto environment =
        config::environment_of({{"TICKETGATE_WORKER", "99"}, {"TICKETGATE_ADDRESS", "::1"}});
    std::ostringstream out, err;
    EXPECT_EQ(make_ids({"txid", 1, {}}, environment, out, err), commands::ok);
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(make_ids({"httpd_2_0", 1, {}}, environment, out, err), commands::failed);
    EXPECT_NE(err.str().find("TICKETGATE_ADDRESS=::1 is not an IPv4 address"), std::string::npos);
}

TEST(IdCommand, DecodesTimeMachineProcessAndCounter) {
    const auto said = decode({"awBg_dbEPdEATWySnoHCHQAAAAA", "2123795683435245568"});
    EXPECT_EQ(said.code, commands::ok);
    EXPECT_EQ(said.out,
              "awBg_dbEPdEATWySnoHCHQAAAAA\n"
              "  httpd_2_4_47\n"
              "    time        2026-11-20T15:02:21Z\n"
              "    process     d6c43dd1004d6c929e81 (random)\n"
              "    counter     49693\n"
              "    thread      0\n"
              "2123795683435245568\n"
              "  snowflake\n"
              "    time        2026-11-20T15:08:43.803Z\n"
              "    datacenter  21\n"
              "    worker      7\n"
              "    counter     0\n");
}

TEST(IdCommand, SaysWhenAnIdIsAmbiguous) {
    const auto said = decode({"V3TWXwoAKl4AAAeZgZMAAADu"});
    EXPECT_NE(said.out.find("ambiguous: any of these 2 formats\n  httpd_2_0\n"), std::string::npos);
    EXPECT_NE(said.out.find("machine     10.0.42.94\n    process     1945\n"), std::string::npos);
}

TEST(IdCommand, ABadIdIsAUsageErrorAndTheOthersAreStillDecoded) {
    const auto said = decode({"nonsense", "d1v5u1m82lj7f24platg"});
    EXPECT_EQ(said.code, commands::usage);
    EXPECT_EQ(
        said.err,
        "ticketgate: \"nonsense\" is not an id: it has 8 characters; ids have 19, 20, 24, 26, 27, "
        "32 or 36, or are a number\n");
    EXPECT_TRUE(said.out.starts_with("d1v5u1m82lj7f24platg\n  txid\n"));
}

TEST(IdCommand, AnnotatesALog) {
    std::istringstream in(
        "plain line of 1795187022624 and words\n"
        "{\"request_id\":\"d1v5u1m82lj7f24platg\",\"unique_id\":\"awBg_dbEPdEATWySnoHCHQAAAAA\"}\n"
        "id=V3TWXwoAKl4AAAeZgZMAAADu, a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\n");
    std::ostringstream out;
    EXPECT_EQ(annotate_log(in, now, out), commands::ok);
    EXPECT_EQ(
        out.str(),
        "plain line of 1795187022624 and words\n"
        "{\"request_id\":\"d1v5u1m82lj7f24platg\",\"unique_id\":\"awBg_dbEPdEATWySnoHCHQAAAAA\"}"
        "  # d1v5u1m82lj7f24platg txid 2026-11-20T15:03:42.624Z"
        ", awBg_dbEPdEATWySnoHCHQAAAAA httpd_2_4_47 2026-11-20T15:02:21Z\n"
        "id=V3TWXwoAKl4AAAeZgZMAAADu, a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"
        "  # V3TWXwoAKl4AAAeZgZMAAADu httpd_2_0|httpd_1_3_threads 2016-06-30T08:20:47Z\n");
}

}  // namespace
}  // namespace ticketgate

#include "ids/decode.hpp"

#include <gtest/gtest.h>

#include "ids/format.hpp"
#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

constexpr WallTime now{1'795'200'000'000'000};

std::string field(const Reading& reading, const std::string& name) {
    for (const auto& [key, value] : reading.fields)
        if (key == name) return value;
    return "";
}
std::vector<std::string> formats(std::string_view id) {
    std::vector<std::string> names;
    for (const auto& reading : readings(id, now))
        names.push_back(reading.format + (reading.plausible ? "" : "?"));
    return names;
}
using Names = std::vector<std::string>;

TEST(Decode, ReadsIdsOfARealHttpd) {
    const auto file = vectors("unique_id.json");
    for (const auto& v : file.at("observed_from_httpd_2_4_71_prefork").as_array()) {
        const auto all = readings(text(v, "unique_id"), now);
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(all[0].time->unix_s(), number<std::int64_t>(v, "php_request_time"));
        EXPECT_TRUE(all[0].whole_seconds);
        const auto& decoded = v.at("decoded");
        EXPECT_EQ(field(all[0], "counter"), std::to_string(number<int>(decoded, "counter")));
        EXPECT_EQ(field(all[0], "process"), text(decoded, "root_hex") + " (random)");
        EXPECT_EQ(field(all[0], "thread"), std::to_string(number<int>(decoded, "thread_index")));
    }
}

TEST(Decode, ReadsIdsFoundInPublic) {
    const auto file = vectors("unique_id.json");
    for (const auto& v : file.at("observed_in_public").as_array()) {
        const auto all = readings(text(v, "unique_id"), now);
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(all[0].time->unix_s(), number<std::int64_t>(v.at("decoded"), "stamp"));
        if (!v.at("decoded").as_object().contains("ip")) continue;
        EXPECT_EQ(field(all[0], "machine"), text(v.at("decoded"), "ip"));
        EXPECT_EQ(field(all[0], "process"), std::to_string(number<int>(v.at("decoded"), "pid")));
    }
}

TEST(Decode, SaysWhenSeveralFormatsFit) {
    EXPECT_EQ(formats("V3TWXwoAKl4AAAeZgZMAAADu"), (Names{"httpd_2_0", "httpd_1_3_threads"}));
    EXPECT_EQ(formats("awBg_dbEPdEATWySnoHCHQAAAAA"), Names{"httpd_2_4_47"});
    EXPECT_EQ(formats("awBg@dbEPdEATWySnoHCHQAAAAA"), Names{"httpd_2_4_29"});
    EXPECT_EQ(formats("V3TOycCW2-NlccywEUMUtwAAABU"), (Names{"httpd_2_4_47", "httpd_2_4_29"}));
}

TEST(Decode, MarksAReadingWithAnUnlikelyTime) {
    // Nineteen digits are also a valid id of httpd 1.3, but its time lies in another century.
    EXPECT_EQ(formats("2123795683435245568"), (Names{"snowflake", "httpd_1_3?"}));
    const auto file = vectors("txid.json");
    const auto& sample = file.at("observed_nginx_1_22_1").at("samples").as_array()[0];
    const auto all = readings(text(sample, "txid"), now);
    EXPECT_FALSE(all.at(0).plausible);
    EXPECT_NE(all.at(0).note.find("ngx_txid"), std::string::npos);
}

TEST(Decode, ReadsEveryOtherFormat) {
    const auto txid = readings("d1v5u1m82lj7f24platg", now).at(0);
    EXPECT_EQ(txid.format, "txid");
    EXPECT_EQ(txid.time->unix_us, 1'795'187'022'624'000);
    EXPECT_FALSE(txid.whole_seconds);
    EXPECT_EQ(field(txid, "random"), "1566778899aabb");
    const auto uuid = readings("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", now).at(0);
    EXPECT_EQ(uuid.format, "uuidv7");
    EXPECT_EQ(uuid.time->unix_ms(), 0x017f22e279b0);
    EXPECT_EQ(readings("01ARYZ6S41TSV4RRFFQ69G5FAV", now).at(0).time->unix_ms(), 1469918176385);
    EXPECT_EQ(formats("919108f7-52d1-4320-9bac-f847db4148a8"), Names{"uuidv4"});
    EXPECT_EQ(formats("c232ab00-9414-11ec-b3c8-9f6bdeced846"), Names{"uuid version 1"});
    EXPECT_EQ(formats("a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"), Names{"hex128"});
    EXPECT_NE(readings("919108f752d143209bacf847db4148a8", now).at(0).note, "");
    const auto snowflake = readings("1d793cebf6aa7001", now).at(0);
    EXPECT_EQ(snowflake.format, "snowflake");
    EXPECT_EQ(field(snowflake, "datacenter"), "21");
    EXPECT_EQ(field(snowflake, "worker"), "7");
    EXPECT_EQ(field(snowflake, "counter"), "1");
}

TEST(Decode, BadIdsAreExplained) {
    const std::pair<const char*, const char*> bad[] = {
        {"", "empty"},
        {"hello", "5 characters"},
        {"awBg_dbEPdEATWySnoHCHQAAAA", "match no format"},
        {"awBg_dbEPdEATWySnoHCHQAAAAB", "match no format"},
        {"AWBG DBEPDEATWYSNOHCHQAAAAA", "character ' '"},
        {"D1V5U1M82LJ7F24PLATG", "match no format"}};
    for (const auto& [id, why] : bad) {
        EXPECT_TRUE(readings(id, now).empty()) << id;
        EXPECT_NE(why_no_id(id).find(why), std::string::npos) << why_no_id(id);
    }
}

}  // namespace
}  // namespace ticketgate::ids

#include "log/access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "json.hpp"
#include "log/timestamp.hpp"

namespace ticketgate {
namespace {

Record queued() {
    Record r;
    r.received = {1'795'186'941'123'456};
    r.request_id = *ids::Id::from("d1vcj53u15e1dtu5imo0");
    r.unique_id = *ids::Id::from("awDOa90K1WSMf9vYqBWVngAAAAA");
    r.client_ip = "203.0.113.7";
    r.method = "POST";
    r.target = "/cart?add=\"1\"";
    r.status = 200;
    r.bytes = 512;
    r.duration = 1'234'567'890ns;
    r.queue = "cart";
    r.number = 77;
    r.position = 2;
    r.queue_wait = 1s;
    r.upstream = 234'000'999ns;
    r.hold = 234'567us;
    r.upstream_status = 200;
    r.outcome = Outcome::admitted;
    r.blocked_by = 75;
    return r;
}

std::string json(const Record& record) {
    std::string out;
    format_json(record, out);
    return out;
}
std::string combined(const Record& record) {
    std::string out;
    format_combined(record, out);
    return out;
}

TEST(AccessJson, AllFieldsOfAQueuedRequest) {
    EXPECT_EQ(json(queued()),
              R"({"time":"2026-11-20T15:02:21.123456Z","request_id":"d1vcj53u15e1dtu5imo0",)"
              R"("unique_id":"awDOa90K1WSMf9vYqBWVngAAAAA","client_ip":"203.0.113.7",)"
              R"("method":"POST","path":"/cart?add=\"1\"","status":200,"bytes":512,)"
              R"("duration_ms":1234.567,"outcome":"admitted","queue":"cart","number":77,)"
              R"("position":2,"queue_wait_ms":1000.000,"hold_ms":234.567,"blocked_by":75,)"
              R"("upstream_ms":234.000,"upstream_status":200})"
              "\n");
    EXPECT_NO_THROW(parse_json(json(queued())));
}

TEST(AccessJson, LeavesOutWhatHasNoMeaning) {
    Record r;
    r.request_id = *ids::Id::from("d1vcj53u15e1dtu5imo0");
    r.method = "GET";
    r.target = "/";
    r.status = 400;
    const auto object = parse_json(json(r)).as_object();
    for (const auto* key : {"unique_id", "queue", "number", "position", "queue_wait_ms", "hold_ms",
                            "blocked_by", "upstream_ms", "upstream_status", "orphaned"})
        EXPECT_FALSE(object.contains(key)) << key;
    EXPECT_EQ(text_at(object, "outcome"), "refused");
    EXPECT_EQ(json(r).find("null"), std::string::npos);
}

TEST(AccessJson, ARefusedTicketHasAPlaceButNoHold) {
    auto r = queued();
    r.outcome = Outcome::timeout;
    r.hold = r.upstream = Duration::zero();
    r.upstream_status = 0;
    const auto object = parse_json(json(r)).as_object();
    EXPECT_TRUE(object.contains("queue_wait_ms"));
    EXPECT_FALSE(object.contains("hold_ms"));
    EXPECT_FALSE(object.contains("upstream_ms"));
}

TEST(AccessJson, ARequestWhoseSlotWasReleasedHasItsHold) {
    auto r = queued();
    r.outcome = Outcome::released;
    EXPECT_TRUE(parse_json(json(r)).as_object().contains("hold_ms"));
}

TEST(AccessJson, NamesAnOrphan) {
    auto r = queued();
    r.orphaned = true;
    EXPECT_TRUE(parse_json(json(r)).at("orphaned").as_bool());
}

TEST(AccessJson, IsValidWhateverBytesTheClientSent) {
    std::mt19937 random(7);
    auto r = queued();
    std::string out;
    for (int round = 0; round < 5'000; ++round) {
        std::string target(random() % 64, '\0');
        for (auto& c : target) c = static_cast<char>(random());
        r.target = target;
        r.method = r.client_ip = r.target;
        out.clear();
        format_json(r, out);
        ASSERT_NO_THROW(parse_json(out)) << out;
        ASSERT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
        out.clear();
        format_combined(r, out);
        ASSERT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
        ASSERT_TRUE(
            std::all_of(out.begin(), out.end() - 1, [](char c) { return c >= 0x20 && c < 0x7f; }));
    }
}

TEST(AccessJson, AppendsAndReusesTheBuffer) {
    std::string out = "before\n";
    format_json(queued(), out);
    EXPECT_EQ(out, "before\n" + json(queued()));
    const auto* place = out.data();
    for (int i = 0; i < 100; ++i) {
        out.clear();
        format_json(queued(), out);
    }
    EXPECT_EQ(out.data(), place);
}

TEST(AccessCombined, AsHttpdWritesIt) {
    auto r = queued();
    r.sent_by = std::make_unique<const SentBy>(SentBy{"https://shop.example/\"x\"", "curl/8.0"});
    EXPECT_EQ(
        combined(r),
        R"(203.0.113.7 - - [20/Nov/2026:15:02:21 +0000] "POST /cart?add=\"1\" HTTP/1.1" 200 512)"
        R"( "https://shop.example/\"x\"" "curl/8.0" d1vcj53u15e1dtu5imo0)"
        " awDOa90K1WSMf9vYqBWVngAAAAA"
        "\n");
}

TEST(AccessCombined, DashesForWhatIsNotThere) {
    Record r;
    r.method = "GET";
    r.target = "/";
    r.http_1_0 = true;
    r.status = 400;
    EXPECT_EQ(combined(r),
              "- - - [01/Jan/1970:00:00:00 +0000] \"GET / HTTP/1.0\" 400 - \"-\" \"-\" - -\n");
    r.method = r.target = "";
    EXPECT_EQ(combined(r), "- - - [01/Jan/1970:00:00:00 +0000] \"-\" 400 - \"-\" \"-\" - -\n");
}

TEST(Access, NamesOfOutcomes) {
    EXPECT_EQ(name(Outcome::bypass), "bypass");
    EXPECT_EQ(name(Outcome::admitted), "admitted");
    EXPECT_EQ(name(Outcome::full), "full");
    EXPECT_EQ(name(Outcome::timeout), "timeout");
    EXPECT_EQ(name(Outcome::client_closed), "client_closed");
    EXPECT_EQ(name(Outcome::draining), "draining");
    EXPECT_EQ(name(Outcome::refused), "refused");
}

TEST(Timestamp, DaysOfAllKinds) {
    const auto rfc3339 = [](std::int64_t us) {
        std::string out;
        append_rfc3339(out, {us});
        return out;
    };
    EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(rfc3339(951'827'696'000'001), "2000-02-29T12:34:56.000001Z");
    EXPECT_EQ(rfc3339(4'102'444'799'999'999), "2099-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace ticketgate

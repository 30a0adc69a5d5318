#include "ids/apache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

using enum ApacheField;
constexpr std::string_view at_dash =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@-";

WallTime at(std::uint32_t stamp) {
    return {std::int64_t{stamp} * 1'000'000};
}

ApacheParts parts_of(const boost::json::value& v) {
    const auto optional = [&](const char* key) {
        return v.as_object().contains(key) ? number<std::uint32_t>(v, key) : 0u;
    };
    ApacheParts parts;
    parts.stamp = number<std::uint32_t>(v, "stamp");
    parts.process = optional("pid");
    parts.thread = optional("thread_index") + optional("tid");
    if (v.as_object().contains("ip_hex"))
        parts.address = load_be<std::uint32_t>(from_hex(text(v, "ip_hex")).data());
    if (v.as_object().contains("root_hex"))
        std::ranges::copy(from_hex(text(v, "root_hex")), parts.root.begin());
    return parts;
}

const auto& known_answers(const boost::json::value& file, const char* generation) {
    return file.at("generations").at(generation).at("vectors").as_array();
}

TEST(Apache, KnownAnswersOfTheCurrentForm) {
    const auto file = vectors("unique_id.json");
    Entropy entropy;
    for (const auto& v : known_answers(file, "httpd-2.4.47+")) {
        const auto parts = parts_of(v);
        Apache apache(parts, number<std::uint32_t>(v, "counter"), entropy, CounterRange::as_httpd);
        EXPECT_EQ(apache.next(at(parts.stamp)).view(), text(v, "expected"));
        const auto next = apache.next(at(parts.stamp));
        // Where httpd's counter wraps at 2^32, httpd repeats itself. That is not for copying.
        if (text(v, "expected") == text(v, "expected_next"))
            EXPECT_NE(next.view(), text(v, "expected_next"));
        else
            EXPECT_EQ(next.view(), text(v, "expected_next"));
    }
    EXPECT_EQ(known_answers(file, "httpd-2.4.47+").size(), 24u);
}

// A generation is one row: these rows are all it takes to make every other one.
TEST(Apache, OtherGenerationsAreOneRowEach) {
    struct Row {
        const char* generation;
        ApacheLayout layout;
    };
    const Row rows[] = {
        {"httpd-1.3", {"", {stamp, address, process, counter}, at_dash}},
        {"httpd-1.3-multithread", {"", {stamp, address, process, thread, counter}, at_dash}},
        {"httpd-2.0-2.4.28", {"", {stamp, address, process, counter, thread}, at_dash}},
        {"httpd-2.4.29-2.4.46", {"", {stamp, root, counter, thread}, at_dash}}};
    const auto file = vectors("unique_id.json");
    for (const auto& [generation, layout] : rows) {
        for (const auto& v : known_answers(file, generation)) {
            auto parts = parts_of(v);
            parts.counter = number<std::uint16_t>(v, "counter");
            EXPECT_EQ(encode_apache(layout, parts).view(), text(v, "expected")) << generation;
            ++parts.counter;
            EXPECT_EQ(encode_apache(layout, parts).view(), text(v, "expected_next")) << generation;
        }
    }
}

// The bytes of one id, for looking at its fields.
std::array<std::uint8_t, 20> packed(const Id& id) {
    std::array<std::uint8_t, 20> bytes{};
    EXPECT_EQ(id.view().size(), 27u);
    EXPECT_EQ(decode_base64(id.view(), base64url_digits, bytes), 20u);
    return bytes;
}
std::uint16_t counter_of(const Id& id) {
    return load_be<std::uint16_t>(&packed(id)[14]);
}
std::string root_of(const Id& id) {
    const auto bytes = packed(id);
    return {bytes.begin() + 4, bytes.begin() + 14};
}

TEST(Apache, CarriesTimeAndThread) {
    Entropy entropy;
    Apache apache(7, entropy);
    const auto bytes = packed(apache.next(at(1'795'186'941)));
    EXPECT_EQ(load_be<std::uint32_t>(&bytes[0]), 1'795'186'941u);
    EXPECT_EQ(load_be<std::uint32_t>(&bytes[16]), 7u);
}

TEST(Apache, UsesTheWholeCounterUnlessAskedForTheQuirk) {
    Entropy entropy;
    Apache real({}, 65535, entropy, CounterRange::all);
    EXPECT_EQ(counter_of(real.next(at(1))), 65535);
    EXPECT_EQ(counter_of(real.next(at(1))), 0);
    Apache quirk({}, 65534, entropy, CounterRange::as_httpd);
    EXPECT_EQ(counter_of(quirk.next(at(1))), 65534);
    EXPECT_EQ(counter_of(quirk.next(at(1))), 0);
}

TEST(Apache, KeepsItsRootWhileTheClockRuns) {
    Entropy entropy;
    Apache apache(0, entropy);
    const auto first = apache.next(at(100));
    EXPECT_EQ(root_of(apache.next(at(100))), root_of(first));
    EXPECT_EQ(root_of(apache.next(at(101))), root_of(first));
}

TEST(Apache, DrawsAFreshRootWhenTheClockStepsBack) {
    Entropy entropy;
    Apache apache(0, entropy);
    const auto first = apache.next(at(100));
    EXPECT_NE(root_of(apache.next(at(99))), root_of(first));
}

TEST(Apache, DrawsAFreshRootWhenASecondIsFull) {
    Entropy entropy;
    for (const auto range : {CounterRange::all, CounterRange::as_httpd}) {
        Apache apache(0, entropy, range);
        const auto first = apache.next(at(100));
        const auto size = static_cast<std::uint32_t>(range);
        for (std::uint32_t i = 1; i < size; ++i)
            ASSERT_EQ(root_of(apache.next(at(100))), root_of(first)) << i;
        EXPECT_NE(root_of(apache.next(at(100))), root_of(first));
    }
}

}  // namespace
}  // namespace ticketgate::ids

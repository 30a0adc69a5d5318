#include "ids/apache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

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
        Apache apache(layout_2_4_47, parts, number<std::uint32_t>(v, "counter"), entropy,
                      CounterRange::as_httpd);
        EXPECT_EQ(apache.next(at(parts.stamp)).view(), text(v, "expected"));
        const auto next = apache.next(at(parts.stamp));
        // httpd repeats ids when its counter wraps at 2^32. We do not copy that.
        if (text(v, "expected") == text(v, "expected_next"))
            EXPECT_NE(next.view(), text(v, "expected_next"));
        else
            EXPECT_EQ(next.view(), text(v, "expected_next"));
    }
    EXPECT_EQ(known_answers(file, "httpd-2.4.47+").size(), 24u);
}

struct Generation {
    const char* of_vectors;
    const ApacheLayout& layout;
    std::size_t length;
};
const Generation older[] = {{"httpd-1.3", layout_1_3, 19},
                            {"httpd-1.3-multithread", layout_1_3_threads, 24},
                            {"httpd-2.0-2.4.28", layout_2_0, 24},
                            {"httpd-2.4.29-2.4.46", layout_2_4_29, 27}};

TEST(Apache, KnownAnswersOfEveryOlderGeneration) {
    const auto file = vectors("unique_id.json");
    Entropy entropy;
    for (const auto& [name, layout, length] : older) {
        for (const auto& v : known_answers(file, name)) {
            const auto parts = parts_of(v);
            Apache apache(layout, parts, number<std::uint16_t>(v, "counter"), entropy);
            EXPECT_EQ(apache.next(at(parts.stamp)).view(), text(v, "expected")) << name;
            EXPECT_EQ(apache.next(at(parts.stamp)).view(), text(v, "expected_next")) << name;
            EXPECT_EQ(text(v, "expected").size(), length);
        }
        EXPECT_EQ(known_answers(file, name).size(), 20u);
    }
}

TEST(Apache, DecodesWhatItEncodes) {
    const auto file = vectors("unique_id.json");
    for (const auto& [name, layout, length] : older) {
        for (const auto& v : known_answers(file, name)) {
            auto parts = parts_of(v);
            parts.counter = number<std::uint16_t>(v, "counter");
            EXPECT_EQ(decode_apache(layout, text(v, "expected")), parts) << name;
        }
    }
}

TEST(Apache, RefusesToDecodeOtherTexts) {
    EXPECT_FALSE(decode_apache(layout_2_4_47, ""));
    EXPECT_FALSE(decode_apache(layout_2_4_47, "awBg@dbEPdEATWySnoHCHQAAAAA"));
    EXPECT_FALSE(decode_apache(layout_2_4_29, "awBg_dbEPdEATWySnoHCHQAAAAA"));
    EXPECT_FALSE(decode_apache(layout_2_4_47, "awBg_dbEPdEATWySnoHCHQAAAA"));
    EXPECT_FALSE(decode_apache(layout_2_4_47, "awBg_dbEPdEATWySnoHCHQAAAAB"));  // unused bits set
    EXPECT_FALSE(decode_apache(layout_2_0, "awBg_dbEPdEATWySnoHCHQAAAAA"));
}

constexpr Machine machine{.address = 0x7f000101, .process = 29998, .worker = {}, .datacenter = 0};

// Layouts without a root cannot distinguish two passes of one second, so their time runs ahead.
TEST(Apache, WithoutARootTimeRunsAheadOfAFullSecondOrAClockThatStepsBack) {
    for (const auto* layout : {&layout_1_3, &layout_1_3_threads, &layout_2_0}) {
        Entropy entropy;
        Apache apache(*layout, machine, {}, entropy);
        for (int i = 0; i < 65536; ++i)
            ASSERT_EQ(decode_apache(*layout, apache.next(at(100)).view())->stamp, 100u);
        EXPECT_EQ(decode_apache(*layout, apache.next(at(100)).view())->stamp, 101u);
        EXPECT_EQ(decode_apache(*layout, apache.next(at(50)).view())->stamp, 101u);
        const auto later = *decode_apache(*layout, apache.next(at(200)).view());
        EXPECT_EQ(later.stamp, 200u);
        EXPECT_EQ(later.address, 0x7f000101u);
        EXPECT_EQ(later.process, 29998u);
    }
}

TEST(Apache, WithoutAThreadFieldThreadsShareTheCounterByResidue) {
    Entropy entropy;
    std::array<Apache, 3> lanes{Apache(layout_1_3, machine, {0, 3}, entropy),
                                Apache(layout_1_3, machine, {1, 3}, entropy),
                                Apache(layout_1_3, machine, {2, 3}, entropy)};
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        for (int i = 0; i < 16384; ++i) {
            const auto parts = *decode_apache(layout_1_3, lanes[lane].next(at(7)).view());
            ASSERT_EQ(parts.counter % 4, lane);
            ASSERT_EQ(parts.stamp, 7u);
        }
        EXPECT_EQ(decode_apache(layout_1_3, lanes[lane].next(at(7)).view())->stamp, 8u);
    }
}

// The bytes of one id, to check its fields.
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
    Apache apache(layout_2_4_47, {}, {7, 8}, entropy);
    const auto bytes = packed(apache.next(at(1'795'186'941)));
    EXPECT_EQ(load_be<std::uint32_t>(&bytes[0]), 1'795'186'941u);
    EXPECT_EQ(load_be<std::uint32_t>(&bytes[16]), 7u);
}

TEST(Apache, UsesTheWholeCounterUnlessAskedForTheQuirk) {
    Entropy entropy;
    Apache real(layout_2_4_47, ApacheParts(), 65535, entropy);
    EXPECT_EQ(counter_of(real.next(at(1))), 65535);
    EXPECT_EQ(counter_of(real.next(at(1))), 0);
    Apache quirk(layout_2_4_47, ApacheParts(), 65534, entropy, CounterRange::as_httpd);
    EXPECT_EQ(counter_of(quirk.next(at(1))), 65534);
    EXPECT_EQ(counter_of(quirk.next(at(1))), 0);
}

TEST(Apache, KeepsItsRootWhileTheClockRuns) {
    Entropy entropy;
    Apache apache(layout_2_4_47, Machine(), {}, entropy);
    const auto first = apache.next(at(100));
    EXPECT_EQ(root_of(apache.next(at(100))), root_of(first));
    EXPECT_EQ(root_of(apache.next(at(101))), root_of(first));
}

TEST(Apache, DrawsAFreshRootWhenTheClockStepsBack) {
    Entropy entropy;
    Apache apache(layout_2_4_47, Machine(), {}, entropy);
    const auto first = apache.next(at(100));
    EXPECT_NE(root_of(apache.next(at(99))), root_of(first));
}

TEST(Apache, DrawsAFreshRootWhenASecondIsFull) {
    Entropy entropy;
    for (const auto range : {CounterRange::all, CounterRange::as_httpd}) {
        Apache apache(layout_2_4_47, Machine(), {}, entropy, range);
        const auto first = apache.next(at(100));
        const auto size = static_cast<std::uint32_t>(range);
        for (std::uint32_t i = 1; i < size; ++i)
            ASSERT_EQ(root_of(apache.next(at(100))), root_of(first)) << i;
        EXPECT_NE(root_of(apache.next(at(100))), root_of(first));
    }
}

}  // namespace
}  // namespace ticketgate::ids

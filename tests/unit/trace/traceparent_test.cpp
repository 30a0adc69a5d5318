// The header `traceparent`: the examples and the rules of W3C Trace Context, levels 1 and 2.
#include "trace/traceparent.hpp"

#include <gtest/gtest.h>

namespace ticketgate::trace {
namespace {

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", span = "00f067aa0ba902b7";

std::string header(const std::string& version, const std::string& flags,
                   const std::string& rest = {}) {
    std::string out = version;
    out.append("-").append(trace).append("-").append(span).append("-").append(flags);
    return out.append(rest);
}

std::string again(const std::string& value) {
    const auto parent = read_traceparent(value);
    std::string out;
    if (parent) append_traceparent(out, *parent);
    return out;
}

TEST(Traceparent, ReadsTheExamplesOfTheStandard) {
    const auto sampled = read_traceparent(header("00", "01"));
    ASSERT_TRUE(sampled);
    EXPECT_EQ(view(sampled->trace), trace);
    EXPECT_EQ(view(sampled->span), span);
    EXPECT_TRUE(sampled->sampled());
    const auto unsampled = read_traceparent(header("00", "00"));
    ASSERT_TRUE(unsampled);
    EXPECT_FALSE(unsampled->sampled());
}

TEST(Traceparent, WritesWhatItReads) {
    for (const auto* const flags : {"00", "01", "02", "03"})
        EXPECT_EQ(again(header("00", flags)), header("00", flags));
}

// Level 2, 3.2.2.5.2: a participant sets the flags to zero that it does not know.
TEST(Traceparent, KeepsOnlyTheFlagsThatItKnows) {
    EXPECT_EQ(again(header("00", "ff")), header("00", "03"));
    EXPECT_EQ(again(header("00", "08")), header("00", "00"));
}

// 3.2.4: a later version begins in the same way, and may go on behind a dash.
TEST(Traceparent, ReadsWhatItKnowsOfALaterVersion) {
    EXPECT_EQ(again(header("cc", "01")), header("00", "01"));
    EXPECT_EQ(again(header("cc", "01", "-what-the-future-will-be-like")), header("00", "01"));
    EXPECT_EQ(again(header("01", "01", "-")), header("00", "01"));
    EXPECT_EQ(again(header("cc", "01", ".what")), "");
    EXPECT_EQ(again(header("cc", "01", "1")), "");
    EXPECT_EQ(again(header("00", "01", "-more")), "") << "version 00 has nothing more";
}

TEST(Traceparent, RefusesOtherVersions) {
    for (const auto* const version : {"ff", "0", "000", "0G", "CC", ". ", "  "})
        EXPECT_FALSE(read_traceparent(header(version, "01"))) << version;
}

std::string with_ids(const std::string& trace_text, const std::string& span_text) {
    std::string out = "00-";
    return out.append(trace_text).append("-").append(span_text).append("-01");
}

TEST(Traceparent, RefusesIdsThatAreNone) {
    ASSERT_TRUE(read_traceparent(with_ids(trace, span)));
    const std::string zeros(32, '0'), longer = trace + "0";
    for (const std::string& value :
         {with_ids(zeros, span), with_ids(trace, zeros.substr(16)), with_ids(trace.substr(1), span),
          with_ids(longer, span), with_ids("4BF92F3577B34DA6A3CE929D0E0E4736", span),
          with_ids(trace, "00F067AA0BA902B7"), with_ids(".bf92f3577b34da6a3ce929d0e0e4736", span),
          with_ids(trace, ".0f067aa0ba902b7")})
        EXPECT_FALSE(read_traceparent(value)) << value;
}

TEST(Traceparent, RefusesOtherFlagsAndShapes) {
    for (const auto* const flags : {"", "0", ".0", "0.", "0A", "001"})
        EXPECT_FALSE(read_traceparent(header("00", flags))) << flags;
    std::string dashes = header("00", "01");
    for (const std::size_t at : {2u, 35u, 52u}) {
        std::string other = dashes;
        other[at] = '_';
        EXPECT_FALSE(read_traceparent(other)) << other;
    }
    for (std::size_t size = 0; size < dashes.size(); ++size)
        EXPECT_FALSE(read_traceparent(dashes.substr(0, size))) << size;
}

TEST(Ids, AreCutFromRandomDigits) {
    const std::string digits = "0123456789abcdeffedcba9876543210";
    EXPECT_EQ(view(trace_id(digits)), digits);
    EXPECT_EQ(view(span_ids(digits)[0]), "0123456789abcdef");
    EXPECT_EQ(view(span_ids(digits)[1]), "fedcba9876543210");
}

TEST(Sample, IsChosenByTheLastDigitsOfTheTraceId) {
    const TraceId low = trace_id("ffffffffffffffffff00000000000000");
    const TraceId high = trace_id("00000000000000000affffffffffffff");
    const TraceId half = trace_id("00000000000000000080000000000001");
    EXPECT_TRUE(is_in_sample(low, 1'000'000));
    EXPECT_FALSE(is_in_sample(low, 999'999));
    EXPECT_FALSE(is_in_sample(high, 0));
    EXPECT_TRUE(is_in_sample(high, 1));
    EXPECT_TRUE(is_in_sample(half, 500'001));
    EXPECT_FALSE(is_in_sample(half, 499'999));
}

}  // namespace
}  // namespace ticketgate::trace

#include "spawn/authors.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ticketgate::spawn {
namespace {

std::string id_at(Authors& authors, std::uint64_t offset) {
    return std::string(authors.at(offset).id);
}

TEST(Authors, EachByteIsByTheRequestThatRanThen) {
    Authors authors;
    authors.change(0, "a");
    authors.change(10, "");
    authors.change(12, "b");
    EXPECT_EQ(id_at(authors, 0), "a");
    EXPECT_EQ(authors.at(0).end, 10u);
    EXPECT_EQ(id_at(authors, 9), "a");
    EXPECT_EQ(id_at(authors, 10), "");
    EXPECT_TRUE(authors.at(10).begins);
    EXPECT_EQ(id_at(authors, 12), "b");
    EXPECT_FALSE(authors.at(13).begins);
}

TEST(Authors, WhatComesBeforeTheFirstRequestIsByNone) {
    Authors authors;
    EXPECT_EQ(id_at(authors, 0), "");
    authors.change(5, "a");
    EXPECT_EQ(id_at(authors, 4), "");
    EXPECT_EQ(authors.at(4).end, 5u);
    EXPECT_EQ(id_at(authors, 5), "a");
}

TEST(Authors, RequestsThatWroteNothingTakeNoPlace) {
    Authors authors;
    for (int i = 0; i < 1000; ++i) {
        authors.change(7, "a" + std::to_string(i));
        authors.change(7, "");
    }
    authors.change(7, "b");
    authors.change(8, "c");
    EXPECT_EQ(id_at(authors, 7), "b");
    EXPECT_EQ(id_at(authors, 8), "c");
}

// No id rather than a wrong one.
TEST(Authors, BeyondItsPlacesBytesAreByNone) {
    Authors authors;
    for (std::size_t i = 0; i <= Authors::most; ++i) authors.change(i, std::to_string(i));
    EXPECT_EQ(id_at(authors, 0), "0");
    EXPECT_EQ(id_at(authors, Authors::most - 2), std::to_string(Authors::most - 2));
    EXPECT_EQ(id_at(authors, Authors::most - 1), "");
    EXPECT_EQ(id_at(authors, Authors::most), "");
    authors.change(Authors::most + 5, "later");
    EXPECT_EQ(id_at(authors, Authors::most + 4), "");
    EXPECT_EQ(id_at(authors, Authors::most + 5), "later");
}

TEST(Authors, ARequestThatNeverReachedTheWorkerHasWrittenNothing) {
    Authors authors;
    authors.change(0, "a");
    authors.change(3, "b");
    authors.disown();
    EXPECT_EQ(id_at(authors, 2), "a");
    EXPECT_EQ(id_at(authors, 3), "");
    EXPECT_FALSE(authors.some());
}

}  // namespace
}  // namespace ticketgate::spawn

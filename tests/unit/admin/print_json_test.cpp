#include "admin/print_json.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

TEST(PrintJson, WritesNumbersWithoutAnExponent) {
    EXPECT_EQ(print_json(0.0), "0.0");
    EXPECT_EQ(print_json(0.25), "0.25");
    EXPECT_EQ(print_json(1234.5), "1234.5");
    EXPECT_EQ(print_json(100.0), "100.0");
    EXPECT_EQ(print_json(0.0000014), "0.000001");
    EXPECT_EQ(print_json(-3.75), "-3.75");
}

TEST(PrintJson, KeepsTheDocumentOtherwise) {
    const auto whole =
        json::parse(R"({"a":[],"b":{},"c":[1,-2,null,true,"x\"\u0001\n",18446744073709551615],)"
                    R"("d\"":[{"e":0.5}]})");
    std::string expected = json::serialize(whole);
    expected.replace(expected.find("5E-1"), 4, "0.5");
    EXPECT_EQ(print_json(whole), expected);
    EXPECT_EQ(json::parse(print_json(whole)), whole);
}

}  // namespace
}  // namespace ticketgate::admin

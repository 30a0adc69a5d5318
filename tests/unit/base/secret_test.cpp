#include "base/secret.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

TEST(Secret, IsComparedWhole) {
    EXPECT_TRUE(equal_in_constant_time("sekrit", "sekrit"));
    for (const char* wrong : {"", "s", "sekri", "sekrit1", "sekriX", "Xekrit", "sekritsekrit"})
        EXPECT_FALSE(equal_in_constant_time(wrong, "sekrit")) << wrong;
    EXPECT_FALSE(equal_in_constant_time("", ""));
}

}  // namespace
}  // namespace ticketgate

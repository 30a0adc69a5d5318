// Which requests are calls of the backend to its own site (CONTRACT 10).
#include "proxy/inside.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

using http::FieldName;

http::RequestHead head(std::string_view name, std::string_view value,
                       FieldName id = FieldName::other) {
    http::RequestHead made;
    made.host = "blog.example";
    made.fields.push_back({.id = id, .name = name, .value = value, .line = {}});
    return made;
}

TEST(LooksLikeOwnCall, AUserAgentThatNamesTheHost) {
    const auto of = [](std::string_view value) {
        return looks_like_own_call(head("User-Agent", value, FieldName::user_agent));
    };
    EXPECT_TRUE(of("WordPress/6.1.9; http://blog.example"));
    EXPECT_FALSE(of("WordPress/6.1.9; http://other.example"));
    EXPECT_FALSE(of("Mozilla/5.0 (X11; Linux x86_64)"));
    EXPECT_FALSE(looks_like_own_call(head("Referer", "http://blog.example/")));
    http::RequestHead without = head("User-Agent", "curl/8", FieldName::user_agent);
    without.host = {};
    EXPECT_FALSE(looks_like_own_call(without));
}

}  // namespace
}  // namespace ticketgate

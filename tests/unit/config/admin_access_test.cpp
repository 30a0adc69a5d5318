#include "config/admin_access.hpp"

#include <gtest/gtest.h>

namespace ticketgate::config {
namespace {

AdminAccess access(const std::string& text) {
    return admin_access(text, "c.yaml", environment_of({{"TOKEN", "sesame"}}));
}

std::string address(const AdminAccess& access) {
    return access.address ? access.address->address : "";
}

TEST(AdminAccess, IsReadDespiteOtherErrors) {
    const std::string admin = "admin:\n  address: \"127.0.0.1:9901\"\n\n  token: ${TOKEN}\n";
    for (const std::string wrong :
         {"threads: x\n", "upstreams: {a: {url: \"${UNSET}\"}}\n", "routes: [{prefix: /\n",
          "unknown: \"never closed\n", "listen:\n\t- a: b\n", "a: b: c\n"})
        for (const auto& text : {wrong + admin, admin + wrong}) {
            const auto found = access(text);
            EXPECT_EQ(address(found), "127.0.0.1:9901") << text;
            EXPECT_EQ(found.token, "sesame") << text;
            EXPECT_TRUE(found.problems.empty()) << text << print(found.problems.at(0));
        }
    EXPECT_EQ(address(access("admin: {\n address: \"unix:/a\"\n}\nroutes: [\n")), "unix:/a");
}

TEST(AdminAccess, ReportsItsErrorsWithTheirPlaces) {
    const auto bad = access("routes: [\nadmin:\n  address: 9901\n");
    EXPECT_FALSE(bad.address);
    ASSERT_EQ(bad.problems.size(), 1u);
    EXPECT_EQ(bad.problems[0].line, 3u);
    EXPECT_EQ(bad.problems[0].path, "admin.address");
    const auto unset =
        access("admin: {address: \"127.0.0.1:1\", token: \"${UNSET}\"}\nthreads: x\n");
    EXPECT_TRUE(unset.address);
    ASSERT_FALSE(unset.problems.empty());
    EXPECT_NE(print(unset.problems[0]).find("UNSET is not set"), std::string::npos);
}

TEST(AdminAccess, IsEmptyWithoutAnAdminListener) {
    for (const char* off : {"threads: 1\n", "admin: off\n", "admin: off\nroutes: [\n"}) {
        EXPECT_FALSE(access(off).address) << off;
        EXPECT_TRUE(access(off).problems.empty()) << off;
    }
    EXPECT_FALSE(access("routes: [\n").problems.empty());
}

}  // namespace
}  // namespace ticketgate::config

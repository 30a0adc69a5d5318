#include "http/name_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "http/cgi_name.hpp"

namespace ticketgate::http {
namespace {

TEST(NameSet, HasEachNameInEverySpellingThatCgiFolds) {
    const std::vector<std::string> names{"X-Real-IP", "Client-IP", "CF-Connecting-IP", "X"};
    const NameSet set{names};
    for (const char* name :
         {"X-Real-IP", "x-real-ip", "X_Real_IP", "x.real!IP", "CLIENT_IP", "cf-connecting.ip", "x"})
        EXPECT_TRUE(set.contains(name)) << name;
    for (const char* name : {"X-Real-IPs", "X-Real", "XReal-IP", "X-Real-Iq", "Y", "", "Host"})
        EXPECT_FALSE(set.contains(name)) << name;
}

TEST(NameSet, IsEmptyWithoutNames) {
    EXPECT_FALSE(NameSet().contains("X"));
    EXPECT_TRUE(NameSet().empty());
    EXPECT_FALSE(NameSet(std::vector<std::string>{""}).contains("X"));
}

// Compares with a plain search, with enough names that every hash slot is shared.
TEST(NameSet, AgreesWithAPlainSearch) {
    std::vector<std::string> names, others;
    for (int i = 0; i < 2000; ++i) {
        const std::string name =
            "X-" + std::to_string(i * 7919 % 4001) + "-n" + std::string(i % 40, 'y');
        (i % 2 == 0 ? names : others).push_back(name);
    }
    const NameSet set{names};
    for (const auto& name : names) EXPECT_TRUE(set.contains(name)) << name;
    for (const auto& name : others)
        EXPECT_EQ(set.contains(name),
                  std::ranges::any_of(
                      names, [&](const auto& one) { return same_cgi_name(name, cgi_name(one)); }))
            << name;
}

}  // namespace
}  // namespace ticketgate::http

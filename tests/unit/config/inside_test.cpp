// Warnings about calls from inside (CONTRACT 10).
#include "config/validate.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

// The only warning of this config; empty: none.
std::string warning(const std::string& rest) {
    const auto loaded = load(base + rest);
    EXPECT_TRUE(loaded.config);
    const auto lines = printed(loaded.problems);
    EXPECT_LE(lines.size(), 1u);
    return lines.empty() ? "" : lines[0];
}

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.ends_with(end);
}

TEST(Inside, WarnsOfCallsThatCannotBeTold) {
    const std::string inside = "clients: {inside: [10.0.0.5]}\n";
    const std::string pass = "routes: [{prefix: /, queue: a, inside_calls: pass_any}]\n";
    const std::string some =
        "routes: [{prefix: /, queue: a, inside_calls: pass_any, skip_methods: "
        "[GET]}]\n";
    EXPECT_EQ(warning(inside + pass), "");
    EXPECT_EQ(warning(inside + "routes: [{prefix: /, queue: a, inside_calls: pass, skip_methods: "
                               "[GET]}]\n"),
              "")
        << "an id proves it";
    EXPECT_EQ(warning("routes: [{prefix: /, queue: a, inside_calls: wait}]\n"), "");
    EXPECT_EQ(warning(pass),
              "c.yaml:4:32: warning: routes[0].inside_calls: has no effect while clients.inside is "
              "empty; name the addresses from which the backend calls its own site");
    EXPECT_TRUE(ends_with(warning(inside + some),
                          "routes[0].inside_calls: while a request that is not queued runs, only a "
                          "call with the X-Request-Id of its caller passes; others wait"));
    EXPECT_TRUE(ends_with(warning("clients: {inside: [0.0.0.0/0]}\n" + pass),
                          "clients.inside: 0.0.0.0/0 counts clients as backends; name the "
                          "backends' own addresses"));
    EXPECT_TRUE(ends_with(
        warning("clients: {inside: [10.0.0.5], trusted_proxies: [10.0.0.0/8]}\n" + pass),
        "clients.inside: 10.0.0.5 has no effect: it is in clients.trusted_proxies, whose requests "
        "are their clients'"));
}

}  // namespace
}  // namespace ticketgate::config

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

// The note about calls from inside, if the config, after `base`, has one.
std::string note(const std::string& rest) {
    const auto loaded = load("listen: [{address: \"127.0.0.1:80\"}]\n" + rest);
    for (const auto& line : printed(loaded.problems)) EXPECT_TRUE(loaded.config) << line;
    if (!loaded.config) return "refused";
    for (const auto& line : notes(*loaded.config))
        if (line.find("inside_calls") != std::string::npos) return line;
    return "";
}

// CONTRACT 10: a call without an id passes rightly only where no script outlives its slot.
TEST(Inside, NotesScriptsThatMayCallWhenTheirSlotIsFree) {
    const std::string web = "a: {url: \"http://10.0.0.5\"}",
                      idle = "queues: {i: {release: worker_idle}}\n",
                      fpm =
                          "a: {url: \"fastcgi://10.0.0.5\", fastcgi: {root: /w, status: {url: "
                          "\"fastcgi://10.0.0.5:1\"}}}",
                      own = "a: {workers: {command: [w]}, fastcgi: {root: /w}}";
    const auto file = [](const std::string& upstreams, const std::string& rest) {
        return "clients: {inside: [10.0.0.5]}\nupstreams: {" + upstreams + "}\n" + rest + "\n";
    };
    const std::string guess = "inside_calls: pass_any: a call without";
    for (const auto& risky : {
             file(web, "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass_any}]"),
             file(web,
                  "defaults: {inside_calls: pass_any}\nroutes: [{prefix: /, upstream: a, queue: "
                  "q}]"),
             file(web,
                  "routes: [{prefix: /, upstream: a, inside_calls: pass_any, routes: [{prefix: /q, "
                  "queue: q}]}]"),
             file(fpm, idle + "routes: [{prefix: /, upstream: a, queue: i, inside_calls: pass_any, "
                              "skip_methods: [GET]}]"),
             file(fpm,
                  idle + "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass_any}]"),
             file(own + ", b: {url: \"http://10.0.0.5\"}",
                  "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass_any}, {prefix: "
                  "/b, upstream: b, queue: z}]"),
         })
        EXPECT_NE(note(risky).find(guess), std::string::npos) << risky << note(risky);
    for (const auto& sure : {
             file(own, "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass_any}]"),
             file(fpm,
                  idle + "routes: [{prefix: /, upstream: a, queue: i, inside_calls: pass_any}]"),
             file(own,
                  "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass_any, "
                  "skip_methods: [GET]}]"),
             file(web, "routes: [{prefix: /, upstream: a, queue: q, inside_calls: pass}]"),
         })
        EXPECT_EQ(note(sure), "") << sure;
}

}  // namespace
}  // namespace ticketgate::config

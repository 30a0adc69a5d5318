// How long a config takes to load, to index and to match: few routes and 10,000, with hosts and
// without. Build the target tg_routes_bench of the preset release; it prints one table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "config/route_index.hpp"

namespace {

using namespace ticketgate::config;
using Clock = std::chrono::steady_clock;

double ms_of(const std::function<void()>& work) {
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Case {
    const char* name;
    int routes;
    std::function<std::string(int)> route;  // its line of the file
    std::function<Asked(const std::string&)> ask;
    std::function<std::string(int)> key;  // the path or host of the n-th
};

std::string text_of(const Case& one) {
    std::string text =
        "listen: [{address: \"127.0.0.1:80\"}]\nupstreams: {app: {url: \"http://127.0.0.1:1\"}}\n"
        "defaults: {upstream: app}\nqueues: {q: {}}\nroutes:\n";
    for (int i = 0; i < one.routes; ++i) text += one.route(i) + "\n";
    return text;
}

void measure(const Case& one) {
    const auto text = text_of(one);
    Loaded loaded;
    const double load = ms_of([&] { loaded = load_text(text, "bench.yaml", environment_of({})); });
    if (!loaded.config) {
        for (const auto& problem : loaded.problems) std::puts(print(problem).c_str());
        return;
    }
    std::unique_ptr<RouteIndex> index;
    const double build = ms_of([&] { index = std::make_unique<RouteIndex>(*loaded.config); });
    std::vector<std::string> keys;
    for (int i = 0; i < one.routes; ++i) keys.push_back(one.key(i));
    std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
    constexpr int asks = 2'000'000;
    std::size_t found = 0;
    double match = 1e9;
    for (int round = 0; round < 3; ++round)
        match = std::min(
            match, ms_of([&] {
                for (int i = 0; i < asks; ++i)
                    found += index->match(one.ask(keys[static_cast<std::size_t>(i) % keys.size()]))
                                 .matched();
            }));
    std::printf("| %s | %d | %.1f | %.1f | %.0f | %s |\n", one.name, one.routes, load, build,
                match * 1e6 / asks, found == std::size_t{asks} * 3 ? "all" : "NOT ALL");
}

}  // namespace

int main() {
    const auto no = [](int i) { return std::to_string(i); };
    const auto path = [](const std::string& key) { return Asked{.path = key, .method = "GET"}; };
    const auto host = [](const std::string& key) {
        return Asked{.path = "/a/b", .host = key, .method = "GET"};
    };
    const auto site = [&](int i) { return "- {host: s" + no(i) + ".example.org, queue: q}"; };
    const auto name = [&](int i) { return "s" + no(i) + ".example.org"; };
    const auto prefix = [&](int i) { return "- {prefix: /p" + no(i) + ", queue: q}"; };
    const auto posts = [&](int i) {
        return "- {host: s" + no(i) + ".example.org, routes: [{methods: [POST], queue: q}]}";
    };
    const auto wild = [&](int i) { return "- {host: \"*.s" + no(i) + ".example.org\", queue: q}"; };
    const auto below = [&](int i) { return "www.s" + no(i) + ".example.org"; };
    const auto path_of = [&](int i) { return "/p" + no(i) + "/x"; };
    std::puts(
        "| routes | number | load ms | index ms | match ns | found |\n|---|---|---|---|---|---|");
    for (const int routes : {10, 10000}) measure({"prefixes", routes, prefix, path, path_of});
    for (const int routes : {2, 10, 10000}) measure({"hosts", routes, site, host, name});
    for (const int routes : {10, 10000}) measure({"wildcard hosts", routes, wild, host, below});
    for (const int routes : {10, 5000})
        measure({"hosts with methods (each two routes)", routes, posts, host, name});
}

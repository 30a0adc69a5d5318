// Shared by the tests of config: loads a text and returns the config or its problems.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/dump.hpp"
#include "config/load.hpp"

namespace ticketgate::config {

/// Three lines that complete a config; the text that follows, such as `routes:`, begins in line 4.
inline const std::string base =
    "listen: [{address: \"127.0.0.1:8080\"}]\n"
    "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
    "defaults: {upstream: app}\n";
inline const std::string one_route = "routes: [{prefix: /}]\n";

inline Loaded load(const std::string& text,
                   std::map<std::string, std::string, std::less<>> variables = {}) {
    return load_text(text, "c.yaml", environment_of(std::move(variables)));
}

inline std::vector<std::string> printed(const std::vector<Problem>& problems) {
    std::vector<std::string> lines;
    for (const Problem& problem : problems) lines.push_back(print(problem));
    return lines;
}

/// The config of a text without errors; warnings are allowed.
inline Config good(const std::string& text,
                   std::map<std::string, std::string, std::less<>> variables = {}) {
    auto loaded = load(text, std::move(variables));
    for (const auto& problem : loaded.problems) EXPECT_TRUE(problem.warning) << print(problem);
    EXPECT_TRUE(loaded.config.has_value());
    return loaded.config.value_or(Config{});
}

/// What `explain --all` prints of this request.
inline std::string explained(const Config& config, std::string_view method, std::string_view path,
                             Way way = Way::queues) {
    const RouteIndex routes(config);
    const Asked asked{.path = path, .method = method};
    return explain(config, routes, asked, routes.match(asked), way, Shown::all);
}

inline std::string file_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

inline const std::string source_dir = TG_SOURCE_DIR;

}  // namespace ticketgate::config

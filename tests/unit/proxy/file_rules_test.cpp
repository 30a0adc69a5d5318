#include "proxy/file_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ticketgate {
namespace {

bool never_sends(const std::string& path, const config::Fcgi& fcgi, const std::string& root) {
    config::Upstream upstream;
    upstream.fcgi = fcgi;
    config::Files files;
    files.root = root;
    const auto rules = file_rules(files, &upstream, nullptr);
    return std::ranges::count(rules->sources, path) != 0;
}

TEST(FileRules, NameWhatTheBackendRuns) {
    config::Fcgi fcgi;
    fcgi.root = "/srv/app";
    fcgi.script = "/public/app.lua";
    EXPECT_TRUE(never_sends("/public/app.lua", fcgi, "/srv/app"));
    EXPECT_TRUE(never_sends("/app.lua", fcgi, "/srv/app/public"));
    EXPECT_TRUE(never_sends("/app/public/app.lua", fcgi, "/srv"));
    EXPECT_TRUE(never_sends("/public/app.lua", fcgi, "/as/in/the/container"));
    fcgi.params = {{"SCRIPT_FILENAME", "/srv/app/other.lua"}};
    EXPECT_TRUE(never_sends("/other.lua", fcgi, "/srv/app"));
    EXPECT_FALSE(never_sends("/other.lua", fcgi, "/srv/application"));
    fcgi.script.reset();
    fcgi.index = "index.lua";
    EXPECT_TRUE(never_sends("index.lua", fcgi, "/srv/app"));
}

}  // namespace
}  // namespace ticketgate

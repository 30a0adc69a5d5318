// The folders of files are looked at without memory, as at a reload: each allocation is the first
// to fail once.
#include <gtest/gtest.h>

#include <filesystem>

#include "../../support/no_memory.hpp"
#include "app/roots.hpp"
#include "config/load.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

TEST(RootsWithoutMemory, AreTriedAgainLater) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.file("www/a/b"));
    (void)folder.write("www/a/b/.htaccess", "Require all denied\n");
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\", files: {root: " +
            folder.file("www") +
            "}}}\n"
            "routes: [{prefix: /, upstream: app, queue: q}]\n",
        "c.yaml", config::environment_of({}));
    ASSERT_TRUE(loaded.config);
    std::vector<config::Problem> found;
    const auto looks = [&](int pieces) {
        const NoMemory shortage(pieces);
        try {
            found = root_problems(*loaded.config, "c.yaml");
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    };
    int pieces = 0;
    while (!looks(pieces)) ASSERT_LT(++pieces, 100'000);
    EXPECT_GT(pieces, 10) << "no shortage has struck";
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found.front().message.find("/a/b"), std::string::npos) << found.front().message;
}

}  // namespace
}  // namespace ticketgate

// Where the names of a path are looked up, through links.
#include "app/path_walk.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

namespace fs = std::filesystem;

struct Walked {
    explicit Walked(const std::string& path)
        : result(walk_path(path, [this](const std::string& folder, const std::string& name) {
              steps.push_back(folder + " " + name);
          })) {}
    std::vector<std::string> steps;
    PathWalk result;
};

class PathWalkTest : public testing::Test {
 protected:
    // The steps below the test's own folder, with its path cut off.
    std::vector<std::string> steps(const std::string& path) const {
        const std::string own = fs::canonical(folder.path()).string();
        std::vector<std::string> out;
        for (const auto& step : Walked(own + "/" + path).steps)
            if (step.starts_with(own)) out.push_back(step.substr(own.size()));
        return out;
    }
    test::TemporaryFolder folder;
};

using Steps = std::vector<std::string>;

TEST_F(PathWalkTest, LooksUpEachNameInItsFolder) {
    fs::create_directories(folder.file("a/b"));
    const std::string file = folder.write("a/b/c.yaml", "x");
    EXPECT_EQ(steps("a/b/c.yaml"), (Steps{" a", "/a b", "/a/b c.yaml"}));
    EXPECT_EQ(Walked(file).result.file, fs::canonical(file));
    EXPECT_EQ(Walked(file).steps.front().substr(0, 2), "/ ") << "from the root";
}

TEST_F(PathWalkTest, FollowsTheLinksOfAConfigMap) {
    fs::create_directories(folder.file("..v1"));
    folder.write("..v1/c.yaml", "x");
    fs::create_symlink("..v1", folder.file("..data"));
    fs::create_symlink("..data/c.yaml", folder.file("c.yaml"));
    EXPECT_EQ(steps("c.yaml"), (Steps{" c.yaml", " ..data", " ..v1", "/..v1 c.yaml"}));
    EXPECT_EQ(Walked(folder.file("c.yaml")).result.file, fs::canonical(folder.file("..v1/c.yaml")));
}

TEST_F(PathWalkTest, FollowsLinksUpwardsAndFromTheRoot) {
    fs::create_directories(folder.file("a/b"));
    folder.write("c.yaml", "x");
    fs::create_symlink("../../c.yaml", folder.file("a/b/up"));
    EXPECT_EQ(steps("a/b/up"), (Steps{" a", "/a b", "/a/b up", " c.yaml"}));
    fs::create_symlink(fs::canonical(folder.file("c.yaml")), folder.file("a/whole"));
    EXPECT_EQ(steps("a/./whole").back(), " c.yaml");
}

TEST_F(PathWalkTest, EndsWhereANameIsMissingAndInACircle) {
    EXPECT_EQ(steps("a/b"), (Steps{" a"}));
    EXPECT_EQ(Walked(folder.file("a/b")).result.file, "");
    fs::create_symlink("two", folder.file("one"));
    fs::create_symlink("one", folder.file("two"));
    EXPECT_EQ(Walked(folder.file("one")).result.file, "");
    EXPECT_LE(steps("one").size(), 41u);
}

TEST_F(PathWalkTest, TellsTheLastChangeOfTheFileOrOfALink) {
    folder.write("old", "x");
    const auto before = Walked(folder.file("old")).result.changed;
    fs::create_symlink("old", folder.file("link"));
    const auto after = Walked(folder.file("link")).result.changed;
    EXPECT_GT(before.unix_us, 0);
    EXPECT_GE(after.unix_us, before.unix_us);
}

}  // namespace
}  // namespace ticketgate

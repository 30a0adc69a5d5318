// A change that comes while the config is read: behind a link that leads to another folder, nothing
// is watched yet.
#include "app/config_watch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

namespace fs = std::filesystem;

class ConfigWatchTest : public ::testing::Test {
 protected:
    ConfigWatchTest() {
        for (const char* version : {"v1", "v2"}) {
            fs::create_directory(folder_.file(version));
            write(version);
        }
        point_to("v1");
    }
    void write(const std::string& version) const {
        std::ofstream(folder_.file(version) + "/c.yaml") << "text";
    }
    void point_to(const std::string& version) const {
        fs::create_symlink(version, folder_.file("new"));
        fs::rename(folder_.file("new"), folder_.file("current"));
    }
    Files files() const { return {folder_.file("current") + "/c.yaml"}; }
    // Returns once a change is to be read.
    void run_until_change() {
        const int before = changes_;
        while (changes_ == before) control_.run_one();
    }
    // Longer than the times of files are behind.
    static WallTime later() { return {wall_now().unix_us + 1'000'000}; }

    const test::TemporaryFolder folder_;
    Log log_{Level::error};
    boost::asio::io_context control_{1};
    int changes_ = 0;
    ConfigWatch watch_{control_, log_, [this] { ++changes_; }};
};

TEST_F(ConfigWatchTest, AChangeBehindANewLinkWhileItIsReadIsNoticed) {
    watch_.follow(files(), later());
    point_to("v2");
    run_until_change();
    const WallTime read_at = wall_now();
    write("v2");
    watch_.follow(files(), read_at);
    run_until_change();
    EXPECT_EQ(changes_, 2);
}

TEST_F(ConfigWatchTest, AFileWithATimeToComeIsReadOnce) {
    watch_.follow(files(), later());
    write("v1");
    run_until_change();
    watch_.follow(files(), WallTime{0});  // as if it were changed later
    control_.run_for(2 * ConfigWatch::quiet);
    EXPECT_EQ(changes_, 1);
}

}  // namespace
}  // namespace ticketgate

// `check` looks at the folders of static files.
#include "app/roots.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/load.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

class RootsTest : public testing::Test {
 protected:
    // What is told of the root, without place and key; lines joined.
    std::string told(const std::string& files = {}, const std::string& file = "c.yaml",
                     const std::string& tls = {}) {
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:8080\"" + tls +
                "}]\n"
                "upstreams: {app: {url: \"http://127.0.0.1:8000\", files: {root: " +
                root() + files +
                "}}}\n"
                "routes: [{prefix: /, upstream: app, queue: q}]\n",
            "c.yaml", config::environment_of({}));
        if (!loaded.config) return "no config";
        std::string out;
        for (const auto& problem : root_problems(*loaded.config, file))
            out += config::print(problem) + "\n";
        return out;
    }
    std::string root() const { return folder_.file("www"); }
    void put(const std::string& folder, const std::string& rules) {
        std::filesystem::create_directories(root() + "/" + folder);
        (void)folder_.write("www/" + folder + "/.htaccess", rules);
    }
    test::TemporaryFolder folder_;
};

TEST_F(RootsTest, NamesFilesOfItsOwnThatClientsMayRead) {
    std::filesystem::create_directories(root() + "/tls");
    EXPECT_EQ(told(), "");
    EXPECT_NE(told({}, root() + "/gate.conf").find("the config file lies in it, where clients may"),
              std::string::npos);
    EXPECT_EQ(told({}, root() + "/.gate.conf"), "") << "hidden";
    const std::string tls =
        ", tls: {certificates: [{certificate: /c, key: " + root() + "/tls/site}]}";
    EXPECT_NE(told({}, "c.yaml", tls).find("the key of listen[0].tls lies in it"),
              std::string::npos);
    EXPECT_EQ(told(", hide: [default, /tls]", "c.yaml", tls), "");
}

TEST_F(RootsTest, NamesFoldersThatApacheGuards) {
    put("data", "order allow,deny\ndeny from all\n");
    put("uploads/private/files", "<IfModule x>\nRequire all denied\n</IfModule>\n");
    put("uploads/private/files/deep", "Deny from all\n");
    put("local", "Require local\n");
    put("gone", "RewriteEngine on\nRewriteRule ^ - [F]\n");
    put("moved", "RedirectMatch 404 .*\n");
    put("open", "Order allow,deny\nAllow from all\n");
    put("part", "Deny from all\n<FilesMatch css>\nAllow from all\n</FilesMatch>\n");
    put("plain", "Options -Indexes\n");
    EXPECT_NE(told().find("an .htaccess file guards /data, /gone, /local, /moved, "
                          "/uploads/private/files, but"),
              std::string::npos)
        << told();
    EXPECT_NE(told().find("an .htaccess file in /part keeps something"), std::string::npos);
    EXPECT_EQ(told(", hide: [default, /data, gone, /local, /moved, /uploads/private]"), "");
}

TEST_F(RootsTest, NamesTheRulesOfTheRootItself) {
    put(".", "RewriteRule ^(data|conf)/ - [F,L]\n");
    EXPECT_NE(told().find(".htaccess file in / keeps something from clients"), std::string::npos)
        << told();
    EXPECT_EQ(told(", hide: [default, /data, /conf]"), "");
    EXPECT_NE(told(", hide: [default]").find("keeps something from clients"), std::string::npos);
    put(".", "RewriteRule . /index.php [L]\n");
    EXPECT_EQ(told(), "") << "a front controller";
}

TEST_F(RootsTest, NamesAMissingRoot) {
    EXPECT_NE(told().find("every request of its routes gets 503, scripts too"), std::string::npos);
    std::filesystem::create_directories(root());
    EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace ticketgate

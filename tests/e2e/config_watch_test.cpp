// `--watch`: a file that changes is read again, however it changes; a bad one changes nothing.
#include <boost/json/parse.hpp>
#include <filesystem>

#include "the_program.hpp"

namespace ticketgate::test {
namespace {

namespace fs = std::filesystem;

class WatchedConfig : public TheProgram {
 protected:
    // A config whose only route is /NAME.
    std::string serving(const std::string& name, const std::string& more = {}) const {
        return "listen: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:" +
               folder.file("admin.sock") + "\" }\nupstreams: { app: { url: \"" + backend.url() +
               "\" }, none: { url: \"http://127.0.0.1:9\" } }\nroutes: [{ prefix: /" + name +
               ", upstream: app }" + more + "]\n";
    }
    static int status(const net::Endpoint& address, const std::string& path) {
        Client client(address);
        client.get(path);
        return static_cast<int>(client.read().status);
    }
    static bool serves(const net::Endpoint& address, const std::string& name) {
        return eventually([&] { return status(address, "/" + name) == 200; });
    }
    Response admin(const std::string& path) const {
        Client client(*net::Endpoint::from_unix(folder.file("admin.sock")));
        client.get(path);
        return client.read();
    }
    boost::json::object view() const {
        return boost::json::parse(admin("/api/v1/config").body).as_object();
    }
    void replace(const std::string& name, const std::string& text) const {
        fs::rename(folder.write("new", text), folder.file(name));
    }
    // As `ln -sfn` and the kubelet do: the link is never absent.
    void point(const std::string& link, const std::string& target) const {
        fs::create_symlink(target, folder.file("link.new"));
        fs::rename(folder.file("link.new"), folder.file(link));
    }
    Backend backend;
};

TEST_F(WatchedConfig, IsReadAgainWhenAnotherFileTakesItsPlace) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    EXPECT_TRUE(serves(address, "one"));
    replace("c.yaml", serving("two"));
    EXPECT_TRUE(serves(address, "two"));
    EXPECT_EQ(status(address, "/one"), 404);
    replace("c.yaml", serving("three"));
    EXPECT_TRUE(serves(address, "three")) << "the new file is watched, too";
    EXPECT_TRUE(program.says("by=watch"));
}

TEST_F(WatchedConfig, IsReadAgainWhenItIsWrittenInPlace) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    for (const char* name : {"two", "three"}) {
        config(serving(name));
        EXPECT_TRUE(serves(address, name)) << program.err();
    }
}

// A ConfigMap: c.yaml -> ..data/c.yaml, ..data -> ..v1; an update moves ..data and removes ..v1.
TEST_F(WatchedConfig, IsReadAgainWhenAConfigMapChanges) {
    const auto version = [&](const std::string& name) {
        fs::create_directories(folder.file(".." + name));
        folder.write(".." + name + "/c.yaml", serving(name));
        point("..data", ".." + name);
    };
    version("one");
    fs::create_symlink("..data/c.yaml", folder.file("c.yaml"));
    Program program({"--watch", "-c", folder.file("c.yaml")});
    const auto address = address_of(program);
    std::string before = "one";
    for (const std::string name : {"two", "three", "four"}) {
        version(name);
        fs::remove_all(folder.file(".." + before));
        EXPECT_TRUE(serves(address, name)) << program.err();
        before = name;
    }
}

TEST_F(WatchedConfig, IsReadAgainWhenALinkedFolderAboveItChanges) {
    for (const std::string name : {"one", "two"}) {
        fs::create_directories(folder.file("releases/" + name + "/etc"));
        folder.write("releases/" + name + "/etc/c.yaml", serving(name));
    }
    point("current", "releases/one");
    Program program({"--watch", "-c", folder.file("current/etc/c.yaml")});
    const auto address = address_of(program);
    EXPECT_TRUE(serves(address, "one"));
    point("current", "releases/two");
    EXPECT_TRUE(serves(address, "two")) << program.err();
    fs::rename(folder.file("releases"), folder.file("away"));
    EXPECT_TRUE(program.says("cannot read the file")) << "moved away with its folder";
    folder.write("away/two/etc/c.yaml", serving("three"));
    fs::rename(folder.file("away"), folder.file("releases"));
    EXPECT_TRUE(serves(address, "three")) << program.err();
}

TEST_F(WatchedConfig, KeepsTheOldOneWhenItIsBadAndTellsIt) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    EXPECT_TRUE(serves(address, "one"));
    EXPECT_EQ(view().at("watched"), true);
    EXPECT_EQ(view().at("last_read").at("by"), "start");
    const double age = view().at("age_seconds").to_number<double>();
    config(serving("two") + "threads: x\ndrain_timeuot: 1s\n");
    ASSERT_TRUE(program.says("the old one stays"));
    EXPECT_TRUE(serves(address, "one"));
    EXPECT_EQ(status(address, "/two"), 404);

    const std::string told = program.err();
    EXPECT_NE(told.find("by=watch problems=2 first=\"" + folder.file("c.yaml") + ":"), told.npos)
        << told;
    std::size_t errors = 0;
    for (auto at = told.find(" error "); at != told.npos; at = told.find(" error ", at + 1))
        ++errors;
    EXPECT_EQ(errors, 1u) << told;

    const auto ready = admin("/readyz?verbose");
    EXPECT_EQ(ready.status, 200) << "it serves with the config in force";
    EXPECT_TRUE(ready.body.starts_with("ok\nconfig ")) << ready.body;
    EXPECT_NE(ready.body.find("(watch), the old one stays:\n"), ready.body.npos) << ready.body;
    EXPECT_NE(ready.body.find("did you mean drain_timeout?"), ready.body.npos) << ready.body;
    EXPECT_EQ(admin("/readyz").body, "ok\n");
    EXPECT_EQ(view().at("last_read").at("in_force"), false);
    EXPECT_EQ(view().at("last_read").at("problems").as_array().size(), 2u);
    EXPECT_GT(view().at("age_seconds").to_number<double>(), age) << "that of the old one";

    config(serving("three"));
    EXPECT_TRUE(serves(address, "three"));
    EXPECT_TRUE(eventually([&] { return view().at("last_read").at("in_force").as_bool(); }));
    EXPECT_EQ(admin("/readyz?verbose").body.find("stays"), std::string::npos);
}

TEST_F(WatchedConfig, IsReadAgainWhenAFileThatItNamesChanges) {
    const std::string broken =
        ", { prefix: /gone, upstream: none, on_backend_error: { body_file: page.html } }";
    folder.write("page.html", "first page");
    Program program({"--watch", "-c", config(serving("one", broken))});
    const auto address = address_of(program);
    const auto page = [&](const std::string& text) {
        return eventually([&] {
            Client client(address);
            client.get("/gone");
            return client.read().body == text;
        });
    };
    EXPECT_TRUE(page("first page"));
    replace("page.html", "second page");
    EXPECT_TRUE(page("second page"));
    folder.write("page.html", "third page");
    EXPECT_TRUE(page("third page"));
}

TEST_F(WatchedConfig, IsReadAgainWhenTheFileComesThatItLacked) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    config(
        serving("two", ", { prefix: /a, upstream: app, on_full: { body_file: later/page.html } }"));
    EXPECT_TRUE(program.says("later/page.html"));
    EXPECT_TRUE(serves(address, "one"));
    fs::create_directories(folder.file("coming"));
    folder.write("coming/page.html", "page");
    fs::rename(folder.file("coming"), folder.file("later"));
    EXPECT_TRUE(serves(address, "two")) << program.err();
}

TEST_F(WatchedConfig, IsReadAgainWhenItComesBack) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    fs::remove(folder.file("c.yaml"));
    EXPECT_TRUE(program.says("cannot read the file")) << program.err();
    EXPECT_TRUE(serves(address, "one"));
    config(serving("two"));
    EXPECT_TRUE(serves(address, "two")) << program.err();
}

TEST_F(WatchedConfig, IsReadOnHupAndOnCommandAsWell) {
    Program program({"--watch", "-c", config(serving("one"))});
    const auto address = address_of(program);
    EXPECT_TRUE(serves(address, "one"));
    program.signal(SIGHUP);
    EXPECT_TRUE(program.says("by=signal"));
    Program reload({"reload", "-c", folder.file("c.yaml")});
    EXPECT_EQ(reload.wait(), 0) << reload.err();
    EXPECT_EQ(view().at("last_read").at("by"), "command");
}

TEST_F(WatchedConfig, IsNotReadAgainWithoutTheOption) {
    Program program({"-c", config(serving("one"))});
    const auto address = address_of(program);
    EXPECT_EQ(view().at("watched"), false);
    replace("c.yaml", serving("two"));
    EXPECT_TRUE(still(1s, [&] { return status(address, "/two") == 404; }));
    program.signal(SIGHUP);
    EXPECT_TRUE(serves(address, "two"));
}

TEST_F(WatchedConfig, IsNoOptionOfACommand) {
    Program program({"--watch", "check", "-c", config(serving("one"))});
    EXPECT_EQ(program.wait(), 2);
    EXPECT_NE(program.err().find("--watch is for the program without a command"),
              std::string::npos);
}

}  // namespace
}  // namespace ticketgate::test

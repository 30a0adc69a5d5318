#include "files/lookup.hpp"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <set>

namespace ticketgate::files {

void PrintTo(const Resolved::Kind& kind, std::ostream* out) {
    constexpr const char* names[] = {"unknown",  "failed",   "file",    "script",
                                     "upstream", "redirect", "missing", "hidden"};
    *out << names[static_cast<int>(kind)];
}

namespace {

using Kind = Resolved::Kind;

// Paths with a slash at their end are folders.
class FakeTree final : public Tree {
 public:
    explicit FakeTree(std::map<std::string, std::int64_t> entries) : entries_(std::move(entries)) {}
    Found open(const std::string& path) override {
        asked.insert(path);
        if (unknown.contains(path)) return {Found::Kind::unknown};
        if (failed.contains(path)) return {Found::Kind::failed};
        if (path == "/" || entries_.contains(path + "/") ||
            (path.ends_with('/') && entries_.contains(path)))
            return {Found::Kind::folder};
        const auto found = entries_.find(path);
        if (found == entries_.end()) return {};
        auto file = std::make_shared<OpenFile>();
        file->mtime_ns = found->second;
        return {Found::Kind::file, found->second, file};
    }
    Found find(const std::string& path) override {
        Found found = open(path);
        found.file = nullptr;
        return found;
    }
    std::set<std::string> asked, unknown, failed;

 private:
    const std::map<std::string, std::int64_t> entries_;
};

FakeTree site() {
    return FakeTree({{"/index.php", 1},       {"/a.css", 5},   {"/a.css.gz", 5},
                     {"/a.css.br", 4},        {"/b.js", 5},    {"/b.js.gz", 6},
                     {"/b.js.br", 7},         {"/p.png", 1},   {"/p.png.gz", 1},
                     {"/x.PHP", 1},           {"/x.inc", 1},   {"/x.php.gz", 1},
                     {"/app.html", 1},        {"/.env", 1},    {"/docs/", 1},
                     {"/docs/index.html", 1}, {"/shop/", 1},   {"/shop/index.php", 1},
                     {"/empty/", 1},          {"/sh\nop/", 1}, {"/sh\nop/index.php", 1}});
}

Rules fpm() {
    Rules rules;
    rules.index = {"index.php", "index.html"};
    rules.hide = {"*.bak"};
    rules.chooses_scripts = true;
    rules.known = std::make_shared<const MediaTypes>("");
    return rules;
}

Resolved look(const std::string& path, const Rules& rules, bool reads = true, Codings takes = {}) {
    auto tree = site();
    return look_up(tree, {path, reads, takes}, rules);
}

struct Case {
    const char* path;
    Kind kind;
    const char* at = "";
};

TEST(LookUp, FindsFilesScriptsAndFolders) {
    const Case cases[] = {
        {"/", Kind::script, "/index.php"},
        {"/a.css", Kind::file, "/a.css"},
        {"/a.css/", Kind::upstream},
        {"/p.png", Kind::file, "/p.png"},
        {"/docs", Kind::redirect, "/docs/"},
        {"/docs/", Kind::file, "/docs/index.html"},
        {"/shop", Kind::redirect, "/shop/"},
        {"/shop/", Kind::script, "/shop/index.php"},
        {"/empty", Kind::upstream},
        {"/empty/", Kind::upstream},
        {"/missing", Kind::upstream},
        {"/index.php", Kind::upstream},
        {"/index.php/a.bak", Kind::upstream},
        {"/missing.php", Kind::upstream},
        {"/a.css.gz", Kind::file, "/a.css.gz"},
        // scripts are never text
        {"/x.PHP", Kind::upstream},
        {"/x.inc", Kind::upstream},
        {"/x.php.gz", Kind::upstream},
        // hidden, there or not
        {"/.env", Kind::hidden},
        {"/.nothing", Kind::hidden},
        {"/x.bak", Kind::hidden},
        {"/.git/x.php", Kind::hidden},
        // a name that php-fpm's status page would garble is no script
        {"/sh\nop/", Kind::upstream},
    };
    for (const Case& one : cases) {
        const Resolved found = look(one.path, fpm());
        EXPECT_EQ(found.kind, one.kind) << one.path;
        EXPECT_EQ(found.path, one.at) << one.path;
        EXPECT_EQ(found.file != nullptr, one.kind == Kind::file) << one.path;
        EXPECT_EQ(found.of_folder, one.kind == Kind::script) << one.path;
    }
}

// As the script of a program that is not PHP.
TEST(LookUp, SendsNoSourceOfWhatTheBackendRuns) {
    Rules rules = fpm();
    rules.runs_scripts = rules.chooses_scripts = false;
    rules.sources = {"/app.html"};
    EXPECT_EQ(look("/app.html", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/APP.html", rules).kind, Kind::upstream);
    rules.fallback = Fallback::file;
    rules.fallback_path = "/app.html";
    EXPECT_EQ(look("/missing", rules).kind, Kind::missing);
    rules = fpm();
    rules.runs_scripts = rules.chooses_scripts = false;
    rules.sources = {"index.html"};
    EXPECT_EQ(look("/docs/index.html", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/docs/", rules).kind, Kind::upstream) << "the backend runs it";
}

// Neither upstream, script nor /index.php: nothing reaches the backend, whatever users upload.
TEST(LookUp, RunsNoScriptWithoutABackendToTry) {
    for (const Fallback fallback : {Fallback::none, Fallback::file})
        for (const bool reads : {true, false})
            for (const char* path :
                 {"/index.php", "/index.php/a.css", "/missing.php", "/x.PHP", "/shop/", "/"}) {
                Rules rules = fpm();
                rules.fallback = fallback;
                rules.fallback_path = "/x.inc";
                EXPECT_EQ(look(path, rules, reads).kind, Kind::missing) << path;
            }
    Rules named = fpm();
    named.fallback = Fallback::named;
    EXPECT_EQ(look("/missing.php", named).kind, Kind::upstream);
    EXPECT_EQ(look("/shop/", named).kind, Kind::script);
    EXPECT_EQ(look("/missing", named).kind, Kind::missing);
}

// Every path is the script's: the address of an article may look like anything.
TEST(LookUp, HidesNothingWherePathsNameNoFiles) {
    Rules rules = fpm();
    rules.tries_path = rules.tries_folder = false;
    rules.fallback = Fallback::script;
    rules.fallback_path = "/index.php";
    for (const char* path : {"/.env", "/wiki/.NET", "/x.bak", "/x.php", "/a.css"})
        EXPECT_EQ(look(path, rules).kind, Kind::script) << path;
}

TEST(LookUp, HidesAFolderByItsPath) {
    Rules rules = fpm();
    rules.hide = {"/shop", "/docs/index.html"};
    for (const char* path : {"/shop", "/SHOP/", "/shop/index.php", "/shop/x", "/docs/index.html"})
        EXPECT_EQ(look(path, rules).kind, Kind::hidden) << path;
    EXPECT_EQ(look("/docs/", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/shopping", rules).kind, Kind::upstream);
}

TEST(LookUp, GivesOtherMethodsScriptsOnly) {
    const Case cases[] = {{"/", Kind::script, "/index.php"},
                          {"/a.css", Kind::upstream},
                          {"/docs/", Kind::upstream},
                          {"/shop", Kind::redirect, "/shop/"},
                          {"/shop/", Kind::script, "/shop/index.php"},
                          {"/.env", Kind::hidden}};
    for (const Case& one : cases) {
        const Resolved found = look(one.path, fpm(), false);
        EXPECT_EQ(found.kind, one.kind) << one.path;
        EXPECT_EQ(found.path, one.at) << one.path;
    }
}

TEST(LookUp, EndsWithTheFallback) {
    Rules rules = fpm();
    rules.fallback = Fallback::none;
    EXPECT_EQ(look("/missing", rules).kind, Kind::missing);
    EXPECT_EQ(look("/x.PHP", rules).kind, Kind::missing);
    rules.fallback = Fallback::script;
    rules.fallback_path = "/app.php";
    EXPECT_EQ(look("/missing", rules).path, "/app.php");
    EXPECT_EQ(look("/missing", rules, false).kind, Kind::script);
    EXPECT_FALSE(look("/missing", rules).of_folder);
    rules.fallback = Fallback::file;
    rules.fallback_path = "/app.html";
    EXPECT_EQ(look("/missing/a", rules).kind, Kind::file);
    EXPECT_EQ(look("/missing/a", rules, false).kind, Kind::missing);
    rules.fallback_path = "/gone.html";
    EXPECT_EQ(look("/missing/a", rules).kind, Kind::missing);
}

TEST(LookUp, TriesOnlyWhatIsNamed) {
    Rules rules = fpm();
    rules.tries_folder = false;
    EXPECT_EQ(look("/docs/", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/a.css", rules).kind, Kind::file);
    rules.tries_folder = true;
    rules.tries_path = false;
    EXPECT_EQ(look("/a.css", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/docs/", rules).kind, Kind::file);
    rules.fallback = Fallback::script;
    rules.fallback_path = "/app.php";
    EXPECT_EQ(look("/other.php", rules).path, "/app.php");
}

TEST(LookUp, LeavesScriptsToABackendThatFindsThem) {
    Rules rules = fpm();
    rules.chooses_scripts = false;  // HTTP
    EXPECT_EQ(look("/shop/", rules).kind, Kind::upstream);
    EXPECT_EQ(look("/shop", rules).kind, Kind::redirect);
    rules.runs_scripts = false;  // FastCGI with split: false
    EXPECT_EQ(look("/index.php", rules).kind, Kind::upstream);
    rules.fallback = Fallback::none;
    EXPECT_EQ(look("/index.php", rules).kind, Kind::missing);
}

TEST(LookUp, ChoosesTheCodingThatTheClientTakes) {
    const auto coding = [](const char* path, Codings takes) {
        const Resolved found = look(path, fpm(), true, takes);
        EXPECT_TRUE(found.varies) << path;
        return found.coding;
    };
    EXPECT_EQ(coding("/b.js", {.gzip = true, .br = true}), Coding::br);
    EXPECT_EQ(coding("/b.js", {.gzip = true, .br = false}), Coding::gzip);
    EXPECT_EQ(coding("/b.js", {}), Coding::identity);
    // older than the file
    EXPECT_EQ(coding("/a.css", {.gzip = true, .br = true}), Coding::gzip);
    EXPECT_FALSE(look("/p.png", fpm(), true, {true, true}).varies);
    Rules plain = fpm();
    plain.precompressed = false;
    EXPECT_FALSE(look("/b.js", plain, true, {true, true}).varies);
}

TEST(LookUp, IsUnknownOrFailedWhereverTheTreeIs) {
    for (const char* where : {"/b.js", "/b.js.br", "/b.js.gz"}) {
        auto tree = site();
        tree.unknown = {where};
        EXPECT_EQ(look_up(tree, {"/b.js", true, {}}, fpm()).kind, Kind::unknown) << where;
    }
    auto broken = site();
    broken.failed = {"/b.js"};
    EXPECT_EQ(look_up(broken, {"/b.js", true, {}}, fpm()).kind, Kind::failed);
    for (const char* where : {"/shop/", "/shop/index.php"}) {
        auto tree = site();
        tree.unknown = {where};
        EXPECT_EQ(look_up(tree, {"/shop/", false, {}}, fpm()).kind, Kind::unknown) << where;
    }
    auto tree = site();
    tree.unknown = {"/shop/index.php"};
    EXPECT_EQ(look_up(tree, {"/shop", true, {}}, fpm()).kind, Kind::unknown);
}

// The plain file is open: that its codings cannot be opened, for want of a place, costs no answer.
TEST(LookUp, SendsThePlainFileIfItsCodingsCannotBeOpened) {
    for (const char* path : {"/b.js", "/a.css", "/docs/"}) {
        auto tree = site();
        for (const char* name : {"/b.js", "/a.css", "/docs/index.html"})
            tree.failed.insert({std::string(name) + ".br", std::string(name) + ".gz"});
        const Resolved found = look_up(tree, {path, true, {true, true}}, fpm());
        EXPECT_EQ(found.kind, Kind::file) << path;
        EXPECT_EQ(found.coding, Coding::identity) << path;
        EXPECT_TRUE(found.varies) << path;
    }
    auto tree = site();
    tree.failed = {"/b.js.gz"};
    EXPECT_EQ(look_up(tree, {"/b.js", true, {true, true}}, fpm()).coding, Coding::br);
    tree.failed = {"/b.js.br"};
    EXPECT_EQ(look_up(tree, {"/b.js", true, {true, false}}, fpm()).kind, Kind::file);
}

// Each look takes a place among the open files.
TEST(LookUp, AsksForNoCodingAfterTheChosenOne) {
    auto tree = site();
    EXPECT_EQ(look_up(tree, {"/b.js", true, {true, true}}, fpm()).coding, Coding::br);
    EXPECT_FALSE(tree.asked.contains("/b.js.gz"));
}

TEST(LookUp, AsksTheTreeForNothingThatIsHidden) {
    auto tree = site();
    (void)look_up(tree, {"/.git/config", true, {}}, fpm());
    (void)look_up(tree, {"/x.php/.env", true, {}}, fpm());
    EXPECT_TRUE(tree.asked.empty());
}

TEST(AcceptEncoding, IsRead) {
    const auto read = [](const char* field) {
        const Codings codings = read_codings(field);
        return std::string(codings.gzip ? "g" : "") + (codings.br ? "b" : "");
    };
    EXPECT_EQ(read("gzip, deflate, br"), "gb");
    EXPECT_EQ(read("GZIP;q=0.5"), "g");
    EXPECT_EQ(read("gzip;q=0"), "");
    EXPECT_EQ(read("gzip ; q=0.000, br"), "b");
    EXPECT_EQ(read("*"), "gb");
    EXPECT_EQ(read("*;q=0, gzip"), "g");
    EXPECT_EQ(read("br;q=0, *"), "g");
    EXPECT_EQ(read("identity"), "");
    EXPECT_EQ(read(""), "");
}

}  // namespace
}  // namespace ticketgate::files

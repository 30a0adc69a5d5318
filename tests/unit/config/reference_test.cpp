// The two example files in config/, and truncated or damaged texts.
#include <random>

#include "config/dump.hpp"
#include "config/route_index.hpp"
#include "loading.hpp"
#include "rows.hpp"

namespace ticketgate::config {
namespace {

const std::string reference = source_dir + "/config/ticketgate.yaml";
const std::string quickstart = source_dir + "/config/quickstart.yaml";
const std::string ids = source_dir + "/config/ids.yaml";
const std::string php_fpm = source_dir + "/config/php-fpm.yaml";
const std::string tls = source_dir + "/config/tls.yaml";
const std::string cluster = source_dir + "/config/cluster.yaml";

TEST(Reference, LoadsWithoutAProblem) {
    for (const auto& file : {reference, quickstart, ids, php_fpm, tls}) {
        const auto loaded = load_file(file, environment_of({}));
        EXPECT_EQ(printed(loaded.problems), std::vector<std::string>{});
        EXPECT_TRUE(loaded.config) << file;
    }
}

// It fails closed, so check says what a lost replica costs, and nothing else.
TEST(Reference, ClusterIsGoodAndWarnsOfALostReplicaOnly) {
    const auto loaded = load_file(cluster, environment_of({{"PEER_SECRET", "0123456789abcdef"}}));
    ASSERT_TRUE(loaded.config);
    EXPECT_TRUE(loaded.config->queues.at("app").cluster);
    const auto problems = printed(loaded.problems);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("ticketgate settle app EPOCH"), std::string::npos) << problems[0];
}

TEST(Reference, ShowsEveryKeyWithItsDefault) {
    const auto text = file_text(reference);
    const auto config = *load_file(reference, environment_of({})).config;
    for_each_key([&](Section, const Key& key) {
        EXPECT_NE(text.find(std::string(key.name) + ":"), std::string::npos) << key.name;
    });
    EXPECT_EQ(config.clients, Clients{});
    EXPECT_EQ(config.spool, Spool{});
    EXPECT_EQ(config.ids, Ids{});
    EXPECT_EQ(config.log, Log{});
    EXPECT_EQ(config.queues.at("app"), Queue{});
    EXPECT_EQ(config.admin_limits, AdminLimits{});
    EXPECT_EQ(config.threads, Config{}.threads);
    EXPECT_EQ(config.route_cache, Config{}.route_cache);
    EXPECT_EQ(config.drain_timeout, Config{}.drain_timeout);
    EXPECT_FALSE(config.id_service);
    Upstream app;
    app.url = "http://127.0.0.1:8000";
    app.host = "127.0.0.1";
    app.port = 8000;
    EXPECT_EQ(config.upstreams.at("app"), app);
    Settings expected;
    expected.upstream = "app";
    EXPECT_EQ(resolve(Settings{}, config.defaults), expected);
}

// Unchanged, the file works with Debian's php8.2-fpm. The lines for worker_idle are comments; with
// the comment signs removed they load.
TEST(Reference, PhpFpmFitsDebianAndMayWaitForWorkers) {
    const auto config = *load_file(php_fpm, environment_of({})).config;
    EXPECT_EQ(config.upstreams.at("php").unix_path, "/run/php/php8.2-fpm.sock");
    EXPECT_FALSE(config.upstreams.at("php").fcgi->status);
    EXPECT_EQ(config.queues.at("app").release, Release::response);
    std::string text = file_text(php_fpm);
    for (const std::string line : {"status: {", "release: worker_idle\n"}) {
        const auto at = text.find("# " + line);
        ASSERT_NE(at, std::string::npos) << line;
        text.erase(at, 2);
    }
    const auto idle = load(text);
    EXPECT_EQ(printed(idle.problems), std::vector<std::string>{});
    EXPECT_EQ(idle.config->queues.at("app").release, Release::worker_idle);
    EXPECT_EQ(idle.config->upstreams.at("php").fcgi->status->path, "/status");
}

// The README and the recipes say that one line makes the difference.
TEST(Reference, QuickstartQueuesWritesAndWithoutOneLineEverything) {
    std::string text = file_text(quickstart);
    const std::string line = "    skip_methods: [GET, HEAD, OPTIONS]\n";
    const auto at = text.find(line);
    ASSERT_NE(at, std::string::npos);
    const auto skipped = [](const std::string& yaml) {
        const auto loaded = load(yaml);
        EXPECT_EQ(printed(loaded.problems), std::vector<std::string>{});
        const RouteIndex routes(*loaded.config);
        return routes.resolve(routes.match("/any/path")).skip_methods;
    };
    EXPECT_EQ(skipped(text), (std::vector<std::string>{"GET", "HEAD", "OPTIONS"}));
    text.erase(at, line.size());
    EXPECT_EQ(skipped(text), std::vector<std::string>{});
}

TEST(Reference, QuickstartQueuesOnEveryPath) {
    const auto config = *load_file(quickstart, environment_of({})).config;
    const RouteIndex routes(config);
    const auto settings = routes.resolve(routes.match("/any/path"));
    EXPECT_EQ(settings.queue, "app");
    EXPECT_EQ(settings.upstream, "app");
    EXPECT_EQ(config.queues.at("app"), Queue{});
    EXPECT_EQ(config.listen.at(0).port, 8080);
    EXPECT_EQ(config.admin->address, "127.0.0.1:9901");
    EXPECT_EQ(config.upstreams.at("app").port, 8000);
}

TEST(Reference, LoadingIsPure) {
    const auto text = file_text(reference);
    EXPECT_EQ(load(text).config, load(text).config);
    EXPECT_FALSE(load("nonsense").config);
    EXPECT_EQ(load(text).problems, load(text).problems);
}

TEST(Reference, TruncatedFilesNeverCrash) {
    const auto text = file_text(reference);
    std::size_t good_ones = 0;
    for (std::size_t length = 0; length <= text.size(); length += length < 300 ? 1 : 7)
        good_ones += load(text.substr(0, length)).config.has_value();
    EXPECT_GT(good_ones, 0u);
}

TEST(Reference, DamagedFilesNeverCrash) {
    const auto text = file_text(reference);
    std::mt19937 random(7);
    constexpr std::string_view marks = "{}[]:,-&*!|>'\"%@`#?\n\t \\$/0aZ\x80\xff";
    for (int round = 0; round < 300; ++round) {
        auto damaged = text;
        for (int i = 0; i < 4; ++i)
            damaged[random() % damaged.size()] = marks[random() % marks.size()];
        const auto loaded = load(damaged);
        EXPECT_TRUE(loaded.config || has_errors(loaded.problems));
        if (loaded.config) (void)explained(*loaded.config, "GET", "/a/b.css");
    }
}

TEST(Reference, MissingFileIsOneProblem) {
    const auto loaded = load_file("no/such.yaml", environment_of({}));
    EXPECT_EQ(
        printed(loaded.problems),
        std::vector<std::string>{"no/such.yaml: cannot read the file: No such file or directory"});
    EXPECT_EQ(load_file(source_dir, environment_of({})).problems.size(), 1u);
}

}  // namespace
}  // namespace ticketgate::config

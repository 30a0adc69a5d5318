// Good values in all their spellings; the bad ones are in problems_test.cpp.
#include <filesystem>

#include "loading.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::config {
namespace {

RouteOverrides route(const std::string& settings) {
    const auto config = good(base + "routes: [{prefix: /, " + settings + "}]\n");
    return config.routes.empty() ? RouteOverrides{} : config.routes[0].overrides;
}

TEST(Values, QueueIsANameOrOff) {
    EXPECT_EQ(*route("queue: app").queue.value, "app");
    for (const char* off : {"off", "false", "Off", "FALSE", "no", "\"off\""}) {
        const auto queue = route("queue: " + std::string(off)).queue;
        ASSERT_TRUE(queue.value) << off;
        EXPECT_FALSE(queue.value->has_value()) << off;
    }
    EXPECT_FALSE(route("max_waiting: 1").queue.given());
}

TEST(Values, UnlimitedAndNeverAreSpelledOut) {
    EXPECT_EQ(route("max_waiting: unlimited").max_waiting.value, unlimited);
    EXPECT_EQ(route("max_waiting: 0").max_waiting.value, 0u);
    EXPECT_EQ(route("wait_timeout: never").wait_timeout.value, never);
    EXPECT_EQ(route("wait_timeout: 1.5s").wait_timeout.value, 1500ms);
}

TEST(Values, FlagsTakeTheWordsOfYaml) {
    for (const char* yes : {"true", "on", "yes"})
        EXPECT_EQ(route("server_timing: " + std::string(yes)).server_timing.value, true);
    for (const char* no : {"false", "off", "no"})
        EXPECT_EQ(route("server_timing: " + std::string(no)).server_timing.value, false);
}

TEST(Values, AnswersTakeEachFieldByItself) {
    const auto answer = route("on_full: {status: 429, headers: {X-A: 1, X-B: two}}").on_full;
    EXPECT_EQ(answer.status.value, 429);
    EXPECT_EQ(answer.headers.value, (Headers{{"X-A", "1"}, {"X-B", "two"}}));
    EXPECT_FALSE(answer.body.given());
    EXPECT_FALSE(answer.content_type.given());
    const auto null = route("on_full: {body: null}").on_full.body;
    EXPECT_TRUE(null.given());
    EXPECT_TRUE(null.value.has_value());
    EXPECT_FALSE(null.value->has_value());
    EXPECT_EQ(**route("on_full: {body: \"\", content_type: text/plain}").on_full.body.value, "");
}

TEST(Values, APageIsHtmlOrOnOrOff) {
    const auto page = [](const std::string& text) {
        const auto given = route("on_full: {page: " + text + "}").on_full.page;
        EXPECT_TRUE(given.given());
        return given.value.value_or(Page());
    };
    for (const char* on : {"on", "true", "yes"}) EXPECT_EQ(page(on).kind, Page::Kind::on) << on;
    for (const char* off : {"off", "false", "no"})
        EXPECT_EQ(page(off).kind, Page::Kind::off) << off;
    EXPECT_EQ(page("null").kind, Page::Kind::automatic);
    EXPECT_EQ(page("\"<p>off ${queue} $${queue}\""),
              (Page{Page::Kind::own, "<p>off ${queue} $${queue}"}));
    EXPECT_EQ(route("on_full: {status: 429}").on_full.page.given(), false);
}

TEST(Values, APageFileIsReadBesideTheConfig) {
    const test::TemporaryFolder made;
    const std::filesystem::path folder = made.path();
    std::ofstream(folder / "busy.html") << "<p>${request_id} ${x}";
    const auto name = (folder / "c.yaml").string();
    const auto load = [&](const std::string& answer) {
        std::ofstream(name) << base << "routes: [{prefix: /, on_full: {" << answer << "}}]\n";
        return load_file(name, environment_of({}));
    };
    const auto loaded = load("page_file: busy.html");
    ASSERT_TRUE(loaded.config) << printed(loaded.problems).at(0);
    EXPECT_EQ(loaded.config->routes.at(0).overrides.on_full.page.value,
              (Page{Page::Kind::own, "<p>${request_id} ${x}"}));
    EXPECT_EQ(
        printed(load("page_file: none.html").problems),
        std::vector<std::string>{name + ":4:43: routes[0].on_full.page_file: cannot read " +
                                 (folder / "none.html").string() + ": No such file or directory"});
    EXPECT_EQ(
        printed(load("page: off, page_file: busy.html").problems),
        std::vector<std::string>{
            name + ":4:43: routes[0].on_full.page_file: stands beside page; keep one of them"});
}

TEST(Values, BodyFileIsReadBesideTheConfigWhateverItsSize) {
    const test::TemporaryFolder made;
    const std::filesystem::path folder = made.path();
    std::filesystem::create_directories(folder / "sub");
    const std::string body = "<p>${request_id} ${a.b} $5</p>" + std::string(3 << 20, 'x');
    std::ofstream(folder / "sub" / "busy.html") << body;
    std::ofstream(folder / "empty.html") << "";
    std::ofstream(folder / "c.yaml")
        << base
        << "routes: [{prefix: /, on_full: {body_file: sub/busy.html, content_type: text/html},\n"
        << "  on_wait_timeout: {body_file: empty.html, content_type: text/html}}]\n";
    const auto loaded = load_file((folder / "c.yaml").string(), environment_of({}));
    ASSERT_TRUE(loaded.config) << printed(loaded.problems).at(0);
    const auto& overrides = loaded.config->routes.at(0).overrides;
    EXPECT_TRUE(overrides.on_full.body.value == body);
    EXPECT_EQ(overrides.on_full.body.mark.line, 4u);
    EXPECT_EQ(**overrides.on_wait_timeout.body.value, "");
}

// A script in the body may contain `${…}` as well, so this is not an error.
TEST(Values, BodyFileWithAnUnknownPlaceholderIsKeptWithAWarning) {
    const test::TemporaryFolder made;
    const std::filesystem::path folder = made.path();
    const std::string body = "${queue} ${a.b} $${queue}\n<script>\n`${reqest_id}${price}${price}`";
    std::ofstream(folder / "busy.html") << body;
    const auto name = (folder / "c.yaml").string();
    std::ofstream(name) << base
                        << "routes: [{prefix: /, on_full: {body_file: busy.html, "
                           "content_type: text/html}}]\n";
    const auto loaded = load_file(name, environment_of({}));
    ASSERT_TRUE(loaded.config) << printed(loaded.problems).at(0);
    EXPECT_EQ(loaded.config->routes.at(0).overrides.on_full.body.value, body);
    EXPECT_EQ(printed(loaded.problems),
              std::vector<std::string>{
                  name + ":4:43: warning: routes[0].on_full.body_file: " +
                  (folder / "busy.html").string() +
                  ":3: ${reqest_id} is not a placeholder and stays as it is; did you mean "
                  "request_id? (and 2 more)"});
}

TEST(Values, AQueueThatIsOnlyNamedExistsWithDefaults) {
    const auto config =
        good(base +
             "queues: {b: {max_in_flight: 2}, c: }\n"
             "routes: [{prefix: /, queue: a}, {prefix: /b, queue: b}, {prefix: /c, queue: c}]\n");
    EXPECT_EQ(config.queues.size(), 3u);
    EXPECT_EQ(config.queues.at("a"), Queue{});
    EXPECT_EQ(config.queues.at("b").max_in_flight, 2u);
    EXPECT_EQ(config.queues.at("c"), Queue{});
}

TEST(Values, RoutesComeInTheOrderOfTheFileAtAnyDepth) {
    const auto config = good(base +
                             "routes:\n"
                             "  - prefix: /a\n"
                             "    routes:\n"
                             "      - prefix: /a/b\n"
                             "        routes: [{regex: x}]\n"
                             "  - prefix: /c\n");
    ASSERT_EQ(config.routes.size(), 4u);
    EXPECT_EQ(config.routes[1].parent, 0);
    EXPECT_EQ(config.routes[2].parent, 1);
    EXPECT_TRUE(config.routes[2].is_regex());
    EXPECT_EQ(config.routes[2].path, "routes[0].routes[0].routes[0]");
    EXPECT_EQ(config.routes[3].parent, -1);
    EXPECT_EQ(config.routes[3].mark.line, 9u);
}

TEST(Values, ListenersAndUpstreamsAreRead) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:80\", proxy_protocol: true}, {address: \"[::1]:81\"}]\n"
        "upstreams: {a: {url: \"http://a:8\", max_idle: 3, idle_timeout: 2s, max_head: 8KiB, "
        "max_headers: 9}}\n"
        "routes: [{prefix: /, upstream: a}]\n");
    EXPECT_TRUE(config.listen.at(0).proxy_protocol);
    EXPECT_FALSE(config.listen.at(1).proxy_protocol);
    Upstream a;
    a.url = "http://a:8";
    a.host = "a";
    a.port = 8;
    a.max_idle = 3;
    a.idle_timeout = 2s;
    a.max_head = 8192;
    a.max_headers = 9;
    EXPECT_EQ(config.upstreams.at("a"), a);
}

TEST(Values, EverythingOutsideRoutesIsRead) {
    const auto config = good(
        base + one_route +
        "admin: {address: \"unix:/run/admin.sock\"}\nthreads: 8\ndrain_timeout: 0s\n"
        "clients: {max_connections: 5, max_connections_per_client: 4, max_requests: 6, max_head: "
        "2KiB, max_uri: 128, "
        "max_headers: 7, max_input: 1MiB,\n"
        "  head_timeout: 1s, idle_timeout: 2s, write_timeout: 3s, linger_time: 9s, linger_timeout: "
        "8s, unusual_names: refuse, "
        "trusted_proxies: "
        "[10.0.0.0/8, '::1'], inside: [10.1.0.0/16], address_headers: [default, X-Addr], "
        "path_headers: []}\n"
        "spool: {memory_per_body: 0, max_memory: 1MiB, max_disk: 2GiB, directory: /var/tmp}\n"
        "ids: {request_id: {header: X-Id, format: ulid}, unique_id: {headers: [], policy: disable},"
        "  other: {trace: {headers: [X-A, X-B], policy: preserve_or_generate,"
        "    keep_client_in: X-Theirs}, plain: {header: X-C}},"
        "  machine: {address: 10.0.0.9, worker: 7, datacenter: 21}}\n"
        "log: {access: off, access_file: /var/log/a, level: debug, max_buffer: 8KiB}\n");
    EXPECT_EQ(config.admin->unix_path, "/run/admin.sock");
    EXPECT_EQ(config.threads, 8u);
    EXPECT_EQ(config.drain_timeout, 0ms);
    EXPECT_EQ(config.clients, (Clients{5,
                                       4,
                                       6,
                                       2048,
                                       128,
                                       7,
                                       1 << 20,
                                       1s,
                                       2s,
                                       3s,
                                       9s,
                                       8s,
                                       UnusualNames::refuse,
                                       {"10.0.0.0/8", "::1"},
                                       {"10.1.0.0/16"},
                                       {"default", "X-Addr"},
                                       {}}));
    EXPECT_EQ(config.spool, (Spool{0, 1 << 20, 2ull << 30, "/var/tmp"}));
    EXPECT_EQ(config.ids.request_id, (Id{.headers = {"X-Id"}, .format = IdFormat::ulid}));
    EXPECT_EQ(config.ids.unique_id,
              (Id{.headers = {}, .format = IdFormat::httpd_2_4_47, .policy = IdPolicy::disable}));
    EXPECT_EQ(config.ids.other.at("trace"),
              (Id{{"X-A", "X-B"}, IdFormat::uuidv7, IdPolicy::preserve_or_generate, "X-Theirs"}));
    EXPECT_EQ(config.ids.other.at("plain"), Id{.headers = {"X-C"}});
    EXPECT_EQ(config.ids.machine, (Machine{"10.0.0.9", 7, 21}));
    EXPECT_EQ(config.log, (Log{AccessFormat::off, "/var/log/a", LogLevel::debug, 8192}));
    EXPECT_EQ(good(base + one_route + "admin: off\n").admin, std::nullopt);
}

}  // namespace
}  // namespace ticketgate::config

#include "config/dump.hpp"

#include "loading.hpp"

namespace ticketgate::config {
namespace {

const std::string text = base +
                         "queues: {app: {order: ready}}\n"
                         "routes:\n"
                         "  - prefix: /\n"
                         "    queue: app\n"
                         "    skip_methods: [OPTIONS, GET]\n"
                         "  - prefix: /a\n"
                         "    wait_timeout: 90s\n"
                         "    on_full: {status: 429, body: \"busy\\n\", headers: {X-A: b}}\n"
                         "  - regex: ^/a/off\n"
                         "    queue: off\n";

std::string explained(std::string_view method, std::string_view path, Way way = Way::queues) {
    return explained(good(text), method, path, way);
}

// The line of one setting, with runs of blanks replaced by one.
std::string line_of(const std::string& out, const std::string& name) {
    const auto at = out.find("  " + name + " ");
    if (at == std::string::npos) return "";
    std::string line;
    for (const char c : out.substr(at + 2, out.find('\n', at) - at - 2))
        if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
    return line;
}

TEST(Explain, ShowsValueAndLineOfEverySetting) {
    const auto out = explained("POST", "/a/b");
    EXPECT_EQ(line_of(out, "wait_timeout"), "wait_timeout 90s c.yaml:10") << out;
    EXPECT_EQ(line_of(out, "max_waiting"), "max_waiting 1024 default");
    EXPECT_EQ(line_of(out, "queue"), "queue app c.yaml:7");
    EXPECT_EQ(line_of(out, "upstream"), "upstream app c.yaml:3");
    EXPECT_EQ(line_of(out, "skip_methods"), "skip_methods [OPTIONS, GET] c.yaml:8");
    EXPECT_EQ(line_of(out, "client_half_close"), "client_half_close leave default");
    EXPECT_EQ(line_of(out, "on_full.status"), "on_full.status 429 c.yaml:11");
    EXPECT_EQ(line_of(out, "on_full.body"), "on_full.body \"busy\\n\" c.yaml:11");
    EXPECT_EQ(line_of(out, "on_full.headers"), "on_full.headers {X-A: \"b\"} c.yaml:11");
    EXPECT_EQ(line_of(out, "on_wait_timeout.body"),
              "on_wait_timeout.body (the default problem document) default");
    EXPECT_EQ(line_of(out, "on_backend_error.status"),
              "on_backend_error.status 502, 504 when silent default");
    EXPECT_EQ(line_of(out, "max_body"), "max_body 128MiB default");
    EXPECT_EQ(line_of(out, "server_timing"), "server_timing true default");
    EXPECT_EQ(line_of(out, "queues.app.order"), "queues.app.order ready c.yaml:4");
    EXPECT_EQ(line_of(out, "queues.app.max_in_flight"), "queues.app.max_in_flight 1 default");
    EXPECT_EQ(line_of(out, "upstreams.app.url"),
              "upstreams.app.url http://127.0.0.1:8000 c.yaml:2");
}

TEST(Explain, ShowsHowPhpFpmIsAsked) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:80\"}]\n"
        "upstreams: {a: {url: \"fastcgi://h\", fastcgi: {root: /w/, script: off}}}\n"
        "routes: [{prefix: /, upstream: a}]\n");
    const auto out = explained(config, "GET", "/");
    EXPECT_EQ(line_of(out, "upstreams.a.fastcgi.root"), "upstreams.a.fastcgi.root /w c.yaml:2");
    EXPECT_EQ(line_of(out, "upstreams.a.fastcgi.script"),
              "upstreams.a.fastcgi.script off c.yaml:2");
    EXPECT_EQ(line_of(out, "upstreams.a.fastcgi.split"), "upstreams.a.fastcgi.split true default");
}

TEST(Explain, NamesTheRoutesInOrder) {
    const auto out = explained("POST", "/a/off");
    const auto first = out.find("prefix  /        c.yaml:6"), second = out.find("prefix  /a"),
               third = out.find("regex   ^/a/off");
    EXPECT_LT(first, second) << out;
    EXPECT_LT(second, third) << out;
    EXPECT_NE(third, std::string::npos) << out;
}

TEST(Explain, SaysWhetherTheRequestIsQueued) {
    EXPECT_NE(explained("POST", "/").find("\nstands in queue app\n"), std::string::npos);
    EXPECT_NE(explained("GET", "/", Way::passes)
                  .find("\nnot queued (GET is in skip_methods), unless it has a body or names "
                        "another method ("),
              std::string::npos);
    EXPECT_NE(explained("GET", "/")
                  .find("\nstands in queue app, as it may mean another method "
                        "than GET (method_override)\n"),
              std::string::npos);
    EXPECT_NE(explained("POST", "/", Way::passes).find("\nnot queued (tunnel: bypass)\n"),
              std::string::npos);
    EXPECT_NE(explained("get", "/").find("\nstands in queue app\n"), std::string::npos);
    EXPECT_NE(explained("POST", "/a/off").find("\nnot queued (queue: off)\n"), std::string::npos);
}

// Neither of the last two routes is wrong alone, so `check` does not see it.
TEST(Explain, SaysThatNothingTellsTheEndOfTheWork) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:80\"}]\n"
        "upstreams: {a: {url: \"fastcgi://h\", fastcgi: {root: /w, status: {url: "
        "\"fastcgi://h:1\"}}}, b: {url: \"http://h\"}}\n"
        "queues: {q: {release: worker_idle}}\n"
        "routes: [{prefix: /, upstream: a}, {regex: x, queue: q}, {regex: y, upstream: b}]\n");
    const std::string refused = "\nrefused with 500 if it is queued: queue q has release: ";
    EXPECT_NE(explained(config, "GET", "/xy").find(refused), std::string::npos);
    for (const char* fine : {"/x", "/y"})
        EXPECT_EQ(explained(config, "GET", fine).find(refused), std::string::npos) << fine;
}

}  // namespace
}  // namespace ticketgate::config

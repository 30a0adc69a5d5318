// Each kind of mistake gives exactly one message, with its line and column.
#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

struct Case {
    std::string text;
    Lines expected;
};

void expect(const std::vector<Case>& cases, const std::string& before = base) {
    for (const auto& [text, expected] : cases) {
        const auto loaded = load(before + text);
        EXPECT_EQ(printed(loaded.problems), expected) << text;
        EXPECT_FALSE(loaded.config) << text;
    }
}

// Keys of one route; they begin in column 22 of line 4.
void expect_in_route(const std::vector<Case>& cases) {
    std::vector<Case> whole;
    for (const auto& [text, expected] : cases)
        whole.push_back({"routes: [{prefix: /, " + text + "}]\n", expected});
    expect(whole);
}

TEST(Problems, UnknownKeysHaveTheNearestName) {
    expect_in_route({
        {"wait_timout: 1s",
         {"c.yaml:4:22: routes[0].wait_timout: unknown key; did you mean wait_timeout?"}},
        {"zzz: 1", {"c.yaml:4:22: routes[0].zzz: unknown key"}},
        {"max_in_flight: 1",
         {"c.yaml:4:22: routes[0].max_in_flight: unknown key; it belongs to queue"}},
        {"threads: 1",
         {"c.yaml:4:22: routes[0].threads: unknown key; it belongs to the top level of the file"}},
        {"backend: app", {"c.yaml:4:22: routes[0].backend: unknown key; did you mean upstream?"}},
        {"on_full: {statuss: 503}",
         {"c.yaml:4:32: routes[0].on_full.statuss: unknown key; did you mean status?"}},
    });
    expect({{one_route + "queue: a\n",
             {"c.yaml:5:1: queue: unknown key; it belongs to a route, or below defaults: for all "
              "routes"}},
            {one_route + "lisen: 1\n", {"c.yaml:5:1: lisen: unknown key; did you mean listen?"}},
            {one_route + "queues: {a: {ordr: ready}}\n",
             {"c.yaml:5:14: queues.a.ordr: unknown key; did you mean order?"}}});
    expect({{"listen: [{adress: \"1.2.3.4:5\"}]\nupstreams: {a: {url: \"http://a\"}}\nroutes: "
             "[{prefix: /, upstream: a}]\n",
             {"c.yaml:1:11: listen[0].adress: unknown key; did you mean address?"}}},
           "");
}

TEST(Problems, ArePrintedWithoutControlCharacters) {
    for (const std::string text : {"a: \"\\\b\"", "\x1b[31m: 1", "routes: [{prefix: \"/%\x7f\"}]"})
        for (const auto& problem : load(text).problems)
            for (const char c : print(problem)) EXPECT_TRUE(c >= ' ' && c != '\x7f') << text;
}

TEST(Problems, WrongTypes) {
    expect_in_route({
        {"wait_timeout: [1s]",
         {"c.yaml:4:36: routes[0].wait_timeout: expected a duration (500ms, 2s, 1m) from 1ms to "
          "8760h, or never; "
          "here is a list"}},
        {"skip_methods: GET",
         {"c.yaml:4:36: routes[0].skip_methods: expected a list of methods such as [OPTIONS, GET]; "
          "here is text"}},
        {"on_full: 503",
         {"c.yaml:4:31: routes[0].on_full: expected a map such as {status: 503, body: \"busy\"}; "
          "here is text"}},
        {"server_timing: maybe",
         {"c.yaml:4:37: routes[0].server_timing: \"maybe\" is not true or false"}},
        {"queue: {name: a}",
         {"c.yaml:4:29: routes[0].queue: expected the name of a queue, or off; here is a map"}},
        {"queue: ",
         {"c.yaml:4:29: routes[0].queue: expected the name of a queue, or off; here is nothing"}},
        {"upstream: [app]",
         {"c.yaml:4:32: routes[0].upstream: expected the name of an upstream; here is a list"}},
        {"on_full: {headers: [a]}",
         {"c.yaml:4:41: routes[0].on_full.headers: expected a map of header names and values; here "
          "is a list"}},
    });
    expect(
        {{"routes: {prefix: /}\n",
          {"c.yaml:4:9: routes: expected a list of routes, such as [{prefix: /}]"}},
         {"routes: []\n", {"c.yaml:4:9: routes: expected a list of routes, such as [{prefix: /}]"}},
         {"routes: [/]\n",
          {"c.yaml:4:10: routes[0]: expected a map such as {prefix: /}; here is text"}},
         {one_route + "threads: many\n",
          {"c.yaml:5:10: threads: \"many\" is not a whole number from 1 to 64"}},
         {one_route + "clients: 5\n", {"c.yaml:5:10: clients: expected a map; here is text"}},
         {one_route + "queues: [a]\n",
          {"c.yaml:5:9: queues: expected a map of names; here is a list"}},
         {one_route + "queues: {a: 1}\n",
          {"c.yaml:5:13: queues.a: expected a map; here is text"}}});
    expect(
        {{"- a\n", {"c.yaml:1:1: expected a map of keys such as listen:, upstreams: and routes:"}}},
        "");
}

TEST(Problems, NumbersOutOfRange) {
    expect(
        {{one_route + "threads: 0\n",
          {"c.yaml:5:10: threads: \"0\" is not a whole number from 1 to 64"}},
         {one_route + "threads: 65\n",
          {"c.yaml:5:10: threads: \"65\" is not a whole number from 1 to 64"}},
         {one_route + "threads: -1\n",
          {"c.yaml:5:10: threads: \"-1\" is not a whole number from 1 to 64"}},
         {one_route + "threads: 1.5\n",
          {"c.yaml:5:10: threads: \"1.5\" is not a whole number from 1 to 64"}},
         {one_route + "threads: 99999999999999999999\n",
          {"c.yaml:5:10: threads: \"99999999999999999999\" is not a whole number from 1 to 64"}},
         {one_route + "queues: {a: {max_in_flight: 0}}\n",
          {"c.yaml:5:29: queues.a.max_in_flight: \"0\" is not a whole number from 1 to 100000"}}});
    expect_in_route({
        {"max_waiting: -5",
         {"c.yaml:4:35: routes[0].max_waiting: \"-5\" is not a whole number from 0 to 10000000, or "
          "unlimited"}},
        {"on_full: {status: 200}",
         {"c.yaml:4:40: routes[0].on_full.status: \"200\" is not an HTTP status from 400 to 599"}},
        {"on_wait_timeout: {status: 600}",
         {"c.yaml:4:48: routes[0].on_wait_timeout.status: \"600\" is not an HTTP status from 400 "
          "to 599"}},
        {"on_backend_error: {status: x}",
         {"c.yaml:4:49: routes[0].on_backend_error.status: \"x\" is not an HTTP status from 400 to "
          "599"}},
    });
}

TEST(Problems, DurationsAndSizes) {
    const std::string duration = "is not a duration (500ms, 2s, 1m) from 1ms to 8760h, or never";
    expect_in_route({
        {"wait_timeout: 10",
         {"c.yaml:4:36: routes[0].wait_timeout: \"10\" has no unit; write 10s or 10ms"}},
        {"wait_timeout: 0", {"c.yaml:4:36: routes[0].wait_timeout: \"0\" " + duration}},
        {"wait_timeout: -1s", {"c.yaml:4:36: routes[0].wait_timeout: \"-1s\" " + duration}},
        {"wait_timeout: 0s", {"c.yaml:4:36: routes[0].wait_timeout: \"0s\" " + duration}},
        {"wait_timeout: 10 s", {"c.yaml:4:36: routes[0].wait_timeout: \"10 s\" " + duration}},
        {"wait_timeout: 9000h", {"c.yaml:4:36: routes[0].wait_timeout: \"9000h\" " + duration}},
        {"connect_timeout: never",
         {"c.yaml:4:39: routes[0].connect_timeout: \"never\" is not a duration (500ms, 2s, 1m) "
          "from 1ms to 8760h"}},
        {"max_body: 8mb",
         {"c.yaml:4:32: routes[0].max_body: \"8mb\" is not a size (512B, 64KiB, 8MiB) from 0B to "
          "1048576GiB"}},
    });
    expect({{one_route + "clients: {max_head: 10B}\n",
             {"c.yaml:5:21: clients.max_head: \"10B\" is not a size (512B, 64KiB, 8MiB) from 1KiB "
              "to 1MiB"}}});
}

TEST(Problems, Choices) {
    expect({{one_route + "log: {access: jsn}\n",
             {"c.yaml:5:15: log.access: \"jsn\" is not one of off, json, combined; did you mean "
              "json?"}},
            {one_route + "queues: {a: {order: arival}}\n",
             {"c.yaml:5:21: queues.a.order: \"arival\" is not one of ready, arrival; did you mean "
              "arrival?"}}});
}

TEST(Problems, Queues) {
    expect_in_route({
        {"queue: a b",
         {"c.yaml:4:29: routes[0].queue: \"a b\" is not a valid queue name: 1 to 64 of A-Z a-z 0-9 "
          "_ . -, not - first"}},
        {"queue: on",
         {"c.yaml:4:29: routes[0].queue: \"on\" is not a queue; write a name, or off"}},
    });
    expect({{one_route + "queues: {off: {}}\n",
             {"c.yaml:5:10: queues.off: not a valid name: 1 to 64 of A-Z a-z 0-9 _ . -, not - "
              "first, and not off"}}});
}

TEST(Problems, Methods) {
    expect_in_route({
        {"skip_methods: [GET, post]",
         {"c.yaml:4:42: routes[0].skip_methods[1]: \"post\": methods are in upper case; did you "
          "mean POST?"}},
        {"skip_methods: [\"GET POST\"]",
         {"c.yaml:4:37: routes[0].skip_methods[0]: \"GET POST\" is not a method"}},
    });
}

TEST(Problems, AnswersHeadersAndBodies) {
    expect_in_route({
        {"on_full: {headers: {\"X A\": b}}",
         {"c.yaml:4:42: routes[0].on_full.headers.X A: not a header name"}},
        {"on_full: {headers: {X-A: \"b\\r\\nSet-Cookie: c\"}}",
         {"c.yaml:4:47: routes[0].on_full.headers.X-A: a header value cannot contain line breaks "
          "or control characters"}},
        {"on_full: {headers: {Content-Length: 5}}",
         {"c.yaml:4:42: routes[0].on_full.headers.Content-Length: is set by ticketgate itself; "
          "remove it"}},
        {"on_full: {headers: {via: zz}}",
         {"c.yaml:4:42: routes[0].on_full.headers.via: is set by ticketgate itself; remove it"}},
        {"on_full: {headers: {Server-Timing: zz}}",
         {"c.yaml:4:42: routes[0].on_full.headers.Server-Timing: is set by ticketgate itself; "
          "remove it"}},
        {"on_full: {headers: {Date: zz}}",
         {"c.yaml:4:42: routes[0].on_full.headers.Date: is the time of the answer and cannot be "
          "fixed; remove it"}},
        {"on_full: {headers: {x_request-ID: spoof}}",
         {"c.yaml:4:42: routes[0].on_full.headers.x_request-ID: is set by ticketgate itself, from "
          "ids.request_id; remove it"}},
        {"on_wait_timeout: {headers: {Retry-After: 7, unique.id: spoof}}",
         {"c.yaml:4:66: routes[0].on_wait_timeout.headers.unique.id: is set by ticketgate itself, "
          "from ids.unique_id; remove it"}},
        {"on_full: {headers: {content-type: a/b}}",
         {"c.yaml:4:42: routes[0].on_full.headers.content-type: is set by ticketgate; for an "
          "answer write content_type: instead"}},
        {"on_full: {headers: {X-Id: \"${request_id}\"}}",
         {"c.yaml:4:48: routes[0].on_full.headers.X-Id: placeholders work only in body, not in "
          "headers"}},
        {"on_full: {content_type: json}",
         {"c.yaml:4:46: routes[0].on_full.content_type: \"json\" is not a media type such as "
          "text/html; charset=utf-8"}},
        {"on_full: {content_type: \"a/b\\r\\nX: y\"}",
         {"c.yaml:4:46: routes[0].on_full.content_type: \"a/b??X: y\" is not a media type such as "
          "text/html; "
          "charset=utf-8"}},
        {"on_full: {body: \"${retry_afte}\"}",
         {"c.yaml:4:38: routes[0].on_full.body: environment variable retry_afte is not set; did "
          "you mean the "
          "placeholder ${retry_after}?"}},
        {"on_full: {body: \"${nope}\"}",
         {"c.yaml:4:38: routes[0].on_full.body: environment variable nope is not set; set it or "
          "write ${nope:-default}"}},
        {"on_full: {body: x, content_type: text/plain, body_file: y}",
         {"c.yaml:4:67: routes[0].on_full.body_file: stands beside body; keep one of them"}},
        {"on_full: {body_file: no/such.html}",
         {"c.yaml:4:43: routes[0].on_full.body_file: cannot read no/such.html: No such file or "
          "directory"}},
        {"on_full: {body_file: /dev/null}",
         {"c.yaml:4:43: routes[0].on_full.body_file: cannot read /dev/null: not a regular file"}},
        {"on_full: {body_file: /}",
         {"c.yaml:4:43: routes[0].on_full.body_file: cannot read /: not a regular file"}},
    });
}

TEST(Problems, Upstreams) {
    expect_in_route({
        {"upstream: ap",
         {"c.yaml:4:22: routes[0].upstream: unknown upstream ap; did you mean app?"}},
        {"upstream: elsewhere",
         {"c.yaml:4:22: routes[0].upstream: unknown upstream elsewhere; define it under "
          "upstreams"}},
    });
    const std::string listen = "listen: [{address: \"127.0.0.1:8080\"}]\n";
    const std::string known = listen + "upstreams: {app: {url: \"http://a\"}}\n";
    const std::string none =
        "no upstream; write upstream: NAME here, or under defaults for all routes";
    expect({{"routes: [{prefix: /, routes: [{prefix: /a}, {regex: x}]}]\n",
             {"c.yaml:3:10: routes[0]: " + none}},
            {"routes: [{prefix: /a, upstream: app}, {regex: x}]\n",
             {"c.yaml:3:39: routes[1]: " + none}},
            {"routes: [{prefix: /a}, {prefix: /a/b, upstream: app}]\n",
             {"c.yaml:3:10: routes[0]: " + none}},
            {"defaults: {upstream: x}\nroutes: [{prefix: /a}]\n",
             {"c.yaml:3:12: defaults.upstream: unknown upstream x; define it under upstreams"}}},
           known);
    const std::string rest = "routes: [{prefix: /, upstream: a}]\n";
    expect({{"upstreams: {a: {url: \"ftp://a\"}}\n" + rest,
             {"c.yaml:2:22: upstreams.a.url: \"ftp://a\": write http://host:port, "
              "https://host:port or "
              "unix:/path, or for php-fpm fastcgi://host:port or fastcgi+unix:/path"}},
            {"upstreams: {a: {url: \"http://a/path\"}}\n" + rest,
             {"c.yaml:2:22: upstreams.a.url: \"http://a/path\": a path or query has no use here: "
              "requests keep their "
              "own; write http://host:port"}},
            {"upstreams: {a: {url: \"http://u@a\"}}\n" + rest,
             {"c.yaml:2:22: upstreams.a.url: \"http://u@a\": a user name or password has no use "
              "here; remove it"}},
            {"upstreams: {a: {max_idle: 1}}\n" + rest,
             {"c.yaml:2:16: upstreams.a.url: is missing; http://host:port, https://host:port, "
              "unix:/path, fastcgi://host:port or fastcgi+unix:/path"}},
            {"upstreams: {a: }\n" + rest,
             {"c.yaml:2:13: upstreams.a.url: is missing; http://host:port, https://host:port, "
              "unix:/path, fastcgi://host:port or fastcgi+unix:/path"}},
            {"upstreams: {a b: {url: \"http://a\"}}\nroutes: [{prefix: /, upstream: a b}]\n",
             {"c.yaml:2:13: upstreams.a b: not a valid name: 1 to 64 of A-Z a-z 0-9 _ . -, not - "
              "first, and not off",
              "c.yaml:3:32: routes[0].upstream: \"a b\" is not the name of an upstream"}}},
           listen);
}

TEST(Problems, FastcgiUpstreams) {
    const std::string listen = "listen: [{address: \"127.0.0.1:8080\"}]\n";
    const std::string rest = "\nroutes: [{prefix: /, upstream: a}]\n";
    const std::string url = "upstreams: {a: {url: \"fastcgi://h\"";
    expect(
        {{url + "}}" + rest,
          {"c.yaml:2:17: upstreams.a.fastcgi: is missing; php-fpm needs the folder of the scripts: "
           "fastcgi: {root: /var/www/html}"}},
         {url + ", fastcgi: {}}}" + rest,
          {"c.yaml:2:46: upstreams.a.fastcgi.root: is missing; an absolute path such as "
           "/var/www/html"}},
         {"upstreams: {a: {url: \"http://h\", fastcgi: {root: /w}}}" + rest,
          {"c.yaml:2:34: upstreams.a.fastcgi: does not fit this url, which is for HTTP; write "
           "url: fastcgi://host:port or fastcgi+unix:/path"}},
         {url + ", fastcgi: {root: www}}}" + rest,
          {"c.yaml:2:53: upstreams.a.fastcgi.root: \"www\" is not an absolute path such as "
           "/var/www/html"}},
         {url + ", fastcgi: {root: /w, script: index.php}}}" + rest,
          {"c.yaml:2:65: upstreams.a.fastcgi.script: \"index.php\" is not a path such as "
           "/index.php, or off"}},
         {url + ", fastcgi: {root: /w, index: a/b.php}}}" + rest,
          {"c.yaml:2:64: upstreams.a.fastcgi.index: \"a/b.php\" is not the name of a file such as "
           "index.php"}},
         {url + ", fastcgi: {root: /w, script: off, split: false}}}" + rest,
          {"c.yaml:2:70: upstreams.a.fastcgi.split: with false every path runs script, which is "
           "off; set it, as in script: /index.php"}},
         {url + ", fastcgi: {root: /w, params: {a: b, HTTP_PROXY: x, X: [y]}}}}" + rest,
          {"c.yaml:2:66: upstreams.a.fastcgi.params.a: not a valid variable name: A-Z 0-9 _, "
           "without a digit first",
           "c.yaml:2:72: upstreams.a.fastcgi.params.HTTP_PROXY: is set by ticketgate; remove it",
           "c.yaml:2:90: upstreams.a.fastcgi.params.X: expected text"}},
         {url + ", fastcgi: {root: /w, status: {url: \"http://h\"}}}}" + rest,
          {"c.yaml:2:71: upstreams.a.fastcgi.status.url: \"http://h\": php-fpm is "
           "asked by FastCGI; write fastcgi://host:port, and the page's path as path: /status"}},
         {"upstreams: {a: {url: \"fastcgi://h/x\", fastcgi: {root: /w}}}" + rest,
          {"c.yaml:2:22: upstreams.a.url: \"fastcgi://h/x\": a path or query has no use here: "
           "requests keep their own; write fastcgi://host:port"}}},
        listen);
}

TEST(Problems, WorkerIdleNeedsAStatusUrl) {
    const std::string listen = "listen: [{address: \"127.0.0.1:8080\"}]\n";
    const std::string rest =
        "\nqueues: {q: {release: worker_idle}}\n"
        "routes: [{prefix: /, upstream: a, queue: q}]\n";
    const std::string why =
        "c.yaml:3:14: queues.q.release: worker_idle asks php-fpm's status, but upstream a of "
        "routes[0] has no fastcgi: {status: {url: …}}";
    const std::string url = "upstreams: {a: {url: \"fastcgi://h\", fastcgi: {root: /w";
    expect({{"upstreams: {a: {url: \"http://h\"}}" + rest, {why}}, {url + "}}}" + rest, {why}}},
           listen);
    const auto told = good(listen + url + ", status: {url: \"fastcgi+unix:/s\"}}}}" + rest);
    EXPECT_EQ(told.queues.at("q").release, Release::worker_idle);
    EXPECT_EQ(told.upstreams.at("a").fcgi->status->unix_path, "/s");
}

TEST(Problems, Tls) {
    const std::string rest =
        "upstreams: {app: {url: \"http://a\"}}\nroutes: [{prefix: /, upstream: app}]\n";
    const auto listen = [&](const std::string& tls) {
        return "listen: [{address: \"127.0.0.1:1\", tls: " + tls + "}]\n" + rest;
    };
    const std::string pair = "certificates: [{certificate: c, key: k}]";
    expect({{listen("{}"), {"c.yaml:1:40: listen[0].tls.certificates: is missing; a list"}},
            {listen("{certificates: []}"),
             {"c.yaml:1:55: listen[0].tls.certificates: expected a list: "
              "[{certificate: chain.pem, key: key.pem}]"}},
            {listen("{certificates: [{certificate: c}]}"),
             {"c.yaml:1:56: listen[0].tls.certificates[0].key: is missing; the path of a file"}},
            {listen("{certificates: [c]}"),
             {"c.yaml:1:56: listen[0].tls.certificates[0]: expected {certificate: chain.pem, key: "
              "key.pem}"}},
            {listen("{" + pair + ", min_version: 1.1}"),
             {"c.yaml:1:96: listen[0].tls.min_version: \"1.1\" is not one of 1.2, 1.3; did you "
              "mean 1.2?"}},
            {listen("{" + pair + ", client_auth: required}"),
             {"c.yaml:1:83: listen[0].tls.client_auth: needs client_ca: the file with the CAs that "
              "sign clients' certificates"}},
            {listen("{" + pair + ", client_ca: a}"),
             {"c.yaml:1:83: listen[0].tls.client_ca: has no effect; write client_auth: required "
              "or optional"}}},
           "");
    const auto upstream = [](const std::string& text) {
        return "listen: [{address: \"127.0.0.1:1\"}]\nupstreams: {app: {" + text +
               "}}\nroutes: [{prefix: /, upstream: app}]\n";
    };
    expect({{upstream("url: \"http://a\", tls: {verify: off}"),
             {"c.yaml:2:36: upstreams.app.tls: has no effect; write url: https://host:port"}},
            {upstream("url: \"https://a\", tls: {certificate: c}"),
             {"c.yaml:2:43: upstreams.app.tls.certificate: set both certificate and key"}},
            {upstream("url: \"https://a\", tls: {key: c}"),
             {"c.yaml:2:43: upstreams.app.tls.key: set both certificate and key"}}},
           "");
}

TEST(Problems, Routes) {
    expect({{"routes:\n  - prefix: /a\n  - prefix: /a\n",
             {"c.yaml:6:5: routes[1]: prefix /a stands twice; the first is in line 5"}},
            {"routes: [{prefix: /a, routes: [{prefix: /b}]}]\n",
             {"c.yaml:4:32: routes[0].routes[0]: prefix /b is not below /a, the prefix it is "
              "nested in"}},
            {"routes: [{prefix: /a, routes: [{prefix: /ab}]}]\n",
             {"c.yaml:4:32: routes[0].routes[0]: prefix /ab is not below /a, the prefix it is "
              "nested in"}},
            {"routes: [{queue: a}]\n",
             {"c.yaml:4:10: routes[0]: neither prefix nor regex; write prefix: / for everything"}},
            {"routes: [{prefix: /, regex: x}]\n",
             {"c.yaml:4:22: routes[0].regex: conflicts with prefix; nest the regex route in the "
              "routes of the prefix"}},
            {"routes: [{regex: x, routes: [{prefix: /a}]}]\n",
             {"c.yaml:4:21: routes[0].routes: only a prefix route has routes below it"}},
            {"routes: [{regex: \"a(b\"}]\n",
             {"c.yaml:4:18: routes[0].regex: \"a(b\" is not a regular expression: missing ): a(b"}},
            {"routes: [{regex: \"(?!a)\"}]\n",
             {"c.yaml:4:18: routes[0].regex: \"(?!a)\" is not a regular expression: invalid perl "
              "operator: (?!"}},
            {"routes: [{prefix: a}]\n",
             {"c.yaml:4:19: routes[0].prefix: \"a\" never matches: a prefix starts with /"}},
            {"routes: [{prefix: /a//b}]\n",
             {"c.yaml:4:19: routes[0].prefix: \"/a//b\" never matches: // becomes / in every path; "
              "write one / there"}},
            {"routes: [{prefix: /%61}]\n",
             {"c.yaml:4:19: routes[0].prefix: \"/%61\" never matches: %61 becomes a in every path; "
              "write a"}}});
}

TEST(Problems, Addresses) {
    const std::string rest =
        "upstreams: {app: {url: \"http://a\"}}\nroutes: [{prefix: /, upstream: app}]\n";
    expect({{"listen: [{address: \"localhost:80\"}]\n" + rest,
             {"c.yaml:1:20: listen[0].address: \"localhost:80\": not an IP address and port; write "
              "0.0.0.0:8080 or "
              "[::]:8080 for all interfaces, 127.0.0.1:8080 for this machine only"}},
            {"listen: [{}]\n" + rest,
             {"c.yaml:1:10: listen[0].address: is missing; an address such as 0.0.0.0:8080, "
              "[::]:8080 or unix:/path"}},
            {"listen: [\"1.2.3.4:80\"]\n" + rest,
             {"c.yaml:1:10: listen[0]: expected {address: \"1.2.3.4:80\"}; here is text"}},
            {"listen: []\n" + rest,
             {"c.yaml:1:9: listen: expected a list of addresses: [{address: \"0.0.0.0:8080\"}]"}},
            {rest, {"c.yaml:1:1: listen: is missing; a list"}},
            {"listen: [{address: \"1.2.3.4:80\"}, {address: \"1.2.3.4:80\"}]\n" + rest,
             {"c.yaml:1:36: listen[1].address: address 1.2.3.4:80 is already listened on by an "
              "entry above"}},
            {"listen: [{address: \"0.0.0.0:80\"}]\nadmin: {address: \"127.0.0.1:80\"}\n" + rest,
             {"c.yaml:2:9: admin.address: address 127.0.0.1:80 is taken by listen[0].address; the "
              "admin listener "
              "needs its own"}},
            {"listen: [{address: \"1.2.3.4:80\"}]\nadmin: on\n" + rest,
             {"c.yaml:2:8: admin: expected {address: \"127.0.0.1:9901\"}; here is text"}}},
           "");
}

TEST(Problems, ClientsAndIds) {
    expect(
        {{one_route + "clients: {trusted_proxies: [10.0.0.0/40]}\n",
          {"c.yaml:5:29: clients.trusted_proxies[0]: \"10.0.0.0/40\" is not an address or "
           "network such as "
           "10.0.0.0/8, nor unix"}},
         {one_route + "clients: {trusted_proxies: [\"unix:\"]}\n",
          {"c.yaml:5:29: clients.trusted_proxies[0]: \"unix:\" is not an address or network such "
           "as 10.0.0.0/8, nor unix"}},
         {one_route + "clients: {address_headers: [Default, X-A]}\n",
          {"c.yaml:5:11: clients.address_headers: \"Default\" is taken for a header; for the "
           "built-in list write default"}},
         {one_route + "clients: {path_headers: [default, Cookie]}\n",
          {"c.yaml:5:11: clients.path_headers: Cookie is needed by every request and would be "
           "removed; take it out"}},
         {one_route + "ids: {request_id: {header: \"X: Y\"}}\n",
          {"c.yaml:5:28: ids.request_id.header: \"X: Y\" is not the name of a header"}},
         {one_route + "ids: {unique_id: {headers: [\"a b\"]}}\n",
          {"c.yaml:5:29: ids.unique_id.headers[0]: \"a b\" is not a header name"}},
         {one_route + "ids: {request_id_header: X-Id}\n",
          {"c.yaml:5:7: ids.request_id_header: unknown key; did you mean request_id: {header: "
           "…}?"}},
         {one_route + "ids: {request_id: {header: A, headers: [B]}}\n",
          {"c.yaml:5:31: ids.request_id.headers: conflicts with header; keep one of them"}},
         {one_route + "ids: {request_id: {format: uuidv8}}\n",
          {"c.yaml:5:28: ids.request_id.format: \"uuidv8\" is not one of txid, uuidv7, uuidv4, "
           "ulid, hex128, snowflake, httpd_1_3, httpd_1_3_threads, httpd_2_0, httpd_2_4_29, "
           "httpd_2_4_47, httpd_2_4_49; did you mean uuidv7?"}},
         {one_route + "ids: {request_id: {header: Unique_ID}}\n",
          {"c.yaml:5:20: ids.request_id.header: UNIQUE_ID is also a header of ids.unique_id; a "
           "backend cannot tell them apart"}},
         {"routes: [{prefix: /, ids: {request_id: {headers: [X-A, Unique_Id]}}}]\n",
          {"c.yaml:4:41: routes[0].ids.request_id.headers: Unique_Id is also a header of "
           "ids.unique_id; a backend cannot tell them apart"}},
         {"routes: [{prefix: /a, ids: {request_id: {header: X-A}}}, {prefix: /b, ids: {unique_id: "
          "{header: x_a}}}]\n",
          {"c.yaml:4:89: routes[1].ids.unique_id.header: x_a is also a header of ids.request_id; "
           "a backend cannot tell them apart"}},
         {"routes: [{prefix: /, on_backend_error: {headers: {X_A: b, X-T: c}}, ids: "
          "{request_id: {header: X-A}}}]\nids: {other: {trace: {header: x-t}}}\n",
          {"c.yaml:4:51: routes[0].on_backend_error.headers.X_A: is set by ticketgate itself, from "
           "ids.request_id; remove it",
           "c.yaml:4:59: routes[0].on_backend_error.headers.X-T: is set by ticketgate itself, from "
           "ids.other.trace; remove it"}},
         {one_route + "ids: {other: {a: {header: x-forwarded_for}, b: {format: txid}}}\n",
          {"c.yaml:5:19: ids.other.a.header: x-forwarded_for has another meaning; choose another "
           "header",
           "c.yaml:5:45: ids.other.b: has no header; write header: NAME"}},
         {"routes: [{prefix: /, ids: {other: {tracer: {format: txid}}}}]\nids: {other: {trace: "
          "{header: X-T}}}\n",
          {"c.yaml:4:36: routes[0].ids.other.tracer: unknown id tracer; did you mean trace?"}},
         {one_route + "ids: {machine: {address: here, worker: 32}}\n",
          {"c.yaml:5:17: ids.machine.address: \"here\" is not an IPv4 address, or auto",
           "c.yaml:5:40: ids.machine.worker: \"32\" is not a whole number from 0 to 31, or auto"}},
         {one_route + "spool: {directory: \"\"}\n",
          {"c.yaml:5:20: spool.directory: is empty; expected text"}}});
}

TEST(Problems, AllAreReportedAtOnceInTheOrderOfTheFile) {
    expect(
        {{"threads: 0\n"
          "routes:\n"
          "  - prefix: /\n"
          "    wait_timout: 1s\n"
          "    max_waiting: -1\n"
          "    upstream: nowhere\n"
          "    on_full: {status: 200, body: \"${NOPE}\"}\n",
          {"c.yaml:4:10: threads: \"0\" is not a whole number from 1 to 64",
           "c.yaml:7:5: routes[0].wait_timout: unknown key; did you mean wait_timeout?",
           "c.yaml:8:18: routes[0].max_waiting: \"-1\" is not a whole number from 0 to 10000000, "
           "or unlimited",
           "c.yaml:9:5: routes[0].upstream: unknown upstream nowhere; define it under upstreams",
           "c.yaml:10:23: routes[0].on_full.status: \"200\" is not an HTTP status from 400 to 599",
           "c.yaml:10:34: routes[0].on_full.body: environment variable NOPE is not set; set it or "
           "write "
           "${NOPE:-default}"}}});
}

}  // namespace
}  // namespace ticketgate::config

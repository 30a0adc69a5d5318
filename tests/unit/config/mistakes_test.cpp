// Mistakes that leave a config readable, and a queue, a file or a header open.
#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::string told(const std::string& text) {
    std::string out;
    for (const auto& line : printed(load(text).problems)) out += line + "\n";
    return out;
}

void expect_told(const std::string& text, const std::string& what) {
    EXPECT_NE(told(text).find(what), std::string::npos) << text << "\n" << told(text);
}

TEST(Mistakes, NoIdIsKeptInAHeaderThatIsTakenFromClients) {
    const auto kept_in = [](const std::string& header) {
        return base + "ids: {request_id: {keep_client_in: " + header + "}}\n" +
               "clients: {address_headers: [X-Our-Address]}\n" + one_route;
    };
    for (const char* header :
         {"X-HTTP-Method-Override", "X_HTTP_Method_Override", "X-Original-URL", "X-Rewrite-URL",
          "X-Client-Cert-Subject", "X-Client-Cert-Verify", "X-Client-Cert-Fingerprint",
          "Fencing-Token", "X-Real-IP", "X-Our-Address"})
        expect_told(kept_in(header), std::string(header) + " has another meaning");
    EXPECT_EQ(told(kept_in("X-Client-Request-Id")).find("another meaning"), std::string::npos);
}

TEST(Mistakes, TheFencingNumberMayHaveItsOwnHeader) {
    const std::string queue =
        base +
        "cluster: {name: shop, etcd: {endpoints: [\"http://127.0.0.1:2379\"]}, peer: {address: "
        "\"127.0.0.1:9000\"}}\nqueues: {q: {token: Fencing-Token}}\n";
    EXPECT_EQ(told(queue + "routes: [{prefix: /, queue: q}]\n").find("another meaning"),
              std::string::npos);
}

// [::] takes both families, and a unix path may be spelt in several ways.
TEST(Mistakes, TwoListenersHaveOnePlace) {
    const auto both = [](const std::string& one, const std::string& other) {
        return "listen: [{address: \"" + one + "\"}, {address: \"" + other + "\"}]\n" +
               "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\ndefaults: {upstream: app}\n" +
               one_route;
    };
    const auto collide = [&](const std::string& one, const std::string& other) {
        expect_told(both(one, other), "address " + other + " is already listened on");
        expect_told(both(other, one), "address " + one + " is already listened on");
    };
    collide("[::]:8080", "0.0.0.0:8080");
    collide("[::]:8080", "127.0.0.1:8080");
    collide("[::]:8080", "[::1]:8080");
    collide("[::1]:8080", "[0:0::1]:8080");
    collide("[::ffff:127.0.0.1]:8080", "127.0.0.1:8080");
    collide("unix:/run/a.sock", "unix:/run//x/../a.sock");
    for (const auto& [one, other] :
         {std::pair("0.0.0.0:8080", "[::1]:8080"), std::pair("[::]:8080", "0.0.0.0:8081"),
          std::pair("127.0.0.1:8080", "127.0.0.2:8080"), std::pair("[::]:0", "0.0.0.0:0")})
        EXPECT_EQ(told(both(one, other)), "") << one << " " << other;
}

TEST(Mistakes, APatternHasNoPercentCodeThatPathsDoNotHave) {
    const auto route = [](const std::string& regex) {
        return base + "routes: [{regex: '" + regex + "', queue: q}, {prefix: /}]\n";
    };
    expect_told(route("^/%40admin/"), "misses paths: %40 becomes @ in every path; write @");
    expect_told(route("^/a%3Bb"), "misses paths: %3B becomes ; in every path; write ;");
    expect_told(route("^/%c3%bcber"), "%c3 is not a percent code in upper case");
    expect_told(route("^/\xC3\xBC"), "each of its bytes is a percent code in upper case");
    for (const char* good :
         {"^/%C3%BCber", "(?i)^/%c3%bcber", "^/a%20b", "^/100%$", "^/@admin", "^/a/[^ ]+$",
          "^/a/[^\\?#]*$", "^/u(@|%40)x", "^/(gr%C3%BC|gr\xC3\xBC)", "^/(%c3%bc|%C3%BC)"})
        EXPECT_EQ(told(route(good)), "") << good;
}

TEST(Mistakes, APatternOfHiddenFilesThatHidesNone) {
    const auto files = [](const std::string& pattern) {
        return base + "routes: [{prefix: /, files: {root: /w, hide: [default, '" + pattern +
               "']}}]\n";
    };
    for (const char* pattern :
         {"*.{pem,key}", "[a-z].pem", "?.pem", "\\*.pem", "!*.pem", "*.a,*.b"})
        expect_told(files(pattern), "only * stands for other characters here");
    expect_told(files(".pem"), "an ending is written *.pem");
    expect_told(files("Default"), "the usual names are written default");
    expect_told(files("*.pem "), "its blanks count");
    expect_told(files("/w/data"), "a path begins below root: write /data");
    for (const char* good : {"*.pem", "/data", "secret.txt", ".ht*", "/wp/data"})
        EXPECT_EQ(told(files(good)).find("hide"), std::string::npos) << told(files(good));
    const auto hiding = [](const std::string& list) {
        return base + "routes: [{prefix: /, files: {root: /w, hide: " + list + "}}]\n";
    };
    expect_told(hiding("['*.pem']"), "without default, copies and dumps such as *.sql");
    for (const char* good : {"[]", "['*.pem', default]"})
        EXPECT_EQ(told(hiding(good)).find("hide"), std::string::npos) << told(hiding(good));
}

TEST(Mistakes, ABackendIsNotCheckedOrANetworkIsWiderThanItsText) {
    expect_told(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"https://a.internal\", tls: {verify: false}}}\n"
        "defaults: {upstream: app}\n" +
            one_route,
        "warning: upstreams.app.tls.verify: false takes any certificate");
    const auto trusted = [](const std::string& network) {
        return base + "clients: {trusted_proxies: ['" + network + "']}\n" + one_route;
    };
    expect_told(trusted("10.0.0.1/8"), "10.0.0.1/8 is the whole network around that address");
    expect_told(trusted("fe80::1/64"), "leave /64 out");
    expect_told(base + "routes: [{prefix: /, from: [10.0.0.1/8]}, {prefix: /}]\n",
                "10.0.0.1/8 is the whole network around that address");
    for (const char* good : {"10.0.0.0/8", "10.0.0.1", "10.0.0.1/32", "fe80::/64", "unix"})
        EXPECT_EQ(told(trusted(good)).find("whole network"), std::string::npos) << good;
}

TEST(Mistakes, TheCollectorOfSpansIsTicketgateItself) {
    const auto traced = [](const std::string& endpoint) {
        return base + "tracing: {endpoint: \"" + endpoint + "\"}\n" + one_route;
    };
    expect_told(traced("http://127.0.0.1:8080/v1/traces"), "leads back to ticketgate itself");
    expect_told(traced("http://localhost:8080"), "leads back to ticketgate itself");
    EXPECT_EQ(told(traced("http://127.0.0.1:4318")).find("leads back"), std::string::npos);
}

TEST(Mistakes, AWordOfAnotherServerInPlaceOfAnAccessFile) {
    const auto log = [](const std::string& file) {
        return base + "log: {access_file: '" + file + "'}\n" + one_route;
    };
    expect_told(log("off"),
                "log.access_file: off would be the name of a file: write log.access: off");
    expect_told(log("stdout"), "write -");
    expect_told(log("syslog:server=unix:/dev/log"), "let the service manager");
    for (const char* good : {"-", "/var/log/access.log", "/dev/stderr"})
        EXPECT_EQ(told(log(good)).find("access_file"), std::string::npos) << told(log(good));
}

}  // namespace
}  // namespace ticketgate::config

// The section `tracing`: what it accepts and what it refuses.
#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::string with(const std::string& keys) {
    return base + one_route + "tracing: {" + keys + "}\n";
}

const std::string at = "endpoint: \"http://127.0.0.1:4318/v1/traces\"";

std::string complaint(const std::string& keys) {
    const auto lines = printed(load(with(keys)).problems);
    return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " problems";
}

TEST(Tracing, IsOffByDefault) {
    EXPECT_FALSE(good(base + one_route).tracing);
    EXPECT_FALSE(good(base + one_route + "tracing: off\n").tracing);
}

TEST(Tracing, NeedsAnEndpointOnly) {
    const Config config = good(with(at));
    ASSERT_TRUE(config.tracing);
    EXPECT_EQ(config.tracing->endpoint.host, "127.0.0.1");
    EXPECT_EQ(config.tracing->endpoint.port, 4318);
    EXPECT_EQ(config.tracing->endpoint.path, "/v1/traces");
    EXPECT_FALSE(config.tracing->endpoint.https);
    EXPECT_EQ(config.tracing->begin.millionths, 0u);
    EXPECT_NE(complaint("begin: on").find("tracing.endpoint"), std::string::npos);
}

TEST(Tracing, ReadsTheFormsOfAnEndpoint) {
    const auto endpoint = [](const std::string& url) {
        return good(with("endpoint: \"" + url + "\"")).tracing->endpoint;
    };
    EXPECT_EQ(endpoint("http://collector").port, 80);
    EXPECT_EQ(endpoint("http://collector").path, "/v1/traces");
    EXPECT_EQ(endpoint("http://collector/").path, "/v1/traces");
    EXPECT_EQ(endpoint("https://a.example.org/otlp/v1/traces?x=1").path, "/otlp/v1/traces?x=1");
    EXPECT_EQ(endpoint("https://a.example.org/otlp").port, 443);
    EXPECT_TRUE(endpoint("https://a.example.org/otlp").https);
    EXPECT_EQ(endpoint("http://[::1]:4318").host, "::1");
}

TEST(Tracing, RefusesWhatIsNoEndpoint) {
    for (const auto* const url :
         {"127.0.0.1:4318", "grpc://h:4317", "unix:/run/collector", "fastcgi://h:9000", "http://",
          "http://h:4318/a b", "http://u:p@h/v1/traces", "http://h:99999/", "http://h/#x"})
        EXPECT_NE(complaint("endpoint: \"" + std::string(url) + "\"").find("tracing.endpoint"),
                  std::string::npos)
            << url;
}

TEST(Tracing, BeginsAShareOfTheTraces) {
    const auto share = [](const std::string& text) {
        return good(with(at + ", begin: " + text)).tracing->begin.millionths;
    };
    EXPECT_EQ(share("on"), 1'000'000u);
    EXPECT_EQ(share("true"), 1'000'000u);
    EXPECT_EQ(share("1"), 1'000'000u);
    EXPECT_EQ(share("1.0"), 1'000'000u);
    EXPECT_EQ(share("off"), 0u);
    EXPECT_EQ(share("0"), 0u);
    EXPECT_EQ(share("0.05"), 50'000u);
    EXPECT_EQ(share("0.000001"), 1u);
}

TEST(Tracing, RefusesOtherShares) {
    for (const auto* const text : {"2", "1.1", "-1", "5%", "0.0000001", ".5", "0.", "all", "0.1x"})
        EXPECT_NE(complaint(at + ", begin: \"" + text + "\"")
                      .find("is not on, off, or a number from 0 to 1"),
                  std::string::npos)
            << text;
}

TEST(Tracing, WantsCertificatesForHttpsOnly) {
    EXPECT_NE(complaint(at + ", ca_file: ca.pem").find("tracing.ca_file: has no effect"),
              std::string::npos);
    EXPECT_EQ(good(with("endpoint: \"https://h/\", ca_file: /ca.pem")).tracing->ca_file, "/ca.pem");
}

TEST(Tracing, SendsHeadersFromTheEnvironment) {
    const Config config =
        good(with(at + ", headers: {Authorization: \"Bearer ${T}\"}"), {{"T", "secret"}});
    EXPECT_EQ(config.tracing->headers, (Headers{{"Authorization", "Bearer secret"}}));
}

// Two parents are none: an id there would end every trace.
TEST(Tracing, KeepsItsHeadersForItself) {
    for (const auto* const name : {"traceparent", "TraceState"}) {
        const auto lines = printed(
            load(base + one_route + "ids: {request_id: {header: " + name + "}}\n").problems);
        ASSERT_EQ(lines.size(), 1u) << name;
        EXPECT_NE(lines[0].find("has another meaning"), std::string::npos) << lines[0];
    }
}

}  // namespace
}  // namespace ticketgate::config

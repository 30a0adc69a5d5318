// The way of spans to the collector: what a collector that is away, slow or unwilling costs, what a
// reload changes, and what the end of the process sends.
#include "support/collector.hpp"
#include "support/tls_configs.hpp"
#include "the_program.hpp"

namespace ticketgate::test {
namespace {

std::string begin_all(const std::string& more) {
    return "tracing: { endpoint: \"${COLLECTOR}\", begin: on" + more + " }\n";
}

struct Exporting {
    explicit Exporting(const std::string& collector,
                       const std::string& more = ", interval: 10ms, max_spans: 100")
        : gateway(one_queue() + begin_all(more),
                  {{"BACKEND", backend.url()}, {"COLLECTOR", collector}}) {}
    void expect_answers(int requests) const {
        for (int i = 0; i < requests; ++i) EXPECT_EQ(gateway.get("/x").status, 200);
    }
    double dropped(const std::string& reason) const {
        return gateway.metric("ticketgate_trace_spans_dropped_total{reason=\"" + reason + "\"}");
    }
    double exported() const { return gateway.metric("ticketgate_trace_spans_exported_total"); }
    Backend backend;
    Gateway gateway;
};

// 100 spans wait and as many are in the batch that is tried again; what comes then is dropped.
void expect_drops(const Exporting& house) {
    house.expect_answers(60);
    EXPECT_TRUE(eventually([&] { return house.dropped("full") > 0; }));
    EXPECT_EQ(house.exported(), 0);
}

TEST(TracingExport, ACollectorThatIsAwayCostsSpansAndNoRequest) {
    const RefusingPort nobody;
    const Exporting house(nobody.url());
    expect_drops(house);
}

TEST(TracingExport, ACollectorThatHangsCostsSpansAndNoRequest) {
    Collector collector;
    collector.hang();
    {
        const Exporting house(collector.url(), ", interval: 10ms, timeout: 50ms, max_spans: 100");
        expect_drops(house);
    }
    collector.go_on();
}

TEST(TracingExport, CountsWhatTheCollectorTakesAndRefuses) {
    Collector collector;
    const Exporting house(collector.url());
    house.expect_answers(1);
    EXPECT_TRUE(eventually([&] { return house.exported() == 4; }));
    collector.answer(200, R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}})");
    house.expect_answers(1);
    EXPECT_TRUE(eventually([&] { return house.dropped("rejected") == 3; }));
    EXPECT_EQ(house.exported(), 5);
    collector.answer(400);
    house.expect_answers(1);
    EXPECT_TRUE(eventually([&] { return house.dropped("rejected") == 7; }));
    EXPECT_EQ(house.dropped("full"), 0);
    EXPECT_EQ(house.dropped("undelivered"), 0);
}

TEST(TracingExport, SendsABatchAgainToACollectorThatIsBusy) {
    Collector collector;
    collector.answer(503);
    const Exporting house(collector.url());
    house.expect_answers(1);
    EXPECT_TRUE(eventually([&] { return collector.posts() >= 1; }));
    collector.take();
    EXPECT_EQ(collector.spans(4).size(), 4u);
    EXPECT_GE(collector.posts(), 2u);
    EXPECT_TRUE(eventually([&] { return house.exported() == 4; }));
}

TEST(TracingExport, DoesNotWaitForTheIntervalWhenTheBufferIsHalfFull) {
    Collector collector;
    const Exporting house(collector.url(), ", interval: 1h, max_spans: 100");
    house.expect_answers(13);
    EXPECT_GE(collector.spans(52).size(), 52u);
}

TEST(TracingExport, SendsHeadersAndTheNameOfTheService) {
    Collector collector;
    const Exporting house(collector.url(),
                          ", interval: 10ms, service_name: shop, headers: { X-Key: \"k 1\" }");
    house.expect_answers(1);
    EXPECT_EQ(collector.spans(4).at(0).service, "shop");
    const Seen post = collector.backend().all().at(0);
    EXPECT_EQ(post.header("X-Key"), "k 1");
    EXPECT_EQ(post.target, "/v1/traces");
}

TEST(TracingExport, FollowsAReload) {
    Collector first, second;
    Exporting house(first.url());
    house.expect_answers(1);
    EXPECT_EQ(first.spans(4).size(), 4u);
    const std::string other =
        "tracing: { endpoint: \"" + second.url() + "\", begin: on, interval: 10ms }\n";
    ASSERT_TRUE(house.gateway.reload(one_queue() + other));
    house.expect_answers(1);
    EXPECT_EQ(second.spans(4).size(), 4u);
    ASSERT_TRUE(house.gateway.reload(one_queue()));
    house.expect_answers(1);
    EXPECT_FALSE(house.backend.of("/x").at(2).fields.has("traceparent"));
    ASSERT_TRUE(house.gateway.reload(one_queue() + other));
    house.expect_answers(1);
    EXPECT_EQ(second.spans(8).size(), 8u);
    EXPECT_EQ(first.spans(4).size(), 4u);
}

TEST(TracingExport, ABadFileOfAReloadChangesNothing) {
    Collector collector;
    Exporting house(collector.url());
    EXPECT_FALSE(house.gateway.reload(
        one_queue() + "tracing: { endpoint: \"https://127.0.0.1:1\", ca_file: \"/no/such\" }\n"));
    house.expect_answers(1);
    EXPECT_EQ(collector.spans(4).size(), 4u);
}

TEST(TracingExport, TrustsACollectorByItsCertificate) {
    const Trust trust;
    Collector collector(TlsEnd::server(trust.files));
    Backend backend;
    Variables known = trust.with(backend);
    known["COLLECTOR"] = collector.url();
    known["COLLECTOR"].replace(known["COLLECTOR"].find("127.0.0.1"), 9, "localhost");
    const Gateway gateway(one_queue() + begin_all(", interval: 10ms, ca_file: \"${CA}\""), known);
    EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_EQ(collector.spans(4).size(), 4u);
}

TEST(TracingExport, SendsNothingToACollectorThatItDoesNotTrust) {
    const Trust trust, stranger;
    Collector collector(TlsEnd::server(stranger.files));
    Backend backend;
    Variables known = trust.with(backend);
    known["COLLECTOR"] = collector.url();
    const Gateway gateway(
        one_queue() + begin_all(", interval: 10ms, max_spans: 100, ca_file: \"${CA}\""), known);
    for (int i = 0; i < 60; ++i) EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_TRUE(eventually([&] {
        return gateway.metric("ticketgate_trace_spans_dropped_total{reason=\"full\"}") > 0;
    }));
    EXPECT_EQ(collector.posts(), 0u);
}

// ── the real program ──

std::string with_traces(const Backend& backend, const std::string& collector) {
    return "listen: [{ address: \"127.0.0.1:0\" }]\nupstreams: { app: { url: \"" + backend.url() +
           "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q }]\n" +
           "tracing: { endpoint: \"" + collector + "\", begin: on, interval: 1h }\n";
}

// It waits 2 s for the collector. Tried again where the machine stalls for longer.
TEST_F(TheProgram, SendsTheLastSpansBeforeItEnds) {
    Backend backend;
    std::string told;
    EXPECT_TRUE(eventually([&] {
        const Collector collector;
        Program program({"-c", config(with_traces(backend, collector.url()))});
        Client client(address_of(program));
        client.get("/x");
        EXPECT_EQ(client.read().status, 200);
        program.signal(SIGTERM);
        EXPECT_EQ(program.wait(), 0);
        told = program.err();
        if (told.find("spans") != std::string::npos) return false;
        EXPECT_EQ(collector.spans(4).size(), 4u);
        return true;
    })) << told;
}

TEST_F(TheProgram, EndsThoughItsCollectorHangs) {
    Backend backend;
    Collector collector;
    collector.hang();
    Program program({"-c", config(with_traces(backend, collector.url()))});
    Client client(address_of(program));
    client.get("/x");
    EXPECT_EQ(client.read().status, 200);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    EXPECT_TRUE(program.says("spans are lost at the end of the process spans=4")) << program.err();
    collector.go_on();
}

TEST_F(TheProgram, SaysOnceThatItsCollectorIsAwayAndThatItIsBack) {
    Backend backend;
    Collector collector;
    collector.answer(503);
    std::string yaml = with_traces(backend, collector.url());
    yaml.replace(yaml.find("1h"), 2, "10ms");
    Program program({"-c", config(yaml)});
    Client client(address_of(program));
    client.get("/x");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(eventually([&] { return collector.posts() >= 2; }));
    collector.take();
    EXPECT_TRUE(program.says("spans are exported again endpoint=" + collector.url()));
    const std::string told = program.err(), line = "spans cannot be exported; requests go on";
    const auto first = told.find(line);
    ASSERT_NE(first, std::string::npos) << told;
    EXPECT_EQ(told.find(line, first + 1), std::string::npos) << told;
    EXPECT_NE(told.find("why=\"it answers with status 503\""), std::string::npos) << told;
}

}  // namespace
}  // namespace ticketgate::test

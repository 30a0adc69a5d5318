// Where did the time go: the trace of a request is continued or begun, its backend is told of it,
// and its spans reach a collector.
#include <algorithm>
#include <set>

#include "support/collector.hpp"
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string the_trace = "4bf92f3577b34da6a3ce929d0e0e4736", the_sender = "00f067aa0ba902b7";
const std::string with_parent = "traceparent: 00-" + the_trace + "-" + the_sender + "-01\r\n";
const std::string with_unsampled_parent =
    "traceparent: 00-" + the_trace + "-" + the_sender + "-00\r\n";
constexpr int internal_kind = 1, server_kind = 2, client_kind = 3;

std::string to_collector(const std::string& more = {}) {
    return "tracing: { endpoint: \"${COLLECTOR}\", interval: 10ms" + more + " }\n";
}

struct Traced {
    explicit Traced(const std::string& more = {}, const std::string& yaml = one_queue())
        : gateway(yaml + to_collector(more), variables()) {}
    Variables variables() const {
        return {{"BACKEND", backend.url()}, {"COLLECTOR", collector.url()}};
    }
    /// The header that the backend got with its first request for this path.
    std::string told(const std::string& path, const char* name = "traceparent") const {
        return backend.of(path).at(0).header(name);
    }
    Collector collector;
    Backend backend;
    Gateway gateway;
};

TEST(Tracing, ContinuesASampledTraceWithASpanForEachPart) {
    Traced house;
    EXPECT_EQ(house.gateway.get("/x?secret=1", with_parent + "tracestate: a=1\r\n").status, 200);
    const auto spans = house.collector.spans(4);
    ASSERT_EQ(spans.size(), 4u);
    const auto request = one_of(spans, "GET", server_kind),
               wait = one_of(spans, "wait", internal_kind);
    const auto hold = one_of(spans, "hold", internal_kind),
               backend = one_of(spans, "GET", client_kind);
    EXPECT_EQ(request.parent, the_sender);
    for (const auto& part : {wait, hold, backend}) EXPECT_EQ(part.parent, request.id) << part.name;
    for (const auto& span : spans) {
        EXPECT_EQ(span.trace, the_trace);
        EXPECT_EQ(span.state, "a=1");
        EXPECT_EQ(span.service, "ticketgate");
        EXPECT_FALSE(span.failed);
    }
    EXPECT_EQ(house.told("/x"), "00-" + the_trace + "-" + backend.id + "-01");
    EXPECT_EQ(house.told("/x", "tracestate"), "a=1");
    EXPECT_EQ(request.attribute("url.path"), "/x") << "the query may hold secrets";
    EXPECT_EQ(request.attribute("ticketgate.queue"), "q");
    EXPECT_EQ(request.attribute("ticketgate.ticket"), "1");
    EXPECT_EQ(request.attribute("ticketgate.outcome"), "admitted");
    EXPECT_EQ(request.attribute("client.address"), "127.0.0.1");
    EXPECT_EQ(backend.attribute("http.response.status_code"), "200");
    EXPECT_EQ(backend.attribute("server.address"), "127.0.0.1");
    const auto line = house.gateway.log(1).at(0);
    EXPECT_EQ(line.at("trace_id").as_string(), the_trace);
    EXPECT_EQ(line.at("request_id").as_string(), request.attribute("ticketgate.request_id"));
}

TEST(Tracing, ShowsTheWaitInLineBeforeTheHold) {
    Traced house;
    Client first = running(house.gateway, house.backend, "/first");
    Client second = house.gateway.client();
    second.get("/second", with_parent);
    ASSERT_TRUE(house.gateway.wait_for_waiting("q", 1));
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(second.read().status, 200);
    const auto spans = house.collector.spans(4);
    ASSERT_EQ(spans.size(), 4u) << "the first has no trace";
    const auto request = one_of(spans, "GET", server_kind),
               wait = one_of(spans, "wait", internal_kind);
    const auto hold = one_of(spans, "hold", internal_kind),
               backend = one_of(spans, "GET", client_kind);
    EXPECT_EQ(wait.begin, request.begin);
    EXPECT_EQ(wait.end, hold.begin) << "the grant ends the one and begins the other";
    EXPECT_GT(wait.end, wait.begin);
    EXPECT_LE(hold.begin, backend.begin);
    EXPECT_LE(backend.end, hold.end);
}

// The client has its answer, and the script works on: the slot is held until it ends.
TEST(Tracing, ShowsAHoldThatOutlastsTheAnswer) {
    Traced house;
    house.backend.on("/x", [](Call& call) {
        call.send("HTTP/1.1 204 No Content\r\n\r\n");
        call.wait_for("script");
        call.close();
    });
    Client client_of_x = house.gateway.client();
    client_of_x.get("/x", with_parent);
    EXPECT_EQ(client_of_x.read().status, 204);
    house.backend.release("script");
    const auto spans = house.collector.spans(4);
    EXPECT_GT(one_of(spans, "hold", internal_kind).end, one_of(spans, "GET", server_kind).end);
}

TEST(Tracing, PassesAnUnsampledTraceOnAndExportsNothingOfIt) {
    Traced house(", begin: on");
    EXPECT_EQ(house.gateway.get("/x", with_unsampled_parent + "tracestate: a=1\r\n").status, 200);
    EXPECT_EQ(house.told("/x"), "00-" + the_trace + "-" + the_sender + "-00");
    EXPECT_EQ(house.told("/x", "tracestate"), "a=1");
    EXPECT_EQ(house.gateway.get("/y").status, 200);
    for (const auto& span : house.collector.spans(4)) EXPECT_NE(span.trace, the_trace);
    EXPECT_FALSE(house.gateway.log(2).at(0).contains("trace_id"));
}

TEST(Tracing, BeginsATraceOnlyIfToldTo) {
    Traced silent, begins(", begin: on");
    EXPECT_EQ(silent.gateway.get("/x").status, 200);
    EXPECT_FALSE(silent.backend.of("/x").at(0).fields.has("traceparent"));
    EXPECT_EQ(begins.gateway.get("/x", "tracestate: a=1\r\n").status, 200);
    const auto spans = begins.collector.spans(4);
    const auto request = one_of(spans, "GET", server_kind),
               backend = one_of(spans, "GET", client_kind);
    EXPECT_EQ(request.parent, "");
    EXPECT_EQ(begins.told("/x"), "00-" + request.trace + "-" + backend.id + "-03");
    EXPECT_FALSE(begins.backend.of("/x").at(0).fields.has("tracestate")) << "of no trace";
}

// By its share no trace is exported here; the backend is told not to begin another one.
TEST(Tracing, TellsTheBackendOfATraceThatIsNotInTheSample) {
    Traced house(", begin: 0.000001");
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    const std::string told = house.told("/x");
    ASSERT_EQ(told.size(), 55u);
    EXPECT_EQ(told.substr(52), "-02");
    EXPECT_EQ(house.gateway.get("/y", with_parent).status, 200);
    EXPECT_EQ(house.collector.spans(4).size(), 4u);
}

TEST(Tracing, CountsABadParentAsNone) {
    const std::string second = "traceparent: 00-" + the_trace + "-" + the_sender + "-01\r\n";
    for (const std::string& lines : {std::string("traceparent: 00-x\r\n"), with_parent + second,
                                     with_parent + "TraceParent: x\r\n"}) {
        Traced silent, begins(", begin: on");
        EXPECT_EQ(silent.gateway.get("/x", lines + "tracestate: a=1\r\n").status, 200);
        EXPECT_EQ(silent.backend.of("/x").at(0).fields.count("traceparent"),
                  static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')))
            << "it passes as it came";
        EXPECT_EQ(begins.gateway.get("/x", lines + "tracestate: a=1\r\n").status, 200);
        const auto request = one_of(begins.collector.spans(4), "GET", server_kind);
        EXPECT_NE(request.trace, the_trace);
        EXPECT_EQ(begins.told("/x").substr(0, 35), "00-" + request.trace);
        EXPECT_FALSE(begins.backend.of("/x").at(0).fields.has("tracestate"));
    }
}

TEST(Tracing, HasNoWaitAndNoHoldWithoutAQueue) {
    Traced house({}, queued_and_free());
    EXPECT_EQ(house.gateway.get("/free", with_parent).status, 200);
    const auto spans = house.collector.spans(2);
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(one_of(spans, "GET", server_kind).attribute("ticketgate.outcome"), "bypass");
    EXPECT_EQ(one_of(spans, "GET", client_kind).parent, one_of(spans, "GET", server_kind).id);
}

TEST(Tracing, ShowsARefusal) {
    Traced house({}, one_queue_but("/full", ", max_waiting: 0"));
    Client first = running(house.gateway, house.backend, "/first");
    EXPECT_EQ(house.gateway.get("/full", with_parent).status, 503);
    const auto refused = house.collector.spans(1);
    ASSERT_EQ(refused.size(), 1u) << "it has no ticket";
    EXPECT_EQ(refused[0].attribute("ticketgate.outcome"), "full");
    EXPECT_EQ(refused[0].attribute("error.type"), "503");
    EXPECT_TRUE(refused[0].failed);
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

TEST(Tracing, ShowsAWaitThatWasTooLong) {
    Traced house({}, one_queue_but("/late", ", wait_timeout: 10ms"));
    Client first = running(house.gateway, house.backend, "/first");
    EXPECT_EQ(house.gateway.get("/late", with_parent).status, 503);
    const auto spans = house.collector.spans(2);
    ASSERT_EQ(spans.size(), 2u) << "it had no slot and no backend";
    EXPECT_EQ(one_of(spans, "GET", server_kind).attribute("ticketgate.outcome"), "timeout");
    const auto wait = one_of(spans, "wait", internal_kind);
    EXPECT_GE(wait.end - wait.begin, 10'000'000) << "wait_timeout";
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

TEST(Tracing, ShowsABackendThatCannotBeReached) {
    const RefusingPort nobody;
    Collector collector;
    Gateway gateway(one_queue() + to_collector(),
                    {{"BACKEND", nobody.url()}, {"COLLECTOR", collector.url()}});
    EXPECT_EQ(gateway.get("/x", with_parent).status, 502);
    const auto spans = collector.spans(4);
    EXPECT_TRUE(one_of(spans, "GET", server_kind).failed);
    EXPECT_TRUE(one_of(spans, "GET", client_kind).failed);
}

TEST(TracingThreads, SpansOfAllLoopsArrive) {
    Traced house(", begin: on", "threads: 3\n" + one_queue());
    std::vector<Client> clients;
    clients.reserve(12);
    for (int i = 0; i < 12; ++i) clients.push_back(house.gateway.client());
    for (auto& one : clients) one.get("/x");
    for (auto& one : clients) EXPECT_EQ(one.read().status, 200);
    std::set<std::string> traces, ids;
    for (const auto& span : house.collector.spans(48)) {
        traces.insert(span.trace);
        ids.insert(span.id);
    }
    EXPECT_EQ(traces.size(), 12u);
    EXPECT_EQ(ids.size(), 48u);
}

}  // namespace
}  // namespace ticketgate::test

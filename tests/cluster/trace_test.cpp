// The trace of a request that another replica forwards to the keeper of its line.
#include "processes.hpp"
#include "support/collector.hpp"

namespace ticketgate::test {
namespace {

class ClusterTrace : public Cluster {
 protected:
    std::unique_ptr<Process> traced(const std::string& name) const {
        return replica(name, "hold_timeout: never",
                       all_queued + ("tracing: {endpoint: \"" + collector_.url() +
                                     "\", interval: 10ms, service_name: " + name + "}\n"));
    }
    Collector collector_;
};

std::vector<CollectedSpan> of_service(const std::vector<CollectedSpan>& spans,
                                      const std::string& service) {
    std::vector<CollectedSpan> out;
    for (const auto& span : spans)
        if (span.service == service) out.push_back(span);
    return out;
}

TEST_F(ClusterTrace, GoesOnAtTheKeeperWhichShowsTheWait) {
    const auto keeper = traced("a");
    begin_line(*keeper);
    const auto other = traced("b");
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", sender = "00f067aa0ba902b7";
    const auto answer =
        other->get("/x", "traceparent: 00-" + trace + "-" + sender + "-01\r\ntracestate: a=1\r\n");
    EXPECT_EQ(answer.status, 200);
    const auto all = collector_.spans(6);
    const auto there = of_service(all, "b"), here = of_service(all, "a");
    ASSERT_EQ(there.size(), 2u) << "no wait and no hold";
    ASSERT_EQ(here.size(), 4u);
    const auto forwarded = one_of(there, "GET", 2), sent = one_of(there, "GET", 3);
    const auto kept = one_of(here, "GET", 2), backend = one_of(here, "GET", 3);
    EXPECT_EQ(forwarded.parent, sender);
    EXPECT_EQ(forwarded.attribute("ticketgate.outcome"), "forwarded");
    EXPECT_EQ(sent.parent, forwarded.id);
    EXPECT_EQ(sent.attribute("server.address"),
              "127.0.0.1:" + std::to_string(keeper->address(2).port()));
    EXPECT_EQ(kept.parent, sent.id);
    EXPECT_EQ(kept.attribute("client.address"), "127.0.0.1");
    EXPECT_EQ(one_of(here, "wait", 1).parent, kept.id);
    EXPECT_EQ(one_of(here, "hold", 1).parent, kept.id);
    for (const auto& span : all) EXPECT_EQ(span.trace, trace);
    const Seen seen = backend_.of("/x").at(0);
    EXPECT_EQ(seen.header("traceparent"), "00-" + trace + "-" + backend.id + "-01");
    EXPECT_EQ(seen.header("tracestate"), "a=1");
}

}  // namespace
}  // namespace ticketgate::test

// Which requests take part in a trace, and what is told of them when they have ended.
#include "proxy/tracing.hpp"

#include "configs.hpp"
#include "http/parser.hpp"
#include "proxy/request.hpp"

namespace ticketgate {
namespace {

const std::string parent_line =
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";

struct Tracing : testing::Test {
    std::unique_ptr<trace::Begun> begin(const std::string& lines, std::uint32_t millionths = 0) {
        const std::string text = "GET / HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n";
        http::RequestHead head;
        const auto progress = http::parse_request(text, http::HeadLimits(), head);
        EXPECT_TRUE(progress && *progress == http::Progress::done) << text;
        config::Tracing tracing;
        tracing.begin.millionths = millionths;
        return begin_trace(head, tracing, ids);
    }
    std::string stamped(const trace::Begun& begun) {
        std::string lines;
        stamp_trace(begun, lines);
        return lines;
    }
    ids::Generator ids;
};

TEST_F(Tracing, ContinuesASampledParent) {
    const auto begun = begin(parent_line + "tracestate: a=1\r\ntracestate:\r\ntracestate: b=2\r\n");
    ASSERT_TRUE(begun);
    EXPECT_EQ(trace::view(begun->own.trace), "4bf92f3577b34da6a3ce929d0e0e4736");
    ASSERT_TRUE(begun->parent);
    EXPECT_EQ(trace::view(*begun->parent), "00f067aa0ba902b7");
    EXPECT_NE(begun->own.span, begun->backend);
    EXPECT_NE(begun->own.span, *begun->parent);
    EXPECT_EQ(begun->state, "a=1,b=2") << "lines are one list";
    EXPECT_EQ(stamped(*begun), "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-" +
                                   std::string(trace::view(begun->backend)) + "-01\r\n");
}

TEST_F(Tracing, KeepsNoEndlessState) {
    const std::string longest(trace::most_state, 'x');
    EXPECT_EQ(begin(parent_line + "tracestate: " + longest + "\r\n")->state, longest);
    EXPECT_EQ(begin(parent_line + "tracestate: " + longest + "x\r\n")->state, "");
}

TEST_F(Tracing, LeavesOthersAlone) {
    EXPECT_FALSE(begin(""));
    EXPECT_FALSE(begin(parent_line + parent_line));
    std::string unsampled = parent_line;
    unsampled.replace(unsampled.find("-01\r"), 3, "-00");
    EXPECT_FALSE(begin(unsampled));
    EXPECT_FALSE(begin(unsampled, 1'000'000)) << "the sender has decided";
}

TEST_F(Tracing, BeginsAShareOfTheTraces) {
    int sampled = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto begun = begin("tracestate: a=1\r\n", 500'000);
        ASSERT_TRUE(begun);
        EXPECT_FALSE(begun->parent);
        EXPECT_EQ(begun->state, "");
        sampled += begun->own.sampled();
    }
    EXPECT_GT(sampled, 350);  // 9.5 standard deviations
    EXPECT_LT(sampled, 650);
}

// ── what is told at the end ──

struct Ended : Tracing {
    Ended() {
        request.record.received.unix_us = 1'000'000;
        request.trace = begin("", 1'000'000);
        request.trace->received = request.started;
        request.record.duration = 9ms;
        request.method = "GET";
        request.target = "/x?y=1";
    }
    trace::Finished finished() { return finish_trace(request, ids); }

    Served served{"routes: [{prefix: /, upstream: app}]\n"};
    http::SpoolBudget budget{{}};
    Request request{served.snapshot, budget};
};

TEST_F(Ended, WithoutATicketAndABackendIsOneSpan) {
    const auto out = finished();
    EXPECT_EQ(out.spans(), 1u);
    EXPECT_EQ(out.whole.time, 9ms);
    EXPECT_EQ(out.path, "/x");
    EXPECT_EQ(out.upstream, "");
}

TEST_F(Ended, ThatNeverGotASlotHasWaited) {
    request.record.number = 3;
    request.record.queue_wait = 4ms;
    const auto out = finished();
    ASSERT_TRUE(out.waited);
    EXPECT_EQ(out.waited->time, 4ms);
    EXPECT_FALSE(out.held || out.backend);
}

TEST_F(Ended, HasItsPartsWhereTheyWere) {
    request.route = served.find("/x");
    request.record.number = 3;
    request.record.hold = 20ms;
    request.record.upstream = 5ms;
    request.trace->granted = request.started + 2ms;
    request.trace->sent = request.started + 3ms;
    const auto out = finished();
    EXPECT_EQ(out.spans(), 4u);
    EXPECT_EQ(out.waited->time, 2ms);
    EXPECT_EQ(out.held->from, 2ms);
    EXPECT_EQ(out.held->time, 20ms);
    EXPECT_EQ(out.backend->from, 3ms);
    EXPECT_EQ(out.backend->time, 5ms);
    EXPECT_EQ(out.upstream, "app");
    EXPECT_EQ(out.server, "127.0.0.1");
    EXPECT_EQ(out.port, 8000);
}

// Another replica has counted the wait from its own start; here the request came later.
TEST_F(Ended, ThatCameFromAReplicaBeginsWhereItCame) {
    request.started -= 50ms;
    request.record.number = 3;
    request.record.queue_wait = 54ms;
    request.record.duration = 59ms;
    const auto out = finished();
    EXPECT_EQ(out.waited->from, 0ms);
    EXPECT_EQ(out.waited->time, 4ms);
    EXPECT_EQ(out.whole.time, 9ms);
}

TEST_F(Ended, IsCutWhereAClientSentMuch) {
    request.method = std::string(1000, 'M');
    request.target = "/" + std::string(10'000, 'x');
    EXPECT_EQ(finished().method.size(), trace::most_method);
    EXPECT_EQ(finished().path.size(), trace::most_path);
}

}  // namespace
}  // namespace ticketgate

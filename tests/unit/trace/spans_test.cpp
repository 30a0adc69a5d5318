// The spans of a request: which there are, their times, parents, attributes and states.
#include "trace/spans.hpp"

#include <gtest/gtest.h>

#include <map>

#include "requests.hpp"

namespace ticketgate::trace {
namespace {

constexpr std::int64_t start_ns = 1'700'000'000'000'000'000, ms_ns = 1'000'000;

std::map<std::string, Span::Value, std::less<>> attributes(const Span& span) {
    std::map<std::string, Span::Value, std::less<>> out;
    for (const auto& [name, value] : span.attributes) out.emplace(name, value);
    return out;
}

std::string text(const Span& span, std::string_view name) {
    const auto all = attributes(span);
    const auto found = all.find(name);
    return found == all.end() ? "(absent)" : std::get<std::string>(found->second);
}

std::int64_t number(const Span& span, std::string_view name) {
    const auto all = attributes(span);
    const auto found = all.find(name);
    return found == all.end() ? -1 : std::get<std::int64_t>(found->second);
}

TEST(Spans, OfAQueuedRequestAreFour) {
    const auto spans = spans_of(queued());
    ASSERT_EQ(spans.size(), 4u);
    EXPECT_EQ(queued().spans(), 4u);
    const std::string names[] = {"GET", "wait", "hold", "GET"};
    const SpanKind kinds[] = {SpanKind::server, SpanKind::internal, SpanKind::internal,
                              SpanKind::client};
    const char ids[] = {'a', 'b', 'c', 'd'};
    for (std::size_t i = 0; i < spans.size(); ++i) {
        EXPECT_EQ(spans[i].name, names[i]);
        EXPECT_EQ(spans[i].kind, kinds[i]);
        EXPECT_EQ(spans[i].id, span_id(ids[i]));
        EXPECT_EQ(view(spans[i].trace), trace_text);
        EXPECT_EQ(spans[i].parent, span_id(i == 0 ? '9' : 'a')) << names[i];
        EXPECT_EQ(spans[i].remote_parent, i == 0);
        EXPECT_EQ(spans[i].state, "congo=t61rcWkgMzE");
        EXPECT_FALSE(spans[i].failed);
    }
}

TEST(Spans, HaveTheTimesOfTheirParts) {
    const auto spans = spans_of(queued());
    const auto is = [&](std::size_t i, std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(spans[i].begin_ns, start_ns + begin * ms_ns) << i;
        EXPECT_EQ(spans[i].end_ns, start_ns + end * ms_ns) << i;
    };
    is(0, 0, 5);
    is(1, 0, 2);
    is(2, 2, 8);  // the slot was held for longer than the answer took
    is(3, 2, 5);
}

TEST(Spans, NeverEndBeforeTheyBegin) {
    Finished request = queued();
    request.waited = Part{0ms, -1ms};
    const auto wait = spans_of(request).at(1);
    EXPECT_EQ(wait.begin_ns, wait.end_ns);
}

TEST(Spans, OfATraceThatBeginsHereHaveNoParent) {
    const auto spans = spans_of(answered());
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_FALSE(spans[0].parent);
    EXPECT_FALSE(spans[0].remote_parent);
}

TEST(Spans, SayWhatWasAskedAndWhereItStood) {
    const auto spans = spans_of(queued());
    const Span& request = spans[0];
    EXPECT_EQ(text(request, "http.request.method"), "GET");
    EXPECT_EQ(text(request, "url.path"), "/x");
    EXPECT_EQ(text(request, "url.scheme"), "http");
    EXPECT_EQ(text(request, "client.address"), "192.0.2.1");
    EXPECT_EQ(number(request, "http.response.status_code"), 200);
    EXPECT_EQ(text(request, "ticketgate.request_id"), "r1");
    EXPECT_EQ(text(request, "ticketgate.outcome"), "admitted");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(text(spans[i], "ticketgate.queue"), "q");
        EXPECT_EQ(number(spans[i], "ticketgate.ticket"), 7);
    }
    EXPECT_EQ(number(spans[1], "ticketgate.position"), 1);
    EXPECT_EQ(text(spans[3], "server.address"), "127.0.0.1");
    EXPECT_EQ(number(spans[3], "server.port"), 8000);
    EXPECT_EQ(text(spans[3], "ticketgate.upstream"), "app");
    EXPECT_EQ(text(spans_of(answered())[0], "ticketgate.queue"), "(absent)");
}

// As OpenTelemetry's conventions for HTTP have it: 4xx is an error of the client, not of a server.
TEST(Spans, FailByTheStatusOfTheirSide) {
    Finished request = queued();
    request.status = request.backend_status = 404;
    auto spans = spans_of(request);
    EXPECT_FALSE(spans[0].failed);
    EXPECT_TRUE(spans[3].failed);
    EXPECT_EQ(text(spans[3], "error.type"), "404");
    request.status = 502;
    request.backend_status = 0;
    spans = spans_of(request);
    EXPECT_TRUE(spans[0].failed);
    EXPECT_EQ(text(spans[0], "error.type"), "502");
    EXPECT_TRUE(spans[3].failed) << "it gave no answer";
    EXPECT_EQ(number(spans[3], "http.response.status_code"), -1);
    EXPECT_FALSE(spans[1].failed || spans[2].failed);
}

TEST(Spans, TakeNoNameFromAClient) {
    Finished request = answered();
    request.method = "BREW";
    const Span span = spans_of(request)[0];
    EXPECT_EQ(span.name, "HTTP");
    EXPECT_EQ(text(span, "http.request.method"), "_OTHER");
    EXPECT_EQ(text(span, "http.request.method_original"), "BREW");
}

TEST(Spans, TellOfAnOrphan) {
    Finished request = queued();
    EXPECT_FALSE(attributes(spans_of(request)[0]).contains("ticketgate.orphaned"));
    request.orphaned = true;
    EXPECT_TRUE(attributes(spans_of(request)[0]).contains("ticketgate.orphaned"));
}

}  // namespace
}  // namespace ticketgate::trace

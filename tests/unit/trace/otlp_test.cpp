// OTLP's JSON, byte for byte, and the answers of collectors.
#include "trace/otlp.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"
#include "trace/spans.hpp"

namespace ticketgate::trace {
namespace {

const Service service{"shop", "0.1.0", "i-1"};

const std::string begin = R"({"resourceSpans":[{"resource":{"attributes":[)"
                          R"({"key":"service.name","value":{"stringValue":"shop"}},)"
                          R"({"key":"service.version","value":{"stringValue":"0.1.0"}},)"
                          R"({"key":"service.instance.id","value":{"stringValue":"i-1"}}]},)"
                          R"("scopeSpans":[{"scope":{"name":"ticketgate"},"spans":[)";
const std::string end = "]}]}]}";

Span small() {
    Span span;
    span.trace = trace_id(trace_text);
    span.id = span_id('a');
    span.flags = sampled_flag;
    span.name = "wait";
    span.begin_ns = 1;
    span.end_ns = 1'700'000'000'000'000'001;
    return span;
}

const std::string small_json =
    R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"aaaaaaaaaaaaaaaa","flags":257,)"
    R"("name":"wait","kind":1,"startTimeUnixNano":"1","endTimeUnixNano":"1700000000000000001",)"
    R"("attributes":[],"status":{}})";

TEST(Otlp, EncodesNoSpans) {
    EXPECT_EQ(encode(service, {}), begin + end);
}

TEST(Otlp, EncodesTheLeastSpan) {
    const Span spans[] = {small()};
    EXPECT_EQ(encode(service, spans), begin + small_json + end);
}

TEST(Otlp, SeparatesSpans) {
    const Span spans[] = {small(), small()};
    EXPECT_EQ(encode(service, spans), begin + small_json + "," + small_json + end);
}

TEST(Otlp, EncodesAllPartsOfASpan) {
    Span span = small();
    span.parent = span_id('b');
    span.remote_parent = true;
    span.state = "a=1,b=2";
    span.kind = SpanKind::client;
    span.failed = true;
    span.attributes = {{"t", std::string("x")}, {"n", std::int64_t{-5}}, {"f", true}, {"g", false}};
    const Span spans[] = {span};
    EXPECT_EQ(
        encode(service, spans),
        begin +
            R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"aaaaaaaaaaaaaaaa",)"
            R"("traceState":"a=1,b=2","parentSpanId":"bbbbbbbbbbbbbbbb","flags":769,)"
            R"("name":"wait","kind":3,"startTimeUnixNano":"1",)"
            R"("endTimeUnixNano":"1700000000000000001","attributes":[)"
            R"({"key":"t","value":{"stringValue":"x"}},{"key":"n","value":{"intValue":"-5"}},)"
            R"({"key":"f","value":{"boolValue":true}},{"key":"g","value":{"boolValue":false}}],)"
            R"("status":{"code":2}})" +
            end);
}

TEST(Otlp, EscapesWhatClientsSend) {
    Span span = small();
    span.attributes = {{"p", std::string("/\"\\\n\xff\xc3\xa9")}};
    const Span spans[] = {span};
    EXPECT_NE(encode(service, spans).find("\"/\\\"\\\\\\n\\\\xff\xc3\xa9\""), std::string::npos)
        << encode(service, spans);
}

TEST(Otlp, ReadsAPartialSuccess) {
    for (const auto* const body :
         {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})",
          R"({"partialSuccess":{"rejectedSpans":3,"errorMessage":"too old"}})"}) {
        const Partial partial = read_partial(body);
        EXPECT_EQ(partial.rejected, 3u) << body;
        EXPECT_EQ(partial.why, "too old");
    }
}

TEST(Otlp, TakesAnyOtherAnswerForAWholeSuccess) {
    for (const auto* const body :
         {"", "{}", "null", "[]", "\x0a\x02", R"({"partialSuccess":{}})", R"({"partialSuccess":7})",
          R"({"partialSuccess":{"rejectedSpans":"-3"}})",
          R"({"partialSuccess":{"rejectedSpans":-3}})",
          R"({"partialSuccess":{"rejectedSpans":"x"}})"})
        EXPECT_EQ(read_partial(body).rejected, 0u) << body;
}

}  // namespace
}  // namespace ticketgate::trace

// The one place that turns an error into a response (CONTRACT section 3).
#include "proxy/failure.hpp"

#include <boost/json.hpp>
#include <optional>

#include "configs.hpp"
#include "failure_text.hpp"

namespace ticketgate {
namespace {

struct Status {
    errc code;
    std::uint16_t status;
};

constexpr Status statuses[] = {
    {errc::bad_request, 400},        {errc::head_timeout, 408},
    {errc::body_timeout, 408},       {errc::body_too_large, 413},
    {errc::uri_too_long, 414},       {errc::head_too_large, 431},
    {errc::expectation_failed, 417}, {errc::method_refused, 405},
    {errc::version_refused, 505},    {errc::no_route, 404},
    {errc::queue_full, 503},         {errc::wait_timeout, 503},
    {errc::draining, 503},           {errc::upstream_refused, 502},
    {errc::upstream_broke, 502},     {errc::upstream_bad_response, 502},
    {errc::upstream_timeout, 504},   {errc::upstream_connect_timeout, 504},
    {errc::spool_full, 503},         {errc::input_full, 503},
    {errc::internal, 500},           {errc::client_closed, 499},
    {errc::inside_call, 508},        {errc::keeper_silent, 504},
};

TEST(FailureStatus, HasTheDefaultsOfTheContract) {
    const config::Settings settings;
    for (const Status& one : statuses) {
        const error_code failure = one.code;
        EXPECT_EQ(status_of(failure, nullptr), one.status) << failure.message();
        EXPECT_EQ(status_of(failure, &settings), one.status) << failure.message();
    }
}

TEST(FailureStatus, AForeignErrorIsAnInternalError) {
    EXPECT_EQ(
        status_of(boost::system::errc::make_error_code(boost::system::errc::io_error), nullptr),
        500);
}

TEST(FailureStatus, EachConfiguredAnswerHasItsOwnStatus) {
    const auto loaded = config_of(
        "defaults: {upstream: app, on_full: {status: 429}, on_wait_timeout: {status: 504},\n"
        "  on_backend_error: {status: 500}}\nroutes: [{prefix: /}]\n");
    const config::RouteIndex index(loaded);
    const auto settings = index.resolve(index.match("/"));
    EXPECT_EQ(status_of(errc::queue_full, &settings), 429);
    EXPECT_EQ(status_of(errc::wait_timeout, &settings), 504);
    EXPECT_EQ(status_of(errc::upstream_refused, &settings), 500);
    EXPECT_EQ(status_of(errc::upstream_timeout, &settings), 500);  // one status for all
    EXPECT_EQ(status_of(errc::draining, &settings), 503);
    EXPECT_EQ(status_of(errc::bad_request, &settings), 400);
}

TEST(FailureStatus, ABackendErrorWithoutAStatusOfItsOwnTellsTheKind) {
    config::Settings settings;
    settings.on_backend_error.body = "sorry";
    EXPECT_EQ(status_of(errc::upstream_refused, &settings), 502);
    EXPECT_EQ(status_of(errc::upstream_timeout, &settings), 504);
}

TEST(FailureStatus, ReasonPhrases) {
    EXPECT_EQ(reason_phrase(503), "Service Unavailable");
    EXPECT_EQ(reason_phrase(429), "Too Many Requests");
    EXPECT_EQ(reason_phrase(404), "Not Found");
    for (unsigned status = 400; status < 600; ++status)
        EXPECT_FALSE(reason_phrase(static_cast<std::uint16_t>(status)).empty()) << status;
}

// ── the response ──

struct Response {
    std::string status_line, head, body;
    std::optional<std::string> field(const std::string& name) const {
        const auto at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return std::nullopt;
        const auto begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

Response split(const std::string& text) {
    const auto end = text.find("\r\n\r\n");
    EXPECT_NE(end, std::string::npos);
    return {text.substr(0, text.find("\r\n")), text.substr(0, end + 2), text.substr(end + 4)};
}

struct FailureAnswer : testing::Test {
    FailureAnswer() {
        record.request_id = *ids::Id::from("request-1");
        record.unique_id = *ids::Id::from("unique-1");
        record.queue = "app";
        record.queue_wait = std::chrono::microseconds(1234567);
    }
    Response respond(error_code failure, const config::Settings* settings = nullptr) const {
        return split(
            text_of(failure_response(failure, settings, facts, added, true, http::AsksFor::body)));
    }
    boost::json::object document(error_code failure) const {
        return boost::json::parse(respond(failure).body).as_object();
    }

    Record record;
    FailureFacts facts{record, 7, 42};
    std::string added = "X-Request-Id: request-1\r\nVia: 1.1 ticketgate\r\n";
};

TEST_F(FailureAnswer, IsAProblemDocument) {
    const Response response = respond(errc::queue_full);
    EXPECT_EQ(response.status_line, "HTTP/1.1 503 Service Unavailable");
    EXPECT_EQ(response.field("Content-Type"), "application/problem+json");
    EXPECT_EQ(response.field("Cache-Control"), "no-store");
    EXPECT_EQ(response.field("Content-Length"), std::to_string(response.body.size()));
    const auto document = boost::json::parse(response.body).as_object();
    EXPECT_EQ(document.at("type").as_string(), "about:blank");
    EXPECT_EQ(document.at("title").as_string(), "Service Unavailable");
    EXPECT_EQ(document.at("status").as_int64(), 503);
    EXPECT_EQ(document.at("request_id").as_string(), "request-1");
    EXPECT_EQ(document.at("unique_id").as_string(), "unique-1");
    EXPECT_EQ(document.at("queue").as_string(), "app");
    EXPECT_EQ(document.at("waited_ms").as_int64(), 1234);
    EXPECT_EQ(document.at("waiting").as_int64(), 7);
    EXPECT_EQ(document.at("retry_after").as_int64(), 42);
}

TEST_F(FailureAnswer, EveryErrorGivesValidJsonOfItsStatus) {
    for (const Status& one : statuses) {
        const auto document_of = document(one.code);
        EXPECT_EQ(document_of.at("status").as_int64(), one.status);
        EXPECT_FALSE(document_of.at("detail").as_string().empty());
    }
}

TEST_F(FailureAnswer, TextsAreEscaped) {
    record.queue = "a\"b\\c\nd";
    EXPECT_EQ(document(errc::queue_full).at("queue").as_string(), "a\"b\\c\nd");
}

TEST_F(FailureAnswer, WithoutAQueueHasNoMembersOfQueues) {
    record.queue = {};
    const auto without = document(errc::no_route);
    EXPECT_FALSE(without.contains("queue"));
    EXPECT_FALSE(without.contains("waited_ms"));
    EXPECT_FALSE(without.contains("retry_after"));
}

TEST_F(FailureAnswer, RetryAfterIsForTemporaryErrorsOnly) {
    for (const errc code : {errc::queue_full, errc::wait_timeout, errc::draining, errc::spool_full})
        EXPECT_EQ(respond(code).field("Retry-After"), "42");
    for (const errc code : {errc::bad_request, errc::no_route, errc::upstream_refused,
                            errc::upstream_timeout, errc::body_too_large})
        EXPECT_EQ(respond(code).field("Retry-After"), std::nullopt);
}

TEST_F(FailureAnswer, CarriesTheAddedLines) {
    const Response response = respond(errc::no_route);
    EXPECT_EQ(response.field("X-Request-Id"), "request-1");
    EXPECT_EQ(response.field("Via"), "1.1 ticketgate");
}

TEST_F(FailureAnswer, ClosesOnlyWhenToldTo) {
    const auto kept = split(text_of(
        failure_response(errc::no_route, nullptr, facts, added, true, http::AsksFor::body)));
    const auto closed = split(text_of(
        failure_response(errc::no_route, nullptr, facts, added, false, http::AsksFor::body)));
    EXPECT_EQ(kept.field("Connection"), std::nullopt);
    EXPECT_EQ(closed.field("Connection"), "close");
}

TEST_F(FailureAnswer, AHeadRequestGetsTheLengthWithoutTheBody) {
    const auto whole = respond(errc::no_route);
    const auto head = split(text_of(
        failure_response(errc::no_route, nullptr, facts, added, true, http::AsksFor::head)));
    EXPECT_EQ(head.body, "");
    EXPECT_EQ(head.head, whole.head);
}

TEST_F(FailureAnswer, ARefusedMethodGetsAllow) {
    const auto allowed = respond(errc::method_refused).field("Allow");
    ASSERT_TRUE(allowed.has_value());
    EXPECT_NE(allowed->find("GET"), std::string::npos);
    EXPECT_EQ(allowed->find("TRACE"), std::string::npos);
    EXPECT_EQ(allowed->find("CONNECT"), std::string::npos);
}

// RFC 9110 15.3.5 and 8.6: a 204 ends with its head and has no Content-Length.
TEST_F(FailureAnswer, TheLastHopOfOptionsGetsAllowAndNoBody) {
    const auto answer = respond(errc::last_hop);
    EXPECT_EQ(status_of(errc::last_hop, nullptr), 204);
    EXPECT_TRUE(answer.field("Allow").has_value());
    EXPECT_FALSE(answer.field("Content-Length").has_value());
    EXPECT_FALSE(answer.field("Content-Type").has_value());
    EXPECT_EQ(answer.body, "");
}

TEST_F(FailureAnswer, CustomBodiesAreFilledIn) {
    config::Settings settings;
    settings.on_full.status = 429;
    settings.on_full.content_type = "text/plain";
    settings.on_full.body =
        "${request_id} ${unique_id} ${queue} ${waited_ms} ${waiting} ${retry_after}.";
    settings.on_full.headers = {{"X-Why", "full"}, {"X-More", "b"}};
    const Response response = respond(errc::queue_full, &settings);
    EXPECT_EQ(response.status_line, "HTTP/1.1 429 Too Many Requests");
    EXPECT_EQ(response.field("Content-Type"), "text/plain");
    EXPECT_EQ(response.body, "request-1 unique-1 app 1234 7 42.");
    EXPECT_EQ(response.field("Content-Length"), std::to_string(response.body.size()));
    EXPECT_EQ(response.field("X-Why"), "full");
    EXPECT_EQ(response.field("X-More"), "b");
    EXPECT_EQ(response.field("Retry-After"), "42");
}

// With two values of one header each reader could choose another one.
TEST_F(FailureAnswer, AConfiguredHeaderTakesThePlaceOfOurs) {
    config::Settings settings;
    settings.on_full.headers = {{"retry-after", "5"}, {"Cache-Control", "private"}};
    settings.on_full.body = "again in ${retry_after} s";
    const Response response = respond(errc::queue_full, &settings);
    EXPECT_EQ(response.field("retry-after"), "5");
    EXPECT_EQ(response.field("Retry-After"), std::nullopt);
    EXPECT_EQ(response.field("Cache-Control"), "private");
    EXPECT_EQ(response.body, "again in 5 s") << "the text agrees with the header";
}

struct Filling {
    const char* text;
    const char* filled;
};

constexpr Filling fillings[] = {
    {"", ""},
    {"plain", "plain"},
    {"${queue}${queue}", "appapp"},
    {"$queue {queue}", "$queue {queue}"},
    {"${unknown}", "${unknown}"},
    {"${}", "${}"},
    {"a ${queue", "a ${queue"},
    {"${", "${"},
    {"100 $ and } and ${waiting}", "100 $ and } and 7"},
    {"{\"q\": \"${queue}\"}", "{\"q\": \"app\"}"},
    {"$${queue}", "${queue}"},
    {"$$${queue}", "$app"},
    {"$$$${queue} $$", "$${queue} $$"},
    {"$${price} $$(x) $$5", "$${price} $$(x) $$5"},
    {"${a ? `${queue}` : 1}", "${a ? `app` : 1}"},
};

TEST_F(FailureAnswer, OnlyKnownPlaceholdersAreFilledIn) {
    for (const Filling& filling : fillings) {
        config::Settings settings;
        settings.on_wait_timeout.body = filling.text;
        EXPECT_EQ(respond(errc::wait_timeout, &settings).body, filling.filled);
    }
}

TEST_F(FailureAnswer, SendsLargeBodiesWhole) {
    config::Settings settings;
    settings.on_full.body = std::string(300'000, 'x') + "${queue}";
    EXPECT_EQ(respond(errc::queue_full, &settings).body, std::string(300'000, 'x') + "app");
}

TEST_F(FailureAnswer, AContentTypeWithoutABodyDoesNotApplyToTheDocument) {
    config::Settings settings;
    settings.on_full.content_type = "text/html";
    EXPECT_EQ(respond(errc::queue_full, &settings).field("Content-Type"),
              "application/problem+json");
}

TEST_F(FailureAnswer, EachAnswerIsForItsOwnErrorOnly) {
    config::Settings settings;
    settings.on_full.body = "full";
    settings.on_wait_timeout.body = "late";
    settings.on_backend_error.body = "broken";
    EXPECT_EQ(respond(errc::queue_full, &settings).body, "full");
    EXPECT_EQ(respond(errc::wait_timeout, &settings).body, "late");
    for (const errc code :
         {errc::upstream_refused, errc::upstream_broke, errc::upstream_bad_response,
          errc::upstream_timeout, errc::upstream_connect_timeout})
        EXPECT_EQ(respond(code, &settings).body, "broken");
    for (const errc code : {errc::draining, errc::bad_request, errc::spool_full})
        EXPECT_EQ(respond(code, &settings).field("Content-Type"), "application/problem+json");
}

TEST_F(FailureAnswer, FieldsOfAnAnswerAreInheritedOneByOne) {
    const Served served(
        "defaults: {upstream: app, on_full: {body: \"try ${retry_after}\", content_type: a/b}}\n"
        "routes:\n- prefix: /\n  on_full: {status: 429}\n"
        "  routes: [{prefix: /deep, on_full: {headers: {X-Deep: \"1\"}}}]\n");
    const auto response = respond(errc::queue_full, &served.find("/deep")->settings);
    EXPECT_EQ(response.status_line, "HTTP/1.1 429 Too Many Requests");
    EXPECT_EQ(response.field("Content-Type"), "a/b");
    EXPECT_EQ(response.field("X-Deep"), "1");
    EXPECT_EQ(response.body, "try 42");
    const auto above = respond(errc::queue_full, &served.find("/other")->settings);
    EXPECT_EQ(above.field("X-Deep"), std::nullopt);
}

// Many clients may read a long page slowly.
TEST_F(FailureAnswer, SharesTheTextOfTheConfig) {
    config::Settings settings;
    const std::string half(1 << 20, 'x');
    settings.on_full.body = half + "${request_id}" + half + "$${queue}";
    const std::string_view text = *settings.on_full.body;
    ticketgate::FailureResponse response =
        failure_response(errc::queue_full, &settings, facts, added, true, http::AsksFor::body);
    EXPECT_EQ(response.body.size(), 2 * half.size() + 17);
    EXPECT_EQ(response.body.next().data(), text.data());
    EXPECT_EQ(response.body.next(), "request-1");
    EXPECT_EQ(response.body.next().data(), text.data() + half.size() + 13);
    EXPECT_EQ(response.body.next(), "{queue}");
    EXPECT_EQ(response.body.next(), "");
}

}  // namespace
}  // namespace ticketgate

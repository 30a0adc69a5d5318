// Errors for people: a browser gets a page, a program a problem document (docs/queues.md).
#include <boost/json/parse.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string chromium =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
    "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7\r\n";
const std::string firefox =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n";
const std::string curl = "Accept: */*\r\n";

bool has(const Response& response, std::string_view part) {
    return response.body.find(part) != std::string::npos;
}

void expect_page(const Response& response, int status) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(response.header("Vary"), "Accept");
    EXPECT_EQ(response.header("Content-Security-Policy"),
              "default-src 'none'; style-src 'unsafe-inline'");
    EXPECT_EQ(response.header("Cache-Control"), "no-store");
    EXPECT_TRUE(response.body.starts_with("<!doctype html>")) << response.body;
    EXPECT_TRUE(has(response, "<dd>" + response.header("X-Request-Id") + "</dd>"));
    EXPECT_LT(response.body.size(), 3u << 10);
}

void expect_document(const Response& response, int status) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(response.header("Vary"), "Accept");
    EXPECT_EQ(response.header("Content-Security-Policy"), "");
    EXPECT_EQ(boost::json::parse(response.body).as_object().at("status").as_int64(), status);
}

// The same request of two browsers, and of two programs.
void expect_both(const Gateway& gateway, std::string_view target, int status) {
    expect_page(gateway.get(target, chromium), status);
    expect_page(gateway.get(target, firefox), status);
    expect_document(gateway.get(target, curl), status);
    expect_document(gateway.get(target), status);
}

Response post(const Gateway& gateway, std::string_view target, std::string_view body = "a=b") {
    Client client = gateway.client();
    client.request("POST", target, firefox, body);
    return client.read();
}

constexpr std::string_view nothing_arrived = "Nothing that you sent has reached the application";
constexpr std::string_view may_have_arrived = "may have received what you sent";

TEST(Page, OfAFullQueueTellsTheWaitAndOffersARetry) {
    Backend backend;
    Gateway gateway(one_queue(", max_waiting: 0"), with(backend));
    Client first = running(gateway, backend, "/first");
    expect_both(gateway, "/next?a=b", 503);
    const auto page = gateway.get("/next", firefox);
    const auto seconds = page.header("Retry-After");
    EXPECT_TRUE(has(page, "Try again in about " + seconds + " second"));
    EXPECT_TRUE(has(page, "<a href=\"\">Try again</a>"));
    const auto form = post(gateway, "/next");
    expect_page(form, 503);
    EXPECT_TRUE(has(form, nothing_arrived)) << form.body;
    EXPECT_FALSE(has(form, "href"));
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(backend.count("/next"), 0u);
}

TEST(Page, OfAWaitThatWasTooLongTellsTheNumber) {
    Backend backend;
    Gateway gateway(one_queue_but("/waits", ", wait_timeout: 200ms"), with(backend));
    Client first = running(gateway, backend, "/first");
    const auto page = gateway.get("/waits", chromium);
    expect_page(page, 503);
    const auto line = gateway.log(1).at(0);
    EXPECT_TRUE(has(
        page, "<dt>Your number</dt><dd>" + std::to_string(line.at("number").as_int64()) + "</dd>"));
    const auto waited = static_cast<int>(line.at("queue_wait_ms").to_number<double>());
    EXPECT_GE(waited, 100);
    EXPECT_TRUE(has(page, "<dt>You waited</dt><dd>" + std::to_string(waited / 1000) + "." +
                              std::to_string(waited / 100 % 10) + " seconds</dd>"))
        << page.body;
    expect_document(gateway.get("/waits", curl), 503);
    const auto form = post(gateway, "/waits");
    expect_page(form, 503);
    EXPECT_TRUE(has(form, nothing_arrived)) << form.body;
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(backend.count("/waits"), 0u);
}

TEST(Page, OfABackendThatRefusesTellsThatNothingArrived) {
    const RefusingPort port;
    Gateway gateway(one_queue(), {{"BACKEND", port.url()}});
    expect_both(gateway, "/", 502);
    const auto form = post(gateway, "/");
    expect_page(form, 502);
    EXPECT_TRUE(has(form, nothing_arrived)) << form.body;
}

TEST(Page, OfABackendThatBreaksTellsThatTheFormMayHaveArrived) {
    Backend backend;
    backend.on("/breaks", [](Call& call) { call.close(); });
    Gateway gateway(queued_and_free(), with(backend));
    expect_both(gateway, "/breaks", 502);
    const auto form = post(gateway, "/breaks");
    expect_page(form, 502);
    EXPECT_TRUE(has(form, may_have_arrived)) << form.body;
    EXPECT_FALSE(has(form, nothing_arrived)) << form.body;
}

TEST(Page, OfASilentBackendTellsThatTheFormMayHaveArrived) {
    Backend backend;
    backend.hold("/silent");
    Gateway gateway(queued_and_free(", response_timeout: 100ms"), with(backend));
    expect_both(gateway, "/silent", 504);
    const auto form = post(gateway, "/silent");
    expect_page(form, 504);
    EXPECT_TRUE(has(form, may_have_arrived)) << form.body;
    backend.release("/silent");
}

TEST(Page, OfAnswersThatNoRouteSets) {
    Backend backend;
    Gateway gateway(
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "routes: [{ prefix: /app, upstream: app, queue: q, max_body: 10B }]\n",
        with(backend));
    expect_both(gateway, "/elsewhere", 404);
    expect_both(gateway, "/app/%2", 400);
    const auto large = post(gateway, "/app", "more than ten bytes");
    expect_page(large, 413);
    EXPECT_TRUE(has(large, nothing_arrived)) << large.body;
    EXPECT_EQ(backend.count("/app"), 0u);
}

TEST(Page, OfHeadIsItsHeadAlone) {
    Backend backend;
    Gateway gateway(
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "routes: [{ prefix: /app, upstream: app }]\n",
        with(backend));
    const auto whole = gateway.get("/no", firefox);
    Client client = gateway.client();
    client.request("HEAD", "/no", firefox);
    const auto head = client.read_to_head();
    EXPECT_EQ(head.status, 404);
    EXPECT_EQ(head.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(head.header("Content-Length"), std::to_string(whole.body.size()));
    client.get("/app");
    const auto next = client.read();
    EXPECT_EQ(next.status, 200) << "no byte of a body came between";
    EXPECT_EQ(next.body, "/app");
}

std::string with_page(const std::string& answer) {
    return one_queue(", max_waiting: 0, on_full: " + answer);
}

TEST(Page, OfTheConfigStandsBesideABody) {
    Backend backend;
    const TemporaryFolder folder;
    const auto file = folder.write("busy.html", "<p>${queue} ${waiting} ${request_id}</p>");
    Gateway gateway(with_page("{ body: '{}', page_file: \"" + file + "\" }"), with(backend));
    Client first = running(gateway, backend, "/first");
    const auto page = gateway.get("/next", firefox);
    EXPECT_EQ(page.body, "<p>q 0 " + page.header("X-Request-Id") + "</p>");
    EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    const auto program = gateway.get("/next", curl);
    EXPECT_EQ(program.body, "{}");
    for (const auto& answer : {page, program}) EXPECT_EQ(answer.header("Vary"), "Accept");

    // A file that cannot be read is a config that cannot be used: the page in force stays.
    EXPECT_FALSE(gateway.reload(with_page("{ page_file: \"" + file + ".none\" }")));
    EXPECT_EQ(gateway.get("/next", firefox).body.substr(0, 7), "<p>q 0 ");
    (void)folder.write("busy.html", "<p>new ${queue}</p>");
    EXPECT_TRUE(gateway.reload(with_page("{ page_file: \"" + file + "\" }")));
    EXPECT_EQ(gateway.get("/next", firefox).body, "<p>new q</p>");
    EXPECT_TRUE(gateway.reload(with_page("{ page: off }")));
    const auto off = gateway.get("/next", firefox);
    EXPECT_EQ(off.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(off.header("Vary"), "");
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

TEST(Page, LeavesABodyOfTheConfigToEverybody) {
    Backend backend;
    Gateway gateway(with_page("{ body: busy, content_type: text/plain }"), with(backend));
    Client first = running(gateway, backend, "/first");
    for (const auto& accept : {firefox, chromium, curl}) {
        const auto answer = gateway.get("/next", accept);
        EXPECT_EQ(answer.body, "busy");
        EXPECT_EQ(answer.header("Content-Type"), "text/plain");
        EXPECT_EQ(answer.header("Vary"), "");
    }
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

// A link would repeat what another method asks for.
TEST(Page, AGetThatNamesAnotherMethodGetsNoLink) {
    Backend backend;
    backend.on("/gone", [](Call& call) { call.close(); });
    Gateway gateway(one_queue(), with(backend));
    for (const std::string lines : {"", "X-HTTP-Method-Override: DELETE\r\n"}) {
        const auto answer =
            gateway.get(lines.empty() ? "/gone?_method=DELETE" : "/gone", firefox + lines);
        expect_page(answer, 502);
        EXPECT_TRUE(has(answer, may_have_arrived)) << answer.body;
        EXPECT_FALSE(has(answer, "href=\"\""));
    }
    EXPECT_TRUE(has(gateway.get("/gone", firefox), "href=\"\""));
}

}  // namespace
}  // namespace ticketgate::test

// The page for browsers: which answers have it, and what it says.
#include "proxy/failure_page.hpp"

#include <gtest/gtest.h>

#include "configs.hpp"
#include "failure_text.hpp"

namespace ticketgate {
namespace {

struct FailurePage : testing::Test {
    FailurePage() {
        record.request_id = *ids::Id::from("request-1");
        record.unique_id = *ids::Id::from("unique-1");
        record.queue = "app";
        record.number = 17;
        record.queue_wait = std::chrono::milliseconds(61'234);
        facts.html = true;
    }
    std::string page(error_code failure) const {
        return failure_page(failure, status_of(failure, nullptr), facts);
    }
    std::string respond(error_code failure, const config::Settings* of = nullptr,
                        http::AsksFor asked = http::AsksFor::body) const {
        return text_of(failure_response(failure, of, facts, "", true, asked));
    }
    static bool has(const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    }

    Record record;
    FailureFacts facts{record, 7, 42};
    config::Settings settings;
};

std::string message(error_code failure) {
    return failure.message();
}

constexpr errc of_routes[] = {
    errc::queue_full,
    errc::wait_timeout,
    errc::draining,
    errc::stopped,
    errc::slot_revoked,
    errc::upstream_refused,
    errc::upstream_untrusted,
    errc::upstream_connect_timeout,
    errc::upstream_lost,
    errc::upstream_broke,
    errc::upstream_bad_response,
    errc::upstream_timeout,
    errc::upstream_overloaded,
    errc::keeper_silent,
    errc::spool_full,
    errc::input_full,
    errc::spool_lost,
    errc::internal,
    errc::body_timeout,
    errc::body_too_large,
    errc::no_route,
    errc::misdirected,
    errc::bad_request,
};

TEST_F(FailurePage, IsSmallAndLoadsNothing) {
    for (const errc failure : of_routes)
        for (const bool safe : {true, false})
            for (const bool may_have_run : {true, false}) {
                facts.safe = safe;
                facts.may_have_run = may_have_run;
                const auto text = page(failure);
                EXPECT_LT(text.size(), 3u << 10) << message(failure);
                EXPECT_TRUE(text.starts_with("<!doctype html>\n<html lang=\"en\">"))
                    << message(failure);
                EXPECT_TRUE(text.ends_with("</html>\n")) << message(failure);
                EXPECT_TRUE(has(text, "<meta name=\"viewport\"")) << message(failure);
                EXPECT_TRUE(has(text, "color-scheme:light dark")) << message(failure);
                EXPECT_TRUE(has(text, "request-1")) << message(failure);
                for (const char* outside :
                     {"<script", "src=", "http:", "https:", "url(", "@import"})
                    EXPECT_FALSE(has(text, outside)) << message(failure) << " " << outside;
            }
}

TEST_F(FailurePage, TellsNumberWaitAndRetry) {
    const auto text = page(errc::wait_timeout);
    EXPECT_TRUE(has(text, "<dt>Your number</dt><dd>17</dd>"));
    EXPECT_TRUE(has(text, "<dt>You waited</dt><dd>61.2 seconds</dd>"));
    EXPECT_TRUE(has(text, "<dt>Waiting now</dt><dd>7</dd>"));
    EXPECT_TRUE(has(text, "<dt>Request id</dt><dd>request-1</dd>"));
    EXPECT_TRUE(has(text, "<dt>Error</dt><dd>503 Service Unavailable</dd>"));
    EXPECT_TRUE(has(text, "Try again in about 42 seconds."));
    EXPECT_TRUE(has(text, "<a href=\"\">Try again</a>"));
}

TEST_F(FailurePage, HasNoQueueWhereNoneWas) {
    record.queue = {};
    const auto text = page(errc::no_route);
    for (const char* part : {"number", "waited", "Waiting", "href"}) EXPECT_FALSE(has(text, part));
}

TEST_F(FailurePage, OneSecondIsSingular) {
    facts.retry_after = 1;
    EXPECT_TRUE(has(page(errc::queue_full), "in about 1 second."));
}

TEST_F(FailurePage, AFormIsToldWhetherItsDataMayHaveArrived) {
    facts.safe = false;
    for (const errc failure : of_routes) {
        // An overloaded backend has not begun, whatever it received.
        for (const bool may_have_run : {true, false}) {
            facts.may_have_run = may_have_run;
            const bool told = may_have_run && failure != errc::upstream_overloaded;
            const auto text = page(failure);
            EXPECT_EQ(has(text, "Nothing that you sent has reached the application"), !told)
                << message(failure);
            EXPECT_EQ(has(text, "may have received what you sent"), told) << message(failure);
            EXPECT_FALSE(has(text, "href")) << "a link is a GET, and no form";
        }
    }
}

TEST_F(FailurePage, OffersNoRetryWhereTheSameRequestFailsAgain) {
    for (const errc failure :
         {errc::no_route, errc::misdirected, errc::bad_request, errc::body_too_large})
        EXPECT_FALSE(has(page(failure), "href")) << message(failure);
}

TEST_F(FailurePage, StandsInPlaceOfTheDocumentForBrowsersOnly) {
    for (const errc failure : of_routes) {
        const auto html = respond(failure, &settings);
        EXPECT_TRUE(has(html, "\r\nContent-Type: text/html; charset=utf-8\r\n"))
            << message(failure);
        EXPECT_TRUE(has(html, "\r\nVary: Accept\r\n")) << message(failure);
        EXPECT_TRUE(has(html,
                        "\r\nContent-Security-Policy: default-src 'none'; style-src "
                        "'unsafe-inline'\r\n"))
            << message(failure);
        const auto body = html.substr(html.find("\r\n\r\n") + 4);
        EXPECT_TRUE(has(html, "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
    }
    facts.html = false;
    for (const errc failure : of_routes) {
        const auto document = respond(failure, &settings);
        EXPECT_TRUE(has(document, "\r\nContent-Type: application/problem+json\r\n"))
            << message(failure);
        EXPECT_TRUE(has(document, "\r\nVary: Accept\r\n")) << message(failure);
        EXPECT_FALSE(has(document, "Content-Security-Policy")) << message(failure);
    }
}

TEST_F(FailurePage, HeadIsToldItsLengthOnly) {
    const auto whole = respond(errc::queue_full, &settings);
    const auto head = respond(errc::queue_full, &settings, http::AsksFor::head);
    EXPECT_EQ(head, whole.substr(0, whole.find("\r\n\r\n") + 4));
    const auto unknown = respond(errc::too_many_connections, nullptr, http::AsksFor::unknown);
    EXPECT_TRUE(has(unknown, "Content-Length: 0"));
    EXPECT_FALSE(has(unknown, "Vary"));
    EXPECT_FALSE(has(respond(errc::last_hop), "Vary"));
}

TEST_F(FailurePage, ABodyOfTheConfigStaysForEverybody) {
    settings.on_full.body = "busy";
    settings.on_full.content_type = "text/plain";
    const auto browser = respond(errc::queue_full, &settings);
    facts.html = false;
    EXPECT_EQ(respond(errc::queue_full, &settings), browser);
    EXPECT_TRUE(has(browser, "\r\n\r\nbusy"));
    EXPECT_FALSE(has(browser, "Vary"));
}

TEST_F(FailurePage, ABodyAndAPageStandSideBySide) {
    settings.on_full.body = "{}";
    for (const auto& page : {config::Page{config::Page::Kind::own, "<p>mine"},
                             config::Page{config::Page::Kind::on, {}}}) {
        settings.on_full.page = page;
        facts.html = true;
        const auto browser = respond(errc::queue_full, &settings);
        EXPECT_TRUE(has(browser, page.kind == config::Page::Kind::own ? "<p>mine" : "<main>"));
        facts.html = false;
        const auto program = respond(errc::queue_full, &settings);
        EXPECT_TRUE(program.ends_with("\r\n\r\n{}"));
        for (const auto& answer : {browser, program}) EXPECT_TRUE(has(answer, "Vary: Accept"));
    }
}

TEST_F(FailurePage, OffIsTheDocumentForEverybody) {
    settings.on_full.page.kind = config::Page::Kind::off;
    const auto answer = respond(errc::queue_full, &settings);
    EXPECT_TRUE(has(answer, "application/problem+json"));
    EXPECT_FALSE(has(answer, "Vary"));
    EXPECT_TRUE(has(respond(errc::wait_timeout, &settings), "text/html")) << "another answer";
}

TEST_F(FailurePage, PlaceholdersOfAPageAreEscaped) {
    record.queue = "<b a='1' c=\"2\">&amp;";
    settings.on_full.page = {config::Page::Kind::own,
                             "<i>${queue}</i> $${queue} ${waiting} ${nothing} ${retry_after}"};
    const auto answer = respond(errc::queue_full, &settings);
    EXPECT_TRUE(
        answer.ends_with("\r\n\r\n<i>&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;</i> "
                         "${queue} 7 ${nothing} 42"));
    EXPECT_FALSE(has(answer, "Content-Security-Policy")) << "the page is the user's";
}

TEST_F(FailurePage, AHeaderOfTheConfigTakesThePlaceOfThePolicy) {
    settings.on_full.headers = {{"content-security-policy", "sandbox"}};
    const auto answer = respond(errc::queue_full, &settings);
    EXPECT_TRUE(has(answer, "content-security-policy: sandbox"));
    EXPECT_FALSE(has(answer, "default-src"));
}

TEST_F(FailurePage, IsInheritedByItself) {
    const Served served(
        "defaults: {upstream: app, on_full: {page: \"<p>outer\"}}\n"
        "routes:\n- prefix: /\n  on_full: {body: \"{}\"}\n"
        "  routes: [{prefix: /api, on_full: {page: off}}, {prefix: /new, on_full: {page: "
        "null}}]\n");
    EXPECT_TRUE(respond(errc::queue_full, &served.find("/")->settings).ends_with("<p>outer"));
    for (const char* path : {"/api", "/new"})
        EXPECT_TRUE(respond(errc::queue_full, &served.find(path)->settings).ends_with("\n{}"));
}

}  // namespace
}  // namespace ticketgate

// CONTRACT 3: waiting and its ends.
#include <boost/json/parse.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

boost::json::object problem(const Response& response) {
    EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
    return boost::json::parse(response.body).as_object();
}

std::int64_t seconds_of(const Response& response) {
    const std::string text = response.header("Retry-After");
    return text.empty() ? -1 : std::stol(text);
}

TEST(MaxWaiting, OneMoreIsRefusedWithAProblemDocument) {
    Backend backend;
    Gateway gateway(one_queue(", max_waiting: 2"), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 2));
    const auto refused = gateway.get("/refused");
    EXPECT_EQ(refused.status, 503);
    EXPECT_GE(seconds_of(refused), 1);
    const auto told = problem(refused);
    EXPECT_EQ(told.at("status").as_int64(), 503);
    EXPECT_EQ(told.at("queue").as_string(), "q");
    EXPECT_EQ(told.at("waiting").as_int64(), 2);
    EXPECT_EQ(told.at("waited_ms").as_int64(), 0);
    EXPECT_EQ(told.at("retry_after").as_int64(), seconds_of(refused));
    EXPECT_EQ(told.at("request_id").as_string(), refused.header("X-Request-Id"));
    EXPECT_EQ(told.at("unique_id").as_string(), refused.header("Unique-Id"));

    const auto line = gateway.log(1).at(0);
    EXPECT_EQ(line.at("request_id").as_string(), refused.header("X-Request-Id"));
    EXPECT_EQ(line.at("outcome").as_string(), "full");
    EXPECT_EQ(line.at("position").as_int64(), 2);
    EXPECT_EQ(line.at("blocked_by").as_int64(), 1) << "who stood in its way";
    EXPECT_EQ(line.at("status").as_int64(), 503);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_rejected_total{queue="q",reason="full"})"), 1);
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(gateway.get("/again").status, 200);
}

TEST(MaxWaiting, ZeroMeansThatNobodyWaits) {
    Backend backend;
    Gateway gateway(one_queue(", max_waiting: 0"), with(backend));
    EXPECT_EQ(gateway.get("/alone").status, 200) << "a free slot needs no waiting";
    EXPECT_EQ(gateway.post("/alone", "with a body").status, 200);
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(gateway.get("/second").status, 503);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(backend.count("/second"), 0u);
}

TEST(MaxWaiting, IsDecidedBeforeTheUpload) {
    Backend backend;
    Gateway gateway(one_queue(", max_waiting: 0"), with(backend));
    Client first = running(gateway, backend, "/first");
    Client client = gateway.client();
    client.send(
        "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read().status, 503) << "no 100 Continue comes first";
    EXPECT_TRUE(client.ends()) << "what it might send would pass for a request";
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

const std::string custom = R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app, max_waiting: 1 }
routes:
  - { prefix: /waits, wait_timeout: 200ms }
  - prefix: /
    queue: q
    on_full:
      status: 429
      content_type: text/plain
      body: "${queue} ${waiting} ${waited_ms} ${retry_after} ${request_id} ${unique_id} $$5"
      headers: { X-Busy: "yes", X-More: two }
    on_wait_timeout: { status: 504, content_type: application/json, body_file: "${TMP}/sorry.json" }
)";

// 100 KB with a placeholder at its end.
std::string large_body() {
    return "{\"text\":\"" + std::string(100'000, 'x') + "\",\"id\":\"${request_id}\"}";
}

class CustomAnswers : public testing::Test {
 protected:
    // The body file must exist before the Gateway reads its config.
    CustomAnswers() : folder_(), file_(folder_.write("sorry.json", large_body())) {}
    Variables variables(const Backend& backend) const {
        return {{"BACKEND", backend.url()}, {"SORRY", file_}};
    }
    static std::string yaml() {
        std::string text = custom;
        return text.replace(text.find("${TMP}/sorry.json"), 17, "${SORRY}");
    }
    TemporaryFolder folder_;
    std::string file_;
};

TEST_F(CustomAnswers, OnFullHasItsStatusBodyPlaceholdersAndHeaders) {
    Backend backend;
    Gateway gateway(yaml(), variables(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    const auto refused = gateway.get("/refused");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Content-Type"), "text/plain");
    EXPECT_EQ(refused.header("X-Busy"), "yes");
    EXPECT_EQ(refused.header("X-More"), "two");
    EXPECT_EQ(refused.body, "q 1 0 " + refused.header("Retry-After") + " " +
                                refused.header("X-Request-Id") + " " + refused.header("Unique-Id") +
                                " $5");
    backend.release("/first");
    EXPECT_EQ(clients[0].read().status, 200);
}

TEST_F(CustomAnswers, OnWaitTimeoutHasABodyOfAnySizeWithItsRightStatus) {
    Backend backend;
    Gateway gateway(yaml(), variables(backend));
    Client first = running(gateway, backend, "/first");
    const auto begin = Clock::now();
    const auto refused = gateway.get("/waits");
    const auto waited = Clock::now() - begin;
    // The timeout is never early. tests/simulation, with its own clock, checks that it is not late;
    // here that depends on the machine.
    EXPECT_EQ(refused.status, 504);
    EXPECT_EQ(refused.header("Content-Type"), "application/json");
    EXPECT_GE(seconds_of(refused), 1);
    const auto told = boost::json::parse(refused.body).as_object();
    EXPECT_EQ(told.at("text").as_string().size(), 100'000u);
    EXPECT_EQ(told.at("id").as_string(), refused.header("X-Request-Id"));
    EXPECT_GE(waited, 200ms);
    const auto line = gateway.log(1).at(0);
    EXPECT_EQ(line.at("outcome").as_string(), "timeout");
    EXPECT_EQ(line.at("status").as_int64(), 504);
    EXPECT_GE(line.at("queue_wait_ms").to_number<double>(), 200);
    EXPECT_EQ(backend.count("/waits"), 0u);
}

TEST(WaitTimeout, KeepsTheClientsConnection) {
    Backend backend;
    Gateway gateway(one_queue_but("/waits", ", wait_timeout: 50ms"), with(backend));
    Client first = running(gateway, backend, "/first");
    Client client = gateway.client();
    client.get("/waits");
    EXPECT_EQ(client.read().status, 503);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    client.get("/again");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.count("/waits"), 0u);
}

TEST(WaitTimeout, DoesNotMeasureTheExecution) {
    Backend backend;
    Gateway gateway(one_queue(", wait_timeout: 50ms"), with(backend));
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(gateway.get("/waits").status, 503) << "by now the first has run longer, too";
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

TEST(WaitTimeout, EndsEachOfManyWaitsAndFreesTheirPlaces) {
    Backend backend;
    Gateway gateway(one_queue(", wait_timeout: 300ms"), with(backend));
    Client first = running(gateway, backend, "/first");
    std::vector<Client> clients;
    for (int i = 0; i < 100; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/waits");
    }
    for (auto& client : clients) EXPECT_EQ(problem(client.read()).at("status").as_int64(), 503);
    EXPECT_EQ(gateway.line("q").waiting, 0u);
    const std::string reason = R"(ticketgate_queue_rejected_total{queue="q",reason="timeout"})";
    EXPECT_EQ(gateway.metric(reason), 100);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

// It keeps nobody waiting, so it is judged when it is whole.
TEST(WaitTimeout, DoesNotEndAnUploadWhileItArrives) {
    Backend backend;
    Gateway gateway(one_queue_but("/slow", ", wait_timeout: 100ms"), with(backend));
    for (const bool is_free : {true, false}) {
        Client slow = gateway.client();
        slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
        ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
        be_slow(300ms);
        std::optional<Client> first;
        if (!is_free) first.emplace(running(gateway, backend, "/first"));
        slow.send("def");
        EXPECT_EQ(slow.read().status, is_free ? 200 : 503);
        EXPECT_EQ(backend.count("/slow"), 1u);
        if (first) backend.release("/first");
    }
}

TEST(WaitTimeout, EndsAnUploadForWhichALineInOrderOfArrivalWaits) {
    Backend backend;
    Gateway gateway(one_queue(", wait_timeout: 100ms", "order: arrival"), with(backend));
    Client slow = gateway.client();
    slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    EXPECT_EQ(slow.read().status, 503);
    EXPECT_TRUE(slow.ends());
    EXPECT_EQ(backend.count("/slow"), 0u);
}

TEST(RetryAfter, GrowsWithTheLineAndTheMeasuredHold) {
    Backend backend;
    backend.on("/slow", [](Call& call) {
        be_slow(300ms);
        call.respond(200);
    });
    Gateway gateway(one_queue(", max_waiting: 30"), with(backend));
    EXPECT_EQ(gateway.get("/slow").status, 200);
    const double hold = gateway.metric(R"(ticketgate_queue_hold_seconds_sum{queue="q"})");
    const auto begin = Clock::now();
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 30));
    const auto refused = gateway.get("/refused");
    // The current hold counts if it is longer than the mean.
    const double lasts = std::chrono::duration<double>(Clock::now() - begin).count();
    const auto told = static_cast<double>(seconds_of(refused));
    EXPECT_GE(hold, 0.3);
    EXPECT_GE(told, 31 * hold - 1) << "31 turns, in whole seconds";
    EXPECT_LE(told, 31 * std::max(hold, lasts) + 1);
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
}

TEST(ServerTiming, HasQueueAndUpstreamAndCanBeTurnedOff) {
    Backend backend;
    Gateway gateway(R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - { prefix: /q, queue: q }
  - { prefix: /free }
  - { prefix: /off, queue: q, server_timing: false }
)",
                    with(backend));
    EXPECT_TRUE(gateway.get("/q").header("Server-Timing").starts_with("queue;dur="));
    EXPECT_NE(gateway.get("/q").header("Server-Timing").find(", upstream;dur="), std::string::npos);
    EXPECT_TRUE(gateway.get("/free").header("Server-Timing").starts_with("upstream;dur="));
    EXPECT_FALSE(gateway.get("/off").fields.has("Server-Timing"));
}

}  // namespace
}  // namespace ticketgate::test

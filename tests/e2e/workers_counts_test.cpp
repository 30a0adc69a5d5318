// The counters of workers keep their values when a reload replaces the workers.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

std::string one_worker(const std::string& variable) {
    return "upstreams: { app: { workers: { command: [\"" TG_TEST_WORKER
           "\"], min: 1, max: 1, environment: { TEST_FOLDER: \"${TMP}\", " +
           variable +
           " } }, fastcgi: { root: /app } } }\n"
           "routes: [{ prefix: /, upstream: app, queue: q }]\n";
}

double deaths(const Gateway& gateway, const std::string& reason) {
    return gateway.metric("ticketgate_worker_deaths_total{reason=\"" + reason +
                          "\",upstream=\"app\"}");
}

double of_app(const Gateway& gateway, const std::string& metric) {
    return gateway.metric("ticketgate_" + metric + "{upstream=\"app\"}");
}

// A request has been counted when its worker is idle again.
bool serves(const Gateway& gateway, int requests) {
    return gateway.get("/").status == 200 &&
           eventually([&] { return of_app(gateway, "worker_busy_seconds_count") == requests; });
}

// Prometheus takes a counter that falls for one that began anew.
TEST(WorkersCounts, StayWhenAReloadReplacesTheWorkers) {
    Gateway gateway(one_worker("TEST_VARIABLE: given"));
    EXPECT_EQ(gateway.get("/?die=7").status, 502);
    EXPECT_TRUE(serves(gateway, 1));
    for (int reloads = 1; reloads <= 3; ++reloads) {
        EXPECT_TRUE(gateway.reload(one_worker("TEST_VARIABLE: again" + std::to_string(reloads))));
        EXPECT_TRUE(eventually([&] { return deaths(gateway, "reload") == reloads; }));
        EXPECT_TRUE(serves(gateway, 1 + reloads));
        EXPECT_EQ(deaths(gateway, "exit"), 1);
        EXPECT_EQ(of_app(gateway, "worker_starts_total"), 2 + reloads);
    }
}

// Otherwise the first end is no increase.
TEST(WorkersCounts, AreThereForEachReasonBeforeAWorkerEnds) {
    Gateway gateway(one_worker("TEST_VARIABLE: given"));
    for (const char* reason :
         {"exit", "signal", "start_timeout", "protocol", "idle", "max_requests", "reload", "stop"})
        EXPECT_EQ(deaths(gateway, reason), 0) << reason;
}

}  // namespace
}  // namespace ticketgate::test

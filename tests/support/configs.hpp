// Configs that many tests begin with, and helpers for their first steps.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/gateway.hpp"

namespace ticketgate::test {

/// All requests in the queue `q`; `settings` are further defaults, e.g. `, wait_timeout: 1s`.
inline std::string one_queue(const std::string& settings = {}, const std::string& queue = {}) {
    return "queues: { q: {" + queue + "} }\n" +
           "upstreams: { app: { url: \"${BACKEND}\", idle_timeout: 1m } }\n"
           "defaults: { upstream: app" +
           settings +
           " }\n"
           "routes: [{ prefix: /, queue: q }]\n";
}

/// The same, with `settings` for requests below `path` only: a limit short enough for a test to
/// wait for must not apply to its other requests, which a busy machine may slow down.
inline std::string one_queue_but(const std::string& path, const std::string& settings,
                                 const std::string& queue = {}) {
    std::string yaml = one_queue({}, queue);
    const std::string routes = ", routes: [{ prefix: " + path + settings + " }]";
    return yaml.insert(yaml.rfind(" }]"), routes);
}

inline double orphans(const Gateway& gateway) {
    return gateway.metric(R"(ticketgate_queue_orphaned{queue="q"})");
}

/// How often the backend was silent for too long.
inline double silences(const Gateway& gateway) {
    return gateway.metric(R"(ticketgate_upstream_errors_total{reason="timeout",upstream="app"})");
}

/// /q is queued, everything else is not.
inline std::string queued_and_free(const std::string& settings = {}) {
    return "upstreams: { app: { url: \"${BACKEND}\", idle_timeout: 1m } }\n"
           "defaults: { upstream: app" +
           settings +
           " }\n"
           "routes: [{ prefix: /, routes: [{ prefix: /q, queue: q }] }]\n";
}

/// The targets `path?from` to `path?to`.
inline std::vector<std::string> numbered(const std::string& path, int from, int to) {
    std::vector<std::string> targets;
    for (int i = from; i <= to; ++i) targets.push_back(path + "?" + std::to_string(i));
    return targets;
}

/// One client for each target; each has its ticket before the next one connects.
inline std::vector<Client> stand_in_line(Gateway& gateway,
                                         const std::vector<std::string>& targets) {
    std::vector<Client> clients;
    std::uint32_t waiting = gateway.line("q").waiting;
    for (const auto& target : targets) {
        clients.push_back(gateway.client());
        clients.back().get(target);
        EXPECT_TRUE(gateway.wait_for_waiting("q", ++waiting));
    }
    return clients;
}

/// A client whose request runs until backend.release(path).
inline Client running(Gateway& gateway, Backend& backend, const std::string& path) {
    const std::size_t before = backend.count(path);
    backend.hold(path);
    Client client = gateway.client();
    client.get(path);
    EXPECT_TRUE(backend.wait_for(path, before + 1));
    return client;
}

/// For tests that must hold with and without a queue: a path to ask for under queued_and_free().
inline const auto both_kinds = testing::Values("/q", "/free");
inline std::string kind(const testing::TestParamInfo<const char*>& info) {
    return std::string(info.param) == "/q" ? "Queued" : "Unqueued";
}

inline Variables with(const Backend& backend) {
    return {{"BACKEND", backend.url()}};
}

}  // namespace ticketgate::test

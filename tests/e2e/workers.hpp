// For the tests of workers that ticketgate starts itself.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {

/// Requests wait for a worker as long as a starved machine takes to start one.
inline std::string workers(const std::string& more, const std::string& queue = {}) {
    return "upstreams: { app: { workers: { command: [\"" TG_TEST_WORKER "\"], " + more +
           ", environment: { TEST_FOLDER: \"${TMP}\", TEST_VARIABLE: given } }, "
           "fastcgi: { root: /app } } }\n"
           "queues: { q: {" +
           queue +
           "} }\n"
           "defaults: { connect_timeout: 1h, upstream: app }\n"
           "routes: [{ prefix: /, routes: [{ prefix: /q, queue: q }] }]\n";
}

/// For requests that are to wait no longer than this time.
inline std::string with_connect_timeout(std::string yaml, const std::string& time) {
    const std::string usual = "connect_timeout: 1h";
    return yaml.replace(yaml.find(usual), usual.size(), "connect_timeout: " + time);
}

inline boost::json::array all_workers(const Gateway& gateway) {
    return boost::json::parse(gateway.admin("/api/v1/workers").body)
        .as_object()
        .at("workers")
        .as_array();
}

inline std::size_t in_state(const Gateway& gateway, std::string_view state) {
    std::size_t count = 0;
    for (const auto& worker : all_workers(gateway))
        count += std::string_view(worker.as_object().at("state").as_string().c_str()) == state;
    return count;
}

inline bool wait_for_state(const Gateway& gateway, std::string_view state, std::size_t count) {
    return eventually([&] { return in_state(gateway, state) == count; });
}

inline std::string field(const std::string& body, const std::string& name) {
    const auto at = ("\n" + body).find("\n" + name + " ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 1;
    return body.substr(begin, body.find('\n', begin) - begin);
}

}  // namespace ticketgate::test

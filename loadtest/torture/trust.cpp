// Group 8: claims of clients about themselves. Only a proxy of clients.trusted_proxies, and only
// as long as it is one, may tell who a client is and which id its request has.

#include <array>
#include <csignal>

#include "scenario.hpp"

namespace loadtest {

namespace {

using namespace std::literals;

constexpr const char* trusted_network = "trusted_proxies: [127.0.0.4]";
constexpr const char* claims =
    "X-Real-IP: 203.0.113.7\r\nClient-IP: 203.0.113.7\r\n"
    "True-Client-IP: 203.0.113.7\r\nx_cluster_client_ip: 203.0.113.7\r\n"
    "CF-Connecting-IP: 203.0.113.7\r\nForwarded: for=203.0.113.7\r\n"
    "X-Original-URL: /free\r\nX-Rewrite-URL: /free\r\n";
constexpr const char* refused_claims =
    "&without=x-real-ip,client-ip,true-client-ip,x-cluster-client-ip,cf-connecting-ip,forwarded,"
    "x-original-url,x-rewrite-url";

// The first bytes of version 2 (PROXY protocol, 2.2).
constexpr std::string_view version_2 = "\r\n\r\n\0\r\nQUIT\n"sv;

struct Speaker {
    const char* name;
    std::string header;
    bool itself = false;  // the connection is the proxy's own
};

std::vector<Speaker> speakers() {
    const auto v2 = [](std::string_view kind, std::size_t size) {
        std::string header{version_2};
        header.append(kind).append(1, '\0').append(1, static_cast<char>(size));
        return header.append(size, '\0');
    };
    return {{"LOCAL", v2("\x20\0"sv, 0), true},
            {"UNKNOWN", "PROXY UNKNOWN\r\n"},
            {"TCP4", "PROXY TCP4 203.0.113.9 127.0.0.3 1024 80\r\n"},
            {"UNSPEC of version 2", v2("\x21\0"sv, 0)},
            {"a datagram", v2("\x21\x12"sv, 12)},
            {"a unix socket", v2("\x21\x31"sv, 216)}};
}

std::string number_of(const Endpoint& endpoint) {
    return endpoint.text.substr(endpoint.text.rfind(':'));
}

// Whether the backend got the id that this client made up.
Task<bool> is_believed(World& world, Held& held, Call call) {
    const std::string id = "claimed-by-the-client-" + std::to_string(world.records.size());
    call.fields += "X-Request-Id: " + id + "\r\n";
    if (!co_await held.run(call)) co_return false;
    const auto seen = co_await id_of(world, held.seq());
    world.expect(!seen.empty(), "a request came without an id");
    co_await held.finish();
    co_return seen == id;
}

Task<> speaks(World& world, const Speaker& speaker, const Endpoint& from) {
    const Door door{resolve("127.0.0.3" + number_of(world.settings.proxy)), speaker.header};
    Held held(world, &from, &door);
    auto call = call_of(Line::one, 0);
    call.fields = speaker.itself ? "" : claims;
    if (!speaker.itself) call.query += refused_claims;
    const bool believed = co_await is_believed(world, held, call);
    world.expect(believed == speaker.itself,
                 std::string(speaker.name) + (believed ? " was believed" : " was not believed"));
}

// A PROXY header that names no client does not make its sender one that is trusted.
Task<> proxy_headers(World& world) {
    const Endpoint proxy = resolve("127.0.0.4:0");
    for (const auto& speaker : speakers()) co_await speaks(world, speaker, proxy);
}

std::string changed(std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Without the trusted network, or with it. The limit of a queue shows when it is in force.
Task<> reload(World& world, bool trusts) {
    constexpr const char* limit = "ticketgate_queue_max_in_flight{queue=\"moving\"}";
    auto text = world.proxy.config();
    if (!trusts) {
        text = changed(text, trusted_network, "trusted_proxies: []");
        text = changed(text, "moving: { max_in_flight: 1 }", "moving: { max_in_flight: 2 }");
    }
    world.proxy.write_config(text);
    world.proxy.signal(SIGHUP);
    if (trusts) co_await metric_falls_to(world, limit, 1);
    if (!trusts) co_await metric_reaches(world, limit, 2);
}

// A kept connection is judged by the configuration in force, request by request.
Task<> trust_reload(World& world) {
    const Endpoint proxy = resolve("127.0.0.4:0");
    Held held(world, &proxy);
    for (std::uint64_t i = 0; i < 4; ++i) {
        const bool trusts = i % 2 == 0;
        co_await reload(world, trusts);
        auto call = call_of(Line::one, 0);
        if (!trusts) call.fields = claims;
        if (!trusts) call.query += refused_claims;
        const bool believed = co_await is_believed(world, held, call);
        world.expect(believed == trusts, trusts ? "a trusted proxy was not believed"
                                                : "a proxy was believed that is no longer trusted");
    }
    co_await reload(world, true);
}

Task<> claim(World& world, std::uint64_t requests) {
    auto call = call_of(Line::one, 200);
    call.fields = claims;
    call.query += refused_claims;
    co_await loyal(world, call, requests);
}

// The backend answers 400, which is wrong, when a claim reaches it.
Task<> claims_of_strangers(World& world) {
    Crew crew;
    for (int i = 0; i < 8; ++i) crew.add(claim(world, world.some(100)));
    co_await crew;
}

}  // namespace

std::span<const Scenario> trust_scenarios() {
    static constexpr std::array<Scenario, 3> all{{
        {"claims", Need::lines, claims_of_strangers},
        {"proxy_headers", Need::lines, proxy_headers},
        {"trust_reload", Need::config, trust_reload},
    }};
    return all;
}

}  // namespace loadtest

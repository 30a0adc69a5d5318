// Group 8: claims of clients about themselves. Only a proxy of clients.trusted_proxies, and only
// as long as it is one, may tell who a client is and which id its request has.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

using namespace std::literals;

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

// A request with these claims, which must not reach the backend: it answers 400 if one does.
Call claiming(Micros work_us) {
    auto call = call_of(Line::one, work_us);
    call.fields = claims;
    call.query += refused_claims;
    return call;
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
    const Door door{beside(world, "127.0.0.3"), speaker.header};
    Held held(world, &from, &door);
    const auto call = speaker.itself ? call_of(Line::one, 0) : claiming(0);
    const bool believed = co_await is_believed(world, held, call);
    world.expect(believed == speaker.itself,
                 std::string(speaker.name) + (believed ? " was believed" : " was not believed"));
}

// A PROXY header that names no client does not make its sender one that is trusted.
Task<> proxy_headers(World& world) {
    const Endpoint proxy = resolve("127.0.0.4:0");
    for (const auto& speaker : speakers()) co_await speaks(world, speaker, proxy);
}

// Without the trusted network, or with it.
Task<> reload(World& world, bool trusts) {
    auto config = world.proxy.config();
    const std::string trusted = "[127.0.0.4]";
    if (!trusts) config.replace(config.find(trusted), trusted.size(), "[]");
    return load(world, std::move(config), trusts ? 1 : 2);
}

// A kept connection is judged by the configuration in force, request by request.
Task<> trust_reload(World& world) {
    const Endpoint proxy = resolve("127.0.0.4:0");
    Held held(world, &proxy);
    for (std::uint64_t i = 0; i < 4; ++i) {
        const bool trusts = i % 2 == 0;
        co_await reload(world, trusts);
        const auto call = trusts ? call_of(Line::one, 0) : claiming(0);
        const bool believed = co_await is_believed(world, held, call);
        world.expect(believed == trusts, trusts ? "a trusted proxy was not believed"
                                                : "a proxy was believed that is no longer trusted");
    }
    co_await reload(world, true);
}

Task<> claims_of_strangers(World& world) {
    return crowd(world, claiming(200), 8, world.some(100));
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

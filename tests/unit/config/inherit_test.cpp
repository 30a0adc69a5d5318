#include "config/inherit.hpp"

#include "loading.hpp"

namespace ticketgate::config {
namespace {

const Mark here{"c.yaml", 7, 3};

template <class T>
void give(Setting<T>& setting, T value) {
    setting = {std::move(value), here};
}

// One row for each setting: what a route says, and the resolved settings if nothing else changes.
struct Row {
    std::string name;
    RouteOverrides overrides;
    Settings expected;
};

std::vector<Row> rows() {
    std::vector<Row> all;
    const auto add = [&](std::string name, auto say, auto expect) {
        Row row{std::move(name), {}, {}};
        say(row.overrides);
        expect(row.expected);
        all.push_back(std::move(row));
    };
    using O = RouteOverrides;
    using S = Settings;
    add(
        "upstream", [](O& o) { give(o.upstream, std::string("b")); },
        [](S& s) { s.upstream = "b"; });
    add(
        "queue", [](O& o) { give(o.queue, std::optional<std::string>("q")); },
        [](S& s) { s.queue = "q"; });
    add(
        "skip_methods", [](O& o) { give(o.skip_methods, {{"GET"}}); },
        [](S& s) { s.skip_methods = {"GET"}; });
    add(
        "method_override", [](O& o) { give(o.method_override, MethodOverride::remove); },
        [](S& s) { s.method_override = MethodOverride::remove; });
    add(
        "wait_timeout", [](O& o) { give(o.wait_timeout, never); },
        [](S& s) { s.wait_timeout = never; });
    add(
        "max_waiting", [](O& o) { give(o.max_waiting, 0u); }, [](S& s) { s.max_waiting = 0; });
    add(
        "client_half_close", [](O& o) { give(o.client_half_close, HalfClose::stay); },
        [](S& s) { s.client_half_close = HalfClose::stay; });
    add(
        "max_body", [](O& o) { give(o.max_body, Bytes{5}); }, [](S& s) { s.max_body = 5; });
    add(
        "body_timeout", [](O& o) { give(o.body_timeout, 1ms); },
        [](S& s) { s.body_timeout = 1ms; });
    add(
        "connect_timeout", [](O& o) { give(o.connect_timeout, 2ms); },
        [](S& s) { s.connect_timeout = 2ms; });
    add(
        "response_timeout", [](O& o) { give(o.response_timeout, 3ms); },
        [](S& s) { s.response_timeout = 3ms; });
    add(
        "response_spool_max", [](O& o) { give(o.response_spool_max, Bytes{6}); },
        [](S& s) { s.response_spool_max = 6; });
    add(
        "server_timing", [](O& o) { give(o.server_timing, false); },
        [](S& s) { s.server_timing = false; });
    add(
        "tunnel", [](O& o) { give(o.tunnel, Tunnel::hold); },
        [](S& s) { s.tunnel = Tunnel::hold; });
    add(
        "body_min_rate", [](O& o) { give(o.body_min_rate, Bytes{9}); },
        [](S& s) { s.body_min_rate = 9; });
    add(
        "tunnel_timeout", [](O& o) { give(o.tunnel_timeout, 7ms); },
        [](S& s) { s.tunnel_timeout = 7ms; });
    add(
        "upgrades", [](O& o) { give(o.upgrades, std::vector<std::string>{"tls/1.0"}); },
        [](S& s) { s.upgrades = {"tls/1.0"}; });
    const std::vector<std::tuple<std::string, AnswerOverrides O::*, Answer S::*>> answers{
        {"on_full", &O::on_full, &S::on_full},
        {"on_wait_timeout", &O::on_wait_timeout, &S::on_wait_timeout},
        {"on_backend_error", &O::on_backend_error, &S::on_backend_error}};
    for (const auto& [name, said, seen] : answers) {
        add(
            name + ".status", [&](O& o) { give((o.*said).status, std::uint16_t{599}); },
            [&](S& s) {
                (s.*seen).status = 599;
                s.on_backend_error_status_set = name == "on_backend_error";
            });
        add(
            name + ".content_type", [&](O& o) { give((o.*said).content_type, std::string("a/b")); },
            [&](S& s) { (s.*seen).content_type = "a/b"; });
        add(
            name + ".body", [&](O& o) { give((o.*said).body, std::optional<SharedText>("x")); },
            [&](S& s) { (s.*seen).body = "x"; });
        add(
            name + ".headers",
            [&](O& o) {
                give((o.*said).headers, Headers{{"A", "b"}});
            },
            [&](S& s) {
                (s.*seen).headers = {{"A", "b"}};
            });
    }
    const std::vector<std::tuple<std::string, IdOverrides IdsOverrides::*, Id Ids::*>> ids{
        {"ids.request_id", &IdsOverrides::request_id, &Ids::request_id},
        {"ids.unique_id", &IdsOverrides::unique_id, &Ids::unique_id}};
    for (const auto& [name, said, seen] : ids) {
        add(
            name + ".headers",
            [&](O& o) { give((o.ids.*said).headers, std::vector<std::string>{"X-A"}); },
            [&](S& s) { (s.ids.*seen).headers = {"X-A"}; });
        add(
            name + ".format", [&](O& o) { give((o.ids.*said).format, IdFormat::ulid); },
            [&](S& s) { (s.ids.*seen).format = IdFormat::ulid; });
        add(
            name + ".policy", [&](O& o) { give((o.ids.*said).policy, IdPolicy::disable); },
            [&](S& s) { (s.ids.*seen).policy = IdPolicy::disable; });
    }
    return all;
}

TEST(Inherit, EachSettingByItself) {
    for (const Row& row : rows())
        EXPECT_EQ(resolve(Settings{}, row.overrides), row.expected) << row.name;
}

TEST(Inherit, KnowsEverySettingThereIs) {
    const auto known = rows();
    const auto origins = built_in_origins();
    ASSERT_EQ(origins.size(), known.size());
    for (const Origin& origin : origins) {
        const auto row = std::find_if(known.begin(), known.end(),
                                      [&](const Row& r) { return r.name == origin.name; });
        ASSERT_NE(row, known.end()) << origin.name;
        for (const Origin& merged : resolve(origins, row->overrides))
            EXPECT_EQ(merged.mark, merged.name == row->name ? here : Mark{}) << row->name;
    }
}

TEST(Inherit, NothingSaidChangesNothing) {
    Settings parent;
    for (const Row& row : rows()) parent = resolve(parent, row.overrides);
    EXPECT_EQ(resolve(parent, RouteOverrides{}), parent);
    EXPECT_NE(parent, Settings{});
}

TEST(Inherit, LastOneWins) {
    RouteOverrides outer, inner;
    give(outer.wait_timeout, 10ms);
    give(outer.max_waiting, 5u);
    give(inner.wait_timeout, 20ms);
    const auto merged = resolve(resolve(Settings{}, outer), inner);
    EXPECT_EQ(merged.wait_timeout, 20ms);
    EXPECT_EQ(merged.max_waiting, 5u);
}

TEST(Inherit, OffAndTheDefaultBodyAreValuesToo) {
    Settings parent;
    parent.queue = "q";
    parent.on_full.body = "busy";
    RouteOverrides child;
    give(child.queue, std::optional<std::string>{});
    give(child.on_full.body, std::optional<SharedText>{});
    const auto merged = resolve(parent, child);
    EXPECT_EQ(merged.queue, std::nullopt);
    EXPECT_EQ(merged.on_full.body, std::nullopt);
}

TEST(Inherit, AStatusSetOnceStaysSetFurtherIn) {
    RouteOverrides outer, inner;
    give(outer.on_backend_error.status, std::uint16_t{500});
    give(inner.on_backend_error.content_type, std::string("text/plain"));
    EXPECT_FALSE(resolve(Settings{}, inner).on_backend_error_status_set);
    EXPECT_TRUE(resolve(resolve(Settings{}, outer), inner).on_backend_error_status_set);
}

}  // namespace
}  // namespace ticketgate::config

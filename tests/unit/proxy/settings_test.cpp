// The settings that each part gets from the config.
#include "proxy/settings.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

TEST(GateSettings, HaveEverySettingOfTheQueue) {
    config::Queue queue;
    EXPECT_EQ(gate_settings(queue).limits.order, queue::Order::ready);
    EXPECT_EQ(gate_settings(queue).on_hold_timeout, OnHoldTimeout::keep);
    EXPECT_FALSE(gate_settings(queue).worker_idle);
    queue = {.max_in_flight = 3,
             .order = config::Order::arrival,
             .hold_timeout = 7s,
             .on_hold_timeout = config::OnHoldTimeout::release,
             .release = config::Release::worker_idle};
    const GateSettings settings = gate_settings(queue);
    EXPECT_EQ(settings.limits.max_in_flight, 3u);
    EXPECT_EQ(settings.limits.order, queue::Order::arrival);
    EXPECT_EQ(settings.hold_timeout, 7s);
    EXPECT_EQ(settings.on_hold_timeout, OnHoldTimeout::release);
    EXPECT_TRUE(settings.worker_idle);
}

// Like nginx's $proxy_host.
TEST(UpstreamSettings, TheAuthorityNamesAPortUnlessItIsTheDefault) {
    const auto authority = [](const std::string& host, std::uint16_t port, bool https = false) {
        config::Upstream upstream;
        upstream.host = host;
        upstream.port = port;
        upstream.https = https;
        return upstream_settings(upstream).authority;
    };
    EXPECT_EQ(authority("app", 80), "app");
    EXPECT_EQ(authority("app", 443), "app:443");
    EXPECT_EQ(authority("app", 443, true), "app");
    EXPECT_EQ(authority("::1", 8000), "[::1]:8000");
    config::Upstream local;
    local.unix_path = "/run/app.sock";
    EXPECT_EQ(upstream_settings(local).authority, "localhost");
}

TEST(UpstreamSettings, HaveEverySettingOfTheUpstream) {
    config::Upstream upstream;
    upstream.unix_path = "/run/app.sock";
    upstream.max_idle = 5;
    upstream.idle_timeout = 3s;
    upstream.max_head = 1000;
    upstream.max_headers = 10;
    const UpstreamSettings settings = upstream_settings(upstream);
    EXPECT_EQ(settings.unix_path, "/run/app.sock");
    EXPECT_EQ(settings.max_idle, 5u);
    EXPECT_EQ(settings.idle_timeout, 3s);
    EXPECT_EQ(settings.head_limits.max_head, 1000u);
    EXPECT_EQ(settings.head_limits.max_headers, 10u);
}

TEST(FcgiSettings, HaveEverySettingOfFastcgi) {
    config::Fcgi fcgi;
    EXPECT_EQ(fcgi_settings(fcgi).scripts.front, "/index.php");
    EXPECT_FALSE(fcgi_settings(fcgi).status);
    fcgi.root = "/app";
    fcgi.script = std::nullopt;
    fcgi.keep_alive = true;
    fcgi.status.emplace().port = 9001;
    fcgi.status->path = "/fpm";
    const FcgiSettings settings = fcgi_settings(fcgi);
    EXPECT_EQ(settings.scripts.root, "/app");
    EXPECT_EQ(settings.scripts.front, "");
    EXPECT_TRUE(settings.keep_alive);
    EXPECT_EQ(settings.status->port, 9001);
    EXPECT_EQ(settings.status_path, "/fpm");
}

}  // namespace
}  // namespace ticketgate

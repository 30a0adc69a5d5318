#include "app/certificates.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace ticketgate {
namespace {

// The timer does not follow a clock that is set.
constexpr seconds longest_look = std::chrono::hours(1), shortest_look = 1s;

auto key_of(const Certificates::Certificate& one) {
    return std::tuple(one.listener, one.subject, one.expires.unix_s());
}

}  // namespace

Certificates::Certificates(Control& control, Log& log, metrics::Registry& metrics)
    : log_(log), metrics_(metrics), next_look_(control.io()) {}

Certificates::~Certificates() {
    hide();
}

void Certificates::serve(std::vector<Certificate> all) {
    served_ = std::move(all);
    std::set<decltype(key_of(Certificate()))> keys;
    for (const auto& one : served_) keys.insert(key_of(one));
    std::erase_if(told_, [&](const auto& key) { return !keys.contains(key); });
    hide();
    show();
    tell_ended();
}

// A listener may serve two of one subject, one for each kind of key: the first to end counts.
void Certificates::show() {
    std::map<std::pair<std::string, std::string>, std::int64_t> ends;
    for (const auto& one : served_) {
        const auto end = one.expires.unix_s();
        const auto [at, first] = ends.emplace(std::pair(one.listener, one.subject), end);
        at->second = std::min(at->second, end);
    }
    for (const auto& [name, end] : ends)
        gauges_.add(metrics_.gauge_fn(
            "ticketgate_tls_certificate_expiry_timestamp_seconds",
            "When a certificate that a listener serves, or one of its chain or client_ca, ends.",
            {{"listener", name.first}, {"subject", name.second}},
            [end = static_cast<double>(end)] { return end; }));
}

void Certificates::hide() {
    gauges_.clear();
}

void Certificates::tell_ended() {
    const WallTime now = wall_now();
    for (const auto& one : served_)
        if (one.expires.unix_s() <= now.unix_s() && told_.insert(key_of(one)).second)
            log_.warn("a TLS certificate has ended; handshakes with it fail until it is renewed",
                      {{"listener", one.listener},
                       {"subject", one.subject},
                       {"ended", one.ends.empty() ? one.subject : one.ends}});
    look_later(now);
}

void Certificates::look_later(WallTime now) {
    seconds wait = longest_look;
    for (const auto& one : served_)
        if (one.expires.unix_s() > now.unix_s())
            wait = std::min(wait, seconds(one.expires.unix_s() - now.unix_s()) + shortest_look);
    if (served_.empty()) return;
    next_look_.expires_after(std::max(wait, shortest_look));
    next_look_.async_wait([this](const error_code& error) {
        if (!error) tell_ended();
    });
}

}  // namespace ticketgate

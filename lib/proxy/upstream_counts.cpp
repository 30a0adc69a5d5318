#include "proxy/upstream_counts.hpp"

#include <algorithm>
#include <cerrno>

namespace ticketgate {
namespace {

struct Reason {
    const char* name;
    errc failure;
    int refusal = 0;  // 0: any
};
// The first matching row applies; the last is for all other errors.
constexpr std::array<Reason, UpstreamCounts::reasons> rows{{
    {"refused", errc::upstream_refused, ECONNREFUSED},
    {"no_socket", errc::upstream_refused, ENOENT},
    {"permission", errc::upstream_refused, EACCES},
    {"not_connected", errc::upstream_refused},
    {"tls", errc::upstream_untrusted},
    {"connect_timeout", errc::upstream_connect_timeout},
    {"ended_early", errc::upstream_broke},
    {"bad_response", errc::upstream_bad_response},
    {"timeout", errc::upstream_timeout},
    {"overloaded", errc::upstream_overloaded},
    {"other", errc::upstream_lost},
}};

}  // namespace

UpstreamCounts::UpstreamCounts(metrics::Registry& registry, const std::string& upstream)
    : series_(registry) {
    const auto show = [&](const char* name, const char* help, metrics::Labels labels,
                          const Count& count) {
        labels.emplace_back("upstream", upstream);
        series_.add(registry.counter_fn(name, help, std::move(labels), [&count] {
            return double(count.load(std::memory_order_relaxed));
        }));
    };
    show("ticketgate_upstream_requests_total",
         "Requests for the backend, also those that it refused.", {}, requests_);
    for (std::size_t i = 0; i < reasons; ++i)
        show("ticketgate_upstream_errors_total",
             "Exchanges that a backend refused, broke or did not answer.",
             {{"reason", rows[i].name}}, errors_[i]);
}

void UpstreamCounts::failed(error_code failure, int refusal) noexcept {
    const auto fits = [&](const Reason& row) {
        return failure == row.failure && (row.refusal == 0 || row.refusal == refusal);
    };
    const auto found = std::ranges::find_if(rows, fits);
    const auto index = std::min<std::ptrdiff_t>(found - rows.begin(), rows.size() - 1);
    errors_[static_cast<std::size_t>(index)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace ticketgate

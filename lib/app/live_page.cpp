#include "app/live_page.hpp"

#include <algorithm>

#include "admin/live_view.hpp"
#include "admin/pages.hpp"
#include "admin/print_json.hpp"
#include "net/certificate.hpp"

namespace ticketgate {

namespace json = boost::json;

namespace {

// Most listeners have no name.
std::string listener_text(std::string_view name, const net::Endpoint& at) {
    return name.empty() ? at.text() : std::string(name) + ", " + at.text();
}

admin::Standing::Certificate served(const std::string& listener, const net::KeyPair& pair) {
    const X509& first = net::first_to_end(pair);
    const bool itself = &first == pair.leaf();
    return {listener, net::subject_of(*pair.leaf()), net::expiry_of(first),
            net::begin_of(*pair.leaf()), itself ? "" : net::subject_of(first)};
}

}  // namespace

std::vector<admin::Standing::Certificate> served_certificates(
    const Snapshot& snapshot, const std::vector<net::Endpoint>& listeners, bool clustered) {
    std::vector<admin::Standing::Certificate> all;
    for (std::size_t i = 0; i < listeners.size(); ++i) {
        const auto tls = snapshot.tls(i);
        if (tls == nullptr) continue;
        const bool of_replicas = clustered && i + 1 == listeners.size();
        const auto name = of_replicas ? "cluster.peer" : snapshot.listener_name(i);
        const auto listener = listener_text(name, listeners[i]);
        for (const auto& pair : tls->pairs()) all.push_back(served(listener, pair));
        for (const auto& one : tls->authorities())
            all.push_back({listener, "client_ca: " + net::subject_of(*one), net::expiry_of(*one),
                           net::begin_of(*one)});
    }
    std::ranges::sort(all, {}, [](const auto& one) { return one.expires.unix_us; });
    return all;
}

std::shared_ptr<admin::Live> make_live(Control& control, std::size_t most_viewers,
                                       const GateRegistry& gates, PageSources from) {
    admin::Live::Sources sources;
    sources.picture = [&gates, from = std::move(from)](std::size_t viewers) {
        const auto shown = admin::shown_queues(gates);
        return admin::live_view(gates, shown,
                                {.standing = from.standing(),
                                 .pools = from.pools(),
                                 .upstreams = from.upstreams(),
                                 .viewers = viewers,
                                 .elsewhere = from.elsewhere,
                                 .cluster = from.cluster ? from.cluster(shown) : json::object()},
                                wall_now());
    };
    sources.readings = [&gates] {
        std::vector<admin::History::Reading> readings;
        gates.for_each([&](const Gate& gate) { readings.push_back({gate.name(), gate.counts()}); });
        return readings;
    };
    sources.history = [&gates](const admin::History& history) {
        return admin::print_json(history.of(admin::shown_queues(gates)));
    };
    return std::make_shared<admin::Live>(control.io(), most_viewers, std::move(sources));
}

std::unique_ptr<admin::Events> watch(admin::Live& live, const admin::HttpRequest& request) {
    return admin::asks_for_events(request) ? live.watch() : nullptr;
}

}  // namespace ticketgate

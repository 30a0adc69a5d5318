#include "proxy/routing.hpp"

#include <algorithm>

#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "proxy/method_override.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view two_paths = "a path that servers read in ways with different routes",
                           two_methods =
                               "methods, of which each has a queue or upstream of its own",
                           two_headers = "a header that servers read in ways with different routes",
                           coded_host = "a Host with a percent code",
                           odd_ipv6 =
                               "a Host with an IPv6 address that is not in its usual spelling";

using Match = config::RouteIndex::Match;

// Frameworks compare methods in capitals.
bool has_small_letters(std::string_view method) {
    return std::ranges::any_of(method, [](char c) { return c >= 'a' && c <= 'z'; });
}

class Search {
 public:
    Search(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
           std::string_view path, std::string_view normal)
        : snapshot_(snapshot), head_(head), path_(path), facts_(head, peer) {
        asked_ = {.path = normal,
                  .host = head.host,
                  .method = head.method,
                  .listener = snapshot.listener_name(peer.listener),
                  .circumstances = &facts_};
    }

    Routed run() {
        const config::RouteIndex& index = snapshot_.index();
        if (index.has_hosts() && head_.host.find('%') != std::string_view::npos)
            return {.route = nullptr, .complaint = coded_host};
        if (index.has_hosts() && !config::usual_spelling(head_.host))
            return {.route = nullptr, .complaint = odd_ipv6};
        const Match match = index.match(asked_);
        Routed found{.route = snapshot_.find(match)};
        if (match.unclear) found.complaint = two_headers;
        if (path_ != asked_.path && other_route(index, path_, asked_, match))
            found.complaint = two_paths;
        if (!match.matched() && index.has_hosts())
            found.misdirected = !index.names_host(head_.host);
        if (found.route != nullptr && found.complaint.empty() && !index.methods().empty())
            look_at_methods(match, found);
        return found;
    }

 private:
    // A server may run the request as one with any other method. If one of these has a queue, the
    // request goes by its route; if they lead to several, it is refused.
    void look_at_methods(const Match& match, Routed& found) {
        if (!has_small_letters(head_.method) &&
            !names_another_method(head_, found.route->settings.method_override,
                                  snapshot_.method_names))
            return;
        look_at(match, "", found);
        for (const auto& method : snapshot_.index().methods()) look_at(match, method, found);
    }

    void look_at(const Match& match, std::string_view method, Routed& found) {
        config::Asked asked = asked_;
        asked.method = method;
        const Match other = snapshot_.index().match(asked);
        if (!found.complaint.empty() || other == match || !other.matched()) return;
        auto route = snapshot_.find(other);
        const bool goes_elsewhere = route->upstream != found.route->upstream;
        const bool two_queues =
            route->gate && found.route->gate && route->gate != found.route->gate;
        if (other.unclear || goes_elsewhere || two_queues)
            found.complaint = two_methods;
        else if (!found.route->gate)
            found.route = std::move(route);
    }

    const Snapshot& snapshot_;
    const http::RequestHead& head_;
    const std::string_view path_;
    const HeadCircumstances facts_;
    config::Asked asked_;
};

}  // namespace

const config::HeaderReadings& HeadCircumstances::header(std::string_view name) const {
    const auto known = known_.find(name);
    return known != known_.end() ? known->second : known_.emplace(name, read(name)).first->second;
}

config::HeaderReadings HeadCircumstances::read(std::string_view name) const {
    if (head_.names_hop_fields && !options_) options_.emplace(head_.fields);
    config::HeaderReadings readings;
    const auto cgi = http::cgi_name(name);
    for (const auto& field : head_.fields) {
        if (!http::same_cgi_name(field.name, cgi)) continue;
        readings.values.push_back(field.value);
        if (!iequals(field.name, name) || (options_ && options_->names(field)))
            readings.may_be_absent = true;
    }
    return readings;
}

Routed route_of(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                std::string_view path, std::string_view normal) {
    return Search(snapshot, head, peer, path, normal).run();
}

}  // namespace ticketgate

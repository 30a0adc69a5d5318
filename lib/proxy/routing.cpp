#include "proxy/routing.hpp"

#include <algorithm>
#include <iterator>

#include "config/front_controller.hpp"
#include "files/names.hpp"
#include "http/target.hpp"
#include "proxy/head_circumstances.hpp"
#include "proxy/method_override.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view no_normal_form = "a path that has no normal form",
                           two_paths = "a path that servers read in ways with different routes",
                           two_methods =
                               "methods, of which each has a queue or upstream of its own",
                           unusual_name = "a field name that CGI servers fold",
                           two_headers = "a header that servers read in ways with different routes",
                           coded_host = "a Host with a percent code",
                           other_line = "a folder whose script has another queue or upstream",
                           other_page =
                               "a page of a front controller whose path with or without the "
                               "script has another queue or upstream",
                           odd_script =
                               "the file name of a front controller at an unusual place, or in "
                               "other letters",
                           odd_ipv6 =
                               "a Host with an IPv6 address that is not in its usual spelling";

using Match = config::RouteIndex::Match;

// Frameworks compare methods in capitals.
bool has_small_letters(std::string_view method) {
    return std::ranges::any_of(method, [](char c) { return c >= 'a' && c <= 'z'; });
}

// True: the server runs the script that the path names. An HTTP server is taken for one that does.
bool names_script(const Route& route, std::string_view path) {
    return (!route.scripts || route.runs_named_scripts) && files::script_end(path) != path.npos;
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

    /// Do these routes alone apply, whatever the method? Then run() says of the request what was
    /// said of another one with these routes.
    bool leads_to(const Match& match) const {
        return snapshot_.index().methods().empty() && snapshot_.index().match(asked_) == match;
    }

    Routed run() {
        const config::RouteIndex& index = snapshot_.index();
        Routed found;
        if (index.has_hosts() && head_.host.find('%') != std::string_view::npos)
            found.complaint = coded_host;
        else if (index.has_hosts() && !config::usual_spelling(head_.host))
            found.complaint = odd_ipv6;
        else
            look_at_routes(found);
        if (found.complaint.empty() && snapshot_.refuses_names_of(head_))
            found.complaint = unusual_name;
        found.failure = found.complaint.empty() ? failure(found.route.get()) : errc::bad_request;
        if (found.route) found.queues = queues(*found.route);
        return found;
    }

 private:
    void look_at_routes(Routed& found) {
        const config::RouteIndex& index = snapshot_.index();
        found.match = index.match(asked_);
        found.route = snapshot_.find(found.match);
        if (found.match.unclear) found.complaint = two_headers;
        if (path_ != asked_.path && other_route(index, path_, asked_, found.match))
            found.complaint = two_paths;
        if (found.route == nullptr || !found.complaint.empty()) return;
        if (!http::is_read_alike(path_, asked_.path)) look_at_verbatim(found);
        if (found.complaint.empty() && !index.methods().empty()) look_at_methods(found);
    }

    // The application may not resolve the path. If it is queued as it came, the request goes by
    // that route; to be queued for nothing does no harm. If it has two queues, it is refused; but
    // repeated slashes alone are one (CONTRACT 6).
    void look_at_verbatim(Routed& found) {
        for (const auto& other : http::verbatim_readings(path_))
            look_as(other, other.find("//") != other.npos, found);
        // The server looks for the script in the path, and sees no host there.
        const bool named = names_script(*found.route, asked_.path);
        for (const auto& other : http::readings_behind_host(path_))
            look_as(other, named || other == "/", found);
    }

    // If `yields`, the queue of the path itself decides.
    void look_as(const std::string& other, bool yields, Routed& found) {
        if (!found.complaint.empty()) return;
        config::Asked asked = asked_;
        asked.path = other;
        const Match match = snapshot_.index().match(asked);
        if (!match.matched() || snapshot_.index().same(match, found.match)) return;
        auto route = snapshot_.find(match);
        if (!snapshot_.queues(*route, head_)) return;
        const config::Settings &its = route->settings, &first = found.route->settings;
        const bool queued = snapshot_.queues(*found.route, head_);
        if (queued && (its.queue == first.queue || yields)) return;
        if (match.unclear || queued || its.upstream != first.upstream) {
            found.complaint = two_paths;
            return;
        }
        found.route = std::move(route);
        found.match = match;
        found.read_as = other;
    }

    // A request that names another method may be a write, so it is queued also if it asks for a
    // tunnel.
    bool queues(const Route& route) const {
        const config::Settings& its = route.settings;
        return snapshot_.queues(route, head_) &&
               (!bypasses(head_, its, route.upgrades) ||
                names_another_method(head_, its.method_override, snapshot_.method_names));
    }

    error_code failure(const Route* route) const {
        const config::RouteIndex& index = snapshot_.index();
        if (route == nullptr && index.has_hosts() && !index.names_host(head_.host))
            return errc::misdirected;
        if (route == nullptr || route->settings.upstream.empty()) return errc::no_route;
        if (head_.framing == http::Framing::length &&
            head_.content_length > route->settings.max_body)
            return errc::body_too_large;
        return {};
    }

    // A server may run the request as one with any other method. If one of these has a queue, the
    // request goes by its route; if they lead to several, it is refused.
    void look_at_methods(Routed& found) {
        if (!has_small_letters(head_.method) &&
            !names_another_method(head_, found.route->settings.method_override,
                                  snapshot_.method_names))
            return;
        const Match match = found.match;
        look_at(match, "", found);
        for (const auto& method : snapshot_.index().methods()) look_at(match, method, found);
    }

    void look_at(const Match& match, std::string_view method, Routed& found) {
        config::Asked asked = asked_;
        asked.method = method;
        const Match other = snapshot_.index().match(asked);
        if (!found.complaint.empty() || other == match || !other.matched()) return;
        auto route = snapshot_.find(other);
        const config::Settings &its = route->settings, &first = found.route->settings;
        const bool two_queues = its.queue && first.queue && its.queue != first.queue;
        if (other.unclear || its.upstream != first.upstream || two_queues) {
            found.complaint = two_methods;
        } else if (!first.queue) {
            found.route = std::move(route);
            found.match = other;
        }
    }

    const Snapshot& snapshot_;
    const http::RequestHead& head_;
    const std::string_view path_;
    const HeadCircumstances facts_;
    config::Asked asked_;
};

// The other paths that the application of a front controller may take for the request's: a page
// that has a queue under one of them keeps it under all.
class Pages {
 public:
    Pages(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
          std::string_view path, std::string_view normal)
        : snapshot_(snapshot), head_(head), peer_(peer), path_(path), normal_(normal) {}

    void run(Routed& found) {
        if (found.failure || !found.route->scripts) return;
        own_ = found.route;
        std::vector<std::string> others;
        const auto add = [&](std::vector<std::string> readings) {
            std::ranges::move(readings, std::back_inserter(others));
        };
        if (!http::is_read_alike(path_, normal_)) {
            add(http::other_readings(path_));
            add(http::verbatim_readings(path_));
            if (!names_script(*own_, normal_)) add(http::readings_behind_host(path_));
        }
        look_at_page(normal_, found);
        for (const auto& other : others) look_at_page(other, found);
    }

 private:
    void look_at_page(std::string_view path, Routed& found) {
        for (const auto& front : snapshot_.front_controllers()) {
            if (front.divided) refuse_odd(front, path, found);
            if (!runs(front) && !path.starts_with(front.script)) continue;
            look_without_script(front, path, found);
            look_behind_script(front, {std::string(path)}, found);
        }
    }

    // Does the request run this script, unless it names another one?
    bool runs(const FrontController& front) const { return own_->runs(front.script); }

    void look_without_script(const FrontController& front, std::string_view path, Routed& found) {
        if (front.routed && path == front.script && names(found, front.script)) return;
        for (const auto& spelling : config::other_spellings(front.script, path))
            look_at_spelling(front, spelling, found);
    }

    void look_at_spelling(const FrontController& front, const config::Spelling& spelling,
                          Routed& found) {
        look(front.script, spelling, found);
        look_behind_script(front, spelling, found);
    }

    // Each framework finds another page in such a path, so ticketgate looks for none.
    void refuse_odd(const FrontController& front, std::string_view path, Routed& found) const {
        if (path.find("//") != path.npos) return;  // it is looked at with joined slashes, too
        const bool may_run =
            path.starts_with(front.script) || (runs(front) && !names_script(*own_, path));
        if (may_run && !found.failure && config::has_odd_name(front.script, path))
            refuse(found, odd_script);
    }

    // `/admin` of a route for `/index.php/admin`; `/app/admin` and `/admin` of one for
    // `/app/index.php/admin`.
    void look_behind_script(const FrontController& front, const config::Spelling& spelling,
                            Routed& found) {
        const auto& [path, certain] = spelling;
        if (!front.routes_below || !path.starts_with('/') || names_script(*own_, path)) return;
        const std::string &script = front.script, below = script + "/";
        look(script, {script + path, certain}, found, below);
        const auto folder = script.substr(0, script.rfind('/') + 1);
        if (folder != "/" && path.starts_with(folder))
            look(script, {script + path.substr(folder.size() - 1), certain}, found, below);
    }

    // Does a route name the script itself? Its own path then decides.
    bool names(const Routed& found, std::string_view script) const {
        return std::ranges::any_of(snapshot_.index().routes(found.match),
                                   [&](const auto* node) { return node->prefix == script; });
    }

    // `below`: only routes of such prefixes count.
    void look(std::string_view script, const config::Spelling& spelling, Routed& found,
              std::string_view below = {}) {
        if (found.failure) return;
        Search search(snapshot_, head_, peer_, spelling.path, spelling.path);
        if (search.leads_to(found.match)) return;
        Routed its = search.run();
        if (!its.complaint.empty() && spelling.certain) return refuse(found, its.complaint);
        if (!its.queues || (!below.empty() && !reaches(its, below))) return;
        const config::Settings &own = found.route->settings, &other = its.route->settings;
        const bool one_upstream = own.upstream == other.upstream;
        if (found.queues && own.queue == other.queue) return;
        const bool runs_there = one_upstream && its.route->runs(script);
        if (!runs_there && !spelling.certain) return;
        if (found.queues || !one_upstream) return refuse(found, other_page);
        found = std::move(its);
        found.read_as = spelling.path;
    }

    static void refuse(Routed& found, std::string_view why) {
        found.failure = errc::bad_request;
        found.complaint = why;
    }

    bool reaches(const Routed& its, std::string_view below) const {
        return std::ranges::any_of(snapshot_.index().routes(its.match), [&](const auto* node) {
            return node->prefix.starts_with(below);
        });
    }

    const Snapshot& snapshot_;
    const http::RequestHead& head_;
    const Peer& peer_;
    const std::string_view path_, normal_;
    std::shared_ptr<const Route> own_;  // the request's
};

}  // namespace

Routed route_of(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                std::string& normal) {
    const auto path = http::path_of(head.target);
    Routed refused;
    if (head.max_forwards == 0) {
        refused.failure = errc::last_hop;
        return refused;
    }
    if (http::normalise_path(path, normal)) {
        Routed found = Search(snapshot, head, peer, path, normal).run();
        if (!snapshot.front_controllers().empty())
            Pages(snapshot, head, peer, path, normal).run(found);
        return found;
    }
    refused.failure = errc::bad_request;
    refused.complaint = no_normal_form;
    return refused;
}

Routed with_script(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                   Routed found, std::string_view script) {
    std::string normal;
    if (!http::normalise_path(files::encoded_path(script), normal)) {
        found.failure = errc::bad_request;
        return found;
    }
    Routed its = Search(snapshot, head, peer, normal, normal).run();
    if (its.failure) return its;
    const config::Settings &own = found.route->settings, &other = its.route->settings;
    const bool two_queues = found.queues && its.queues && own.queue != other.queue;
    if (own.upstream != other.upstream || two_queues) {
        found.failure = errc::bad_request;
        found.complaint = other_line;
        return found;
    }
    return found.queues || !its.queues ? found : its;
}

}  // namespace ticketgate

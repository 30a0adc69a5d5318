// Warns about scripts with several paths: PHP servers run one script for `/a.php` and `/a.php/more`
// (PATH_INFO), or `/` and its index.php. A queue with only some of them excludes nothing.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/front_controller.hpp"
#include "config/regex_reach.hpp"
#include "config/regex_sample.hpp"
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array<std::string_view, 4> writes{"POST", "PUT", "PATCH", "DELETE"};

class Scripts {
 public:
    Scripts(const Config& config, const RouteIndex& index, Problems& problems)
        : config_(config), problems_(problems), index_(index) {}

    void look_at(std::size_t i) {
        const RouteNode& route = config_.routes[i];
        const auto& queue = route.overrides.queue;
        const Conditions* const when = index_.conditions(i);
        if (when == nullptr) return;
        when_ = when;
        if (queue.given() && route.is_regex())
            reach_ = RegexReach(config_, route, outer(route),
                                [&](const std::string& path) { return applies(route, path); });
        if (!queue.given() && route.overrides.skip_methods.given()) look_for_folder(route);
        if (!queue.given()) return;
        if (*queue.value) {
            look_for_bypass(route);
            look_for_more(route);
            look_for_folder(route);
            look_for_slash(route);
            look_for_script_before(route);
            if (script_of(route).empty()) look_for_half(route);
        } else {
            look_for_bypass(route);
            if (!look_for_scripts(route)) look_for_half(route);
            look_for_index(route);
            if (!look_for_front_controller(route)) look_for_writes(route);
        }
    }

 private:
    RouteIndex::Match match(std::string_view path, std::string_view method) const {
        return index_.match_as(*when_, path, method);
    }
    RouteIndex::Match match(std::string_view path) const { return index_.match_as(*when_, path); }
    Settings at(std::string_view path) const { return index_.resolve(match(path)); }
    bool queues(std::string_view path, std::string_view method) const {
        const auto found = match(path, method);
        if (!found.matched()) return false;
        const Settings settings = index_.resolve(found);
        return settings.queue &&
               std::ranges::find(settings.skip_methods, method) == settings.skip_methods.end();
    }

    void warn(const RouteNode& route, const std::string& why) {
        problems_.warn(route.mark, route.path + (route.is_regex() ? ".regex" : ".prefix"), why);
    }

    void look_for_more(const RouteNode& route) {
        if (route.regex.ends_with("php$"))
            warn(route,
                 "does not match /script.php/more, which runs the same script, unqueued; end it "
                 "with php(/|$)");
    }

    // Which script FastCGI runs is known: proxy/routing gives its paths one queue.
    bool has_unknown_scripts(const Settings& its) const {
        const auto found = config_.upstreams.find(its.upstream);
        return found != config_.upstreams.end() && !found->second.fcgi;
    }

    // Then the folder's requests stand in the queue of the script, too.
    static bool finds_index(const Files& files) {
        return !files.root.empty() && std::ranges::count(files.tries, "path/") != 0 &&
               std::ranges::count(files.index, "index.php") != 0;
    }

    // Returns the script of this route that servers run for other paths, too; empty: none is known.
    std::string script_of(const RouteNode& route) const {
        if (!route.is_regex()) return route.prefix.ends_with(".php") ? route.prefix : "";
        for (const auto& script :
             {front_controller(config_, at(outer(route) + "/a")), outer(route) + "/index.php"})
            if (!script.empty() && applies(route, script)) return script;
        return {};
    }

    // Returns `path`, or `GET path`, if a request for it stands in another queue than one for the
    // script; empty: it does not, or no route leads there.
    std::string unlike(const std::string& script, const std::string& path) const {
        if (!match(path).matched()) return {};
        if (at(path).queue != at(script).queue) return path;
        for (const std::string_view method : {"GET", "POST"})
            if (match(path, method).matched() && queues(path, method) != queues(script, method))
                return std::string(method) + " " + path;
        return {};
    }

    void look_for_folder(const RouteNode& route) {
        const auto script = script_of(route);
        if (script.empty() || !at(script).queue) return;
        const auto folder = folder_of(script);
        const Settings other = at(folder + "a");
        const auto beside = unlike(script, folder + "a");
        if (front_controller(config_, other) == script && !beside.empty())
            return warn(route, "upstream " + other.upstream + " runs " + script +
                                   " for every path that names no script, and " + beside +
                                   " is not in its queue; give the queue to prefix: " + folder);
        const auto own = unlike(script, folder);
        if (!script.ends_with("/index.php") || own.empty() || finds_index(at(folder).files)) return;
        warn(route, "most servers run " + script + " for " + folder + " as well, and " + own +
                        " is not in its queue; give that a route, such as regex: ^" + folder +
                        "$, or, where the "
                        "server hands paths without a file to it, give the queue to prefix: " +
                        folder);
    }

    // `/cart/` does not match `/cart`, but most servers run the same script for both.
    void look_for_slash(const RouteNode& route) {
        if (route.prefix.size() < 2 || !route.prefix.ends_with('/')) return;
        const auto bare = route.prefix.substr(0, route.prefix.size() - 1);
        if (at(bare).queue == at(route.prefix).queue) return;
        warn(route, "does not match " + bare + ", which is not in its queue; write prefix: " +
                        bare + ", which also matches " + route.prefix + " and all below it");
    }

    // The scripts of an HTTP backend are not known: this check takes their usual name.
    void look_for_script_before(const RouteNode& route) {
        const Settings settings = at(route.prefix);
        if (route.is_regex() || route.prefix == "/" || !has_unknown_scripts(settings)) return;
        constexpr std::string_view usual = "/index.php";
        const auto at_script = (route.prefix + "/").find(std::string(usual) + "/");
        const bool named = at_script != route.prefix.npos;
        if (!named && route.prefix.find(".php") != route.prefix.npos) return;
        if (route.prefix.ends_with(usual)) return;  // the script itself: look_for_folder()
        const auto script =
            named ? route.prefix.substr(0, at_script + usual.size()) : std::string(usual);
        const auto page = named ? route.prefix.substr(script.size()) : route.prefix;
        const auto remedy = "if upstream " + settings.upstream +
                            " has a front controller, give the queue to regex: ^" +
                            (named ? quoted(script) : "/[^/]+\\.php") + "/?" +
                            quoted(page.substr(1)) + "(/|%3F|$), too";
        const auto other = named ? script.substr(0, at_script) + page : script + page;
        if (tell_page(route, other, named ? "give the queue to prefix: " + other : remedy)) return;
        for (const auto& path : {script + page.substr(1), script + page + "%3F"})
            if (tell_page(route, path, remedy)) return;
    }

    // True: it is not in the queue of this route.
    bool tell_page(const RouteNode& route, const std::string& path, const std::string& remedy) {
        if (!match(path).matched() || at(path).upstream != at(route.prefix).upstream) return false;
        const auto beside = unlike(route.prefix, path);
        if (beside.empty()) return false;
        warn(route,
             "an application that cuts its script's name off the path, such as Symfony's and "
             "Laravel's, runs the same page for " +
                 path + ", and " + beside + " is not in its queue; " + remedy);
        return true;
    }

    // Returns the prefix that encloses a regex route, without a slash at its end.
    std::string outer(const RouteNode& route) const {
        if (route.parent < 0) return {};
        const auto& prefix = config_.routes[static_cast<std::size_t>(route.parent)].prefix;
        return prefix.ends_with('/') ? prefix.substr(0, prefix.size() - 1) : prefix;
    }

    static bool unqueued(const Settings& settings) { return !settings.queue; }

    // Returns a file's path that starts with `stem`, that this pattern applies to, and whose
    // settings are so; empty: none.
    template <class Wanted>
    std::string file_below(const RouteNode& route, const std::string& stem, Wanted wanted) const {
        for (const auto ending : reach_.endings) {
            const auto path = (stem + ".").append(ending);
            if (applies(route, path) && wanted(at(path))) return path;
        }
        return {};
    }

    bool applies(const RouteNode& route, std::string_view path) const {
        const auto applied = index_.routes(match(path));
        return std::ranges::any_of(applied,
                                   [&](const RouteNode* one) { return one->path == route.path; });
    }

    // The same for a pattern that means a folder, and may match it anywhere: `/a.php/static/`.
    template <class Wanted>
    std::string part_below(const RouteNode& route, const std::string& stem, Wanted wanted) const {
        auto text = sample_of(route.regex);
        if (text.find('.') != std::string::npos) return {};
        if (!text.starts_with('/')) text.insert(0, "/");
        for (const auto& path : {stem + text, stem + text + "/", stem + text + "/x"})
            if (applies(route, path) && wanted(at(path))) return path;
        return {};
    }

    // Warns about patterns that mean files by their endings: `/a.php/b.css` matches too.
    void look_for_bypass(const RouteNode& route) {
        if (!route.is_regex()) return;
        for (const auto& place : reach_.places)
            if (tell_bypass(route, place)) return;
    }

    // True: the pattern takes a path of the script there out of its queue.
    bool tell_bypass(const RouteNode& route, const std::string& place) {
        const auto script = script_at(place);
        const auto queue = at(script).queue;
        if (!queue) return false;
        const auto beside = [&](const Settings& settings) { return settings.queue != queue; };
        auto path = file_below(route, script + "/b", beside);
        const bool ending = !path.empty();
        if (!ending) path = part_below(route, script, beside);
        if (path.empty()) return false;
        const auto begin = route.regex.starts_with('^') ? quoted(place) : std::string();
        warn(route, "matches " + path + " as well, which runs " + script + " on most servers, " +
                        (at(path).queue ? "in another queue" : "unqueued") + "; begin it with ^" +
                        (ending ? begin + "(/[^./]+)*/[^/]+" : ""));
        return true;
    }

    // A pattern of file endings that has those of scripts, too. True: this one.
    bool look_for_scripts(const RouteNode& route) {
        if (!route.is_regex()) return false;
        const auto place = std::ranges::find_if(reach_.places, [&](const std::string& one) {
            const auto script = script_at(one);
            return !at(script).queue && at(one + "/").queue && applies(route, script);
        });
        if (place == reach_.places.end()) return false;
        warn(route, "matches " + script_at(*place) + " as well: scripts run beside the queue of " +
                        *place + "/; leave the ending of scripts out");
        return true;
    }

    // A pattern that applies to a folder and not to its index.php, or, if it names scripts, to the
    // index.php alone.
    void look_for_half(const RouteNode& route) {
        if (!route.is_regex()) return;
        for (const auto& place : reach_.places) {
            const std::string folder = place + "/", script = folder + "index.php";
            const bool with_script = applies(route, script);
            if (is_script(place) || with_script == applies(route, folder)) continue;
            if (with_script && route.regex.find("php") == route.regex.npos) continue;
            if (!has_unknown_scripts(at(folder)) || !match(script).matched()) continue;
            if (unlike(script, folder).empty()) continue;
            return warn_of_half(route, folder, script);
        }
    }
    void warn_of_half(const RouteNode& route, const std::string& folder,
                      const std::string& script) {
        warn(route, "applies to one of " + folder + " and " + script +
                        ", for which most servers run one script; give both one queue");
    }

    // The other paths of its front controller are queued.
    void look_for_index(const RouteNode& route) {
        if (!route.prefix.ends_with("/index.php")) return;
        const auto folder = folder_of(route.prefix);
        if (!at(folder).queue || at(route.prefix).queue) return;
        warn(route, "lets " + route.prefix + " past the queue of " + folder +
                        ", for which most servers run the same script; give both one queue");
    }

    // Servers that hand missing files to a front controller run it for `POST /missing.png`.
    void look_for_writes(const RouteNode& route) {
        if (!route.is_regex()) return;
        for (const auto& place : reach_.places)
            if (!is_script(place) && tell_write(route, place)) return;
    }

    // True: it does so in this folder.
    bool tell_write(const RouteNode& route, const std::string& place) {
        const auto path = file_below(route, place + "/b", unqueued);
        const auto script = place + "/index.php";
        const auto slips = [&](std::string_view method) {
            return !queues(path, method) && queues(script, method);
        };
        if (path.empty()) return false;
        const auto method = std::ranges::find_if(writes, slips);
        if (method == writes.end()) return false;
        warn(route, "lets " + std::string(*method) + " " + path + " past the queue, which runs " +
                        script +
                        " where the server hands missing files to it; add methods: [GET, HEAD]");
        return true;
    }

    std::string unqueued_path(const RouteNode& route) const {
        for (const auto& place : reach_.places)
            if (auto path = file_below(route, place + "/b", unqueued); !path.empty()) return path;
        return part_below(route, outer(route), unqueued);
    }

    // Paths that name no script run the front controller, with files those without a file.
    bool look_for_front_controller(const RouteNode& route) {
        const auto path = route.is_regex() ? unqueued_path(route) : route.prefix;
        if (path.empty() || path.find(".php") != std::string::npos) return false;
        const Settings settings = at(path);
        const auto script = front_controller(config_, settings);
        if (script.empty() || settings.queue || !at(script).queue) return false;
        const bool files = !settings.files.root.empty();
        warn(route, "runs " + script + " unqueued: upstream " + settings.upstream +
                        (files ? " runs it for every path without a file; files are never queued "
                                 "anyway, so leave this route out, or give it files: {try: [path]}"
                               : " runs it for every path that names no script, and serves no "
                                 "files"));
        return true;
    }

    const Config& config_;
    Problems& problems_;
    const RouteIndex& index_;
    // look_at() sets both for its route. match() asks for paths under the conditions of that route.
    const Conditions* when_ = nullptr;
    RegexReach reach_;
};

}  // namespace

void warn_scripts(const Config& config, const RouteIndex& index, Problems& problems) {
    Scripts scripts(config, index, problems);
    for (std::size_t i = 0; i < config.routes.size(); ++i) scripts.look_at(i);
}

}  // namespace ticketgate::config

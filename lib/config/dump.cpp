#include "config/dump.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/section.hpp"
#include "config/walk.hpp"

namespace ticketgate::config {
namespace {

constexpr const char* unset = "default";

struct Row {
    std::string name, value, place;
};

// Finds the place of a setting; `headers` may be spelled `header` in the file.
Mark mark_of(const Config& config, const std::string& path) {
    const bool short_form = path.ends_with(".headers") && !config.marks.contains(path);
    return config.mark_of(short_form ? path.substr(0, path.size() - 1) : path);
}

// If no route sets an id, falls back to the `ids:` section of the file.
Mark origin_of(const Config& config, const Origin& origin) {
    const bool set = origin.mark.line != 0 || !origin.name.starts_with("ids.");
    return set ? origin.mark : mark_of(config, origin.name);
}

std::vector<Row> setting_rows(const Config& config, Settings& settings,
                              const std::vector<Origin>& origins) {
    std::vector<Row> rows;
    const RouteOverrides unused;
    walk(Section::settings, &unused, &settings, [&](const Walked& setting) {
        rows.push_back({setting.name(), setting.spell(),
                        print_place(origin_of(config, origins[rows.size()]))});
        if (rows.back().name == "on_backend_error.status" && !settings.on_backend_error_status_set)
            rows.back().value += ", 504 when silent";
    });
    return rows;
}

// The place in the last route that sets it, else in the file's `ids:`.
Mark id_mark(const Config& config, const std::vector<const RouteNode*>& routes,
             const std::string& id, const Key& key) {
    Mark mark = mark_of(config, "ids.other." + id + "." + std::string(key.name));
    const auto look = [&](const RouteOverrides& overrides) {
        const auto found = overrides.ids.other.find(id);
        if (found == overrides.ids.other.end()) return;
        const Mark& here = key.bound.mark(&found->second);
        if (here.line != 0) mark = here;
    };
    look(config.defaults);
    for (const RouteNode* route : routes) look(route->overrides);
    return mark;
}

void add_id_rows(const Config& config, Settings& settings,
                 const std::vector<const RouteNode*>& routes, std::vector<Row>& rows) {
    const IdOverrides unused;
    for (auto& [id, effective] : settings.ids.other)
        walk(Section::route_id, &unused, &effective, [&](const Walked& setting) {
            rows.push_back({"ids.other." + id + "." + setting.name(), setting.spell(),
                            print_place(id_mark(config, routes, id, setting.key))});
        });
}

// Hides the values of CGI variables: they may be secrets.
bool is_shown(const Key& key) {
    return key.bound.field.spell != nullptr && key.kind != Kind::variables &&
           key.kind != Kind::environment;
}

// Adds every setting of a section; `path` is the section's path.
void add_section_rows(const Config& config, Section section, const void* model,
                      const std::string& path, std::vector<Row>& rows) {
    for (const Key& key : keys_of(section)) {
        if (!is_shown(key)) continue;
        const auto at = join(path, key.name);
        rows.push_back({at, key.bound.field.spell(key, model), print_place(mark_of(config, at))});
    }
}

void add_queue_rows(const Config& config, const Settings& settings, std::vector<Row>& rows) {
    if (!settings.queue) return;
    const auto found = config.queues.find(*settings.queue);
    if (found == config.queues.end()) return;
    add_section_rows(config, Section::queue, &found->second, "queues." + found->first, rows);
}

void add_upstream_row(const Config& config, const Settings& settings, std::vector<Row>& rows) {
    const auto found = config.upstreams.find(settings.upstream);
    if (found == config.upstreams.end()) return;
    const auto path = "upstreams." + settings.upstream;
    rows.push_back({path + ".url", found->second.url, print_place(mark_of(config, path + ".url"))});
    if (found->second.fcgi)
        add_section_rows(config, Section::fcgi, &*found->second.fcgi, path + ".fastcgi", rows);
    if (found->second.workers)
        add_section_rows(config, Section::workers, &*found->second.workers, path + ".workers",
                         rows);
}

std::string way_text(Way way, const Settings& settings, std::string_view method) {
    if (way == Way::here) return "answered by ticketgate, in no queue";
    if (!settings.queue) return "not queued (queue: off)";
    const auto& skip = settings.skip_methods;
    const bool skips = std::find(skip.begin(), skip.end(), method) != skip.end();
    const std::string its(method);
    if (way == Way::queues)
        return "stands in queue " + *settings.queue +
               (skips ? ", as it may mean another method than " + its + " (method_override)" : "");
    if (!skips) return "not queued (tunnel: bypass)";
    return "not queued (" + its + " is in skip_methods" +
           (settings.method_override == MethodOverride::forward
                ? ")"
                : "), unless it has a body or names another method (method_override)");
}

// The request, with what routes look at beside its path.
std::string title(const Asked& asked, const RouteIndex& routes) {
    std::string out = std::string(asked.method) + " " + std::string(asked.path);
    if (!routes.has_conditions()) return out;
    out += "\nhost " + std::string(asked.host.empty() ? "(none)" : asked.host);
    if (!asked.listener.empty()) out += ", listener " + std::string(asked.listener);
    const auto client = asked.circumstances == nullptr ? "" : asked.circumstances->client();
    return client.empty() ? out : out + ", from " + client;
}

// Three columns. Widths count bytes: values are ASCII except for bodies, which are long anyway.
std::string table(const std::vector<Row>& rows) {
    std::size_t names = 0, values = 0;
    for (const Row& row : rows) {
        names = std::max(names, row.name.size());
        values = std::max(values, std::min<std::size_t>(row.value.size(), 40));
    }
    std::string out;
    for (const Row& row : rows) {
        out += "  " + row.name + std::string(names - row.name.size() + 2, ' ') + row.value;
        out += std::string(values - std::min(row.value.size(), values) + 2, ' ') + row.place + '\n';
    }
    return out;
}

}  // namespace

std::string print_place(const Mark& mark) {
    return mark.line == 0 ? unset : mark.file + ":" + std::to_string(mark.line);
}

std::string explain(const Config& config, const RouteIndex& routes, const Asked& asked,
                    const RouteIndex::Match& match, Way way, Shown shown) {
    auto settings = routes.resolve(match);
    std::string out = title(asked, routes) + "\n" + way_text(way, settings, asked.method) + "\n";
    if (!tells_end_of_work(config, settings))
        out += "refused with 500 if it is queued: " + no_end_of_work(settings) + "\n";
    out += "\nroutes, each adding to those above\n";
    std::vector<Row> matched;
    for (const RouteNode* route : routes.routes(match))
        matched.push_back({route->is_regex() ? "regex" : "prefix",
                           (route->is_regex() ? route->regex : route->prefix) +
                               (route->when.empty() ? "" : "  " + text_of(route->when)),
                           print_place(route->mark)});
    auto rows = setting_rows(config, settings, routes.origins(match));
    add_id_rows(config, settings, routes.routes(match), rows);
    add_queue_rows(config, settings, rows);
    add_upstream_row(config, settings, rows);
    out += table(matched) + "\nsettings\n";
    if (shown == Shown::all) return out + table(rows);
    const auto defaults = std::erase_if(rows, [](const Row& row) { return row.place == unset; });
    return out + table(rows) + "\n" + std::to_string(defaults) +
           " more settings have their defaults; --all shows them\n";
}

}  // namespace ticketgate::config

#include "config/dump.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/keys.hpp"

namespace ticketgate::config {
namespace {

struct Row {
    std::string name, value, place;
};

// Text on one line, cut where it gets long.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text.substr(0, 60))
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (text.size() > 60) return out + "…\" (" + print_size(text.size()) + ")";
    return out + "\"";
}

std::string spell(const Key&, const std::string& value) {
    return value;
}
std::string spell(const Key&, bool value) {
    return value ? "true" : "false";
}
std::string spell(const Key&, std::uint16_t value) {
    return std::to_string(value);
}
std::string spell(const Key&, milliseconds value) {
    return print_duration(value);
}
std::string spell(const Key&, Bytes value) {
    return print_size(value);
}
std::string spell(const Key&, std::uint32_t value) {
    return value == unlimited ? "unlimited" : std::to_string(value);
}
std::string spell(const Key&, const std::optional<std::string>& value) {
    return value.value_or("off");
}
std::string spell(const Key&, const std::optional<SharedText>& value) {
    return value ? quoted(*value) : "(the default problem document)";
}
std::string spell(const Key&, const std::vector<std::string>& value) {
    std::string out;
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + item;
    return "[" + out + "]";
}
std::string spell(const Key&, const Headers& value) {
    std::string out;
    for (const auto& [name, text] : value)
        out += (out.empty() ? "" : ", ") + name + ": " + quoted(text);
    return "{" + out + "}";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string spell(const Key& key, Enum value) {
    auto choices = key.choices;
    for (int i = static_cast<int>(value); i > 0; --i) choices.remove_prefix(choices.find('|') + 1);
    return std::string(choices.substr(0, choices.find('|')));
}

const Key& key_of(const std::string& name) {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return *find_key(Section::settings, name);
    return *find_key(name.starts_with("ids.") ? Section::route_id : Section::answer,
                     name.substr(dot + 1));
}

// `headers` may stand as `header`.
Mark mark_of(const Config& config, const std::string& path) {
    const bool short_form = path.ends_with(".headers") && !config.marks.contains(path);
    return config.mark_of(short_form ? path.substr(0, path.size() - 1) : path);
}

// Ids stand at the top of the file; routes say only what differs.
Mark origin_of(const Config& config, const Origin& origin) {
    const bool set = origin.mark.line != 0 || !origin.name.starts_with("ids.");
    return set ? origin.mark : mark_of(config, origin.name);
}

std::vector<Row> setting_rows(const Config& config, const Settings& settings,
                              const std::vector<Origin>& origins) {
    std::vector<Row> rows;
    const RouteOverrides unused;
    for_each_setting(
        unused, settings, [&](const std::string& name, const auto&, const auto& value) {
            rows.push_back({name, spell(key_of(name), value),
                            print_place(origin_of(config, origins[rows.size()]))});
            if (name == "on_backend_error.status" && !settings.on_backend_error_status_set)
                rows.back().value += ", 504 when silent";
        });
    return rows;
}

template <class T>
Row queue_row(const Config& config, const std::string& queue, std::string_view name,
              const T& value) {
    const auto path = "queues." + queue + "." + std::string(name);
    return {path, spell(*find_key(Section::queue, name), value),
            print_place(mark_of(config, path))};
}

// The last route that says it, else the file's own ids.
Mark id_mark(const Config& config, const std::vector<const RouteNode*>& routes,
             const std::string& id, const std::string& field) {
    Mark mark = mark_of(config, "ids.other." + id + "." + field);
    const auto look = [&](const RouteOverrides& overrides) {
        const auto found = overrides.ids.other.find(id);
        if (found == overrides.ids.other.end()) return;
        const Settings unused;
        for_each_id_field(found->second, unused.ids.request_id,
                          [&](const char* name, const auto& given, const auto&) {
                              if (name == field && given.given()) mark = given.mark;
                          });
    };
    look(config.defaults);
    for (const RouteNode* route : routes) look(route->overrides);
    return mark;
}

void add_id_rows(const Config& config, const Settings& settings,
                 const std::vector<const RouteNode*>& routes, std::vector<Row>& rows) {
    const IdOverrides unused;
    for (const auto& [id, effective] : settings.ids.other)
        for_each_id_field(unused, effective,
                          [&, &id = id](const char* name, const auto&, const auto& value) {
                              rows.push_back({"ids.other." + id + "." + name,
                                              spell(*find_key(Section::route_id, name), value),
                                              print_place(id_mark(config, routes, id, name))});
                          });
}

void add_queue_rows(const Config& config, const Settings& settings, std::vector<Row>& rows) {
    if (!settings.queue) return;
    const auto found = config.queues.find(*settings.queue);
    if (found == config.queues.end()) return;
    const auto& [name, queue] = *found;
    rows.push_back(queue_row(config, name, "max_in_flight", queue.max_in_flight));
    rows.push_back(queue_row(config, name, "order", queue.order));
    rows.push_back(queue_row(config, name, "hold_timeout", queue.hold_timeout));
    rows.push_back(queue_row(config, name, "on_hold_timeout", queue.on_hold_timeout));
    rows.push_back(queue_row(config, name, "release", queue.release));
}

void add_upstream_row(const Config& config, const Settings& settings, std::vector<Row>& rows) {
    const auto found = config.upstreams.find(settings.upstream);
    if (found == config.upstreams.end()) return;
    const auto path = "upstreams." + settings.upstream + ".url";
    rows.push_back({path, found->second.url, print_place(mark_of(config, path))});
    if (!found->second.fcgi) return;
    const Fcgi& fcgi = *found->second.fcgi;
    const auto add = [&](const char* name, const auto& value) {
        const auto at = "upstreams." + settings.upstream + ".fastcgi." + name;
        rows.push_back(
            {at, spell(*find_key(Section::fcgi, name), value), print_place(mark_of(config, at))});
    };
    add("root", fcgi.root);
    add("script", fcgi.script);
    add("index", fcgi.index);
    add("split", fcgi.split);
    add("keep_alive", fcgi.keep_alive);
}

std::string way(const Settings& settings, std::string_view method) {
    if (!settings.queue) return "not queued (queue: off)";
    const auto& skip = settings.skip_methods;
    if (std::find(skip.begin(), skip.end(), method) != skip.end())
        return "not queued (" + std::string(method) + " is in skip_methods" +
               (settings.method_override == MethodOverride::forward
                    ? ")"
                    : "), unless it names another method (method_override)");
    return "stands in queue " + *settings.queue;
}

// Three columns. Widths count bytes; values are ASCII but for bodies, which are long anyway.
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
    return mark.line == 0 ? "default" : mark.file + ":" + std::to_string(mark.line);
}

std::string explain(const Config& config, const RouteIndex& routes, std::string_view method,
                    std::string_view normal_path) {
    const auto match = routes.match(normal_path);
    std::string out = std::string(method) + " " + std::string(normal_path) + "\n";
    if (!match.matched()) return out + "no route matches: 404\n";
    const auto settings = routes.resolve(match);
    out += way(settings, method) + "\n\nroutes, each adding to those above\n";
    std::vector<Row> matched;
    for (const RouteNode* route : routes.routes(match))
        matched.push_back({route->is_regex() ? "regex" : "prefix",
                           route->is_regex() ? route->regex : route->prefix,
                           print_place(route->mark)});
    auto rows = setting_rows(config, settings, routes.origins(match));
    add_id_rows(config, settings, routes.routes(match), rows);
    add_queue_rows(config, settings, rows);
    add_upstream_row(config, settings, rows);
    return out + table(matched) + "\nsettings\n" + table(rows);
}

}  // namespace ticketgate::config

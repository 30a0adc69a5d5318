#include "config/parse.hpp"

#include "config/nested.hpp"

namespace ticketgate::config {
namespace {

constexpr std::size_t max_routes =
    10000;  // far above any file written by hand; keeps indexes in 16 bits

void parse_body(SectionReader& section, Setting<std::optional<SharedText>>& out) {
    section.read("body", out);
    const Entry* file = section.take("body_file");
    if (file == nullptr) return;
    const auto path = section.path_of("body_file");
    if (out.given()) {
        section.reading().problems.error(file->mark, path, "stands beside body; keep one of them");
        return;
    }
    out.mark = file->mark;
    const Value value{file->value, *find_key(Section::answer, "body_file"), path,
                      section.reading()};
    std::string text;
    if (!read_body_file(value, text)) return;
    warn_placeholders(value, text);
    out.value = SharedText(std::move(text));
}

void parse_answer(SectionReader& above, const char* name, AnswerOverrides& out) {
    const Entry* entry = above.take(name);
    if (entry == nullptr || entry->value.kind == Node::Kind::null) return;
    if (entry->value.kind != Node::Kind::map) {
        above.reading().problems.error(
            entry->value.mark, above.path_of(name),
            "expected a map such as {status: 503, body: \"busy\"}; here is " +
                std::string(name_of(entry->value.kind)));
        return;
    }
    SectionReader section(entry->value, Section::answer, above.path_of(name), above.reading());
    section.read("status", out.status);
    section.read("content_type", out.content_type);
    parse_body(section, out.body);
    section.read("headers", out.headers);
}

// Exactly one of prefix and regex. False: there is no telling what this route is for.
bool parse_match(SectionReader& section, const Node& node, RouteNode& out) {
    Problems& problems = section.reading().problems;
    const Entry* prefix = section.take("prefix");
    const Entry* regex = section.take("regex");
    if (prefix != nullptr && regex != nullptr) {
        problems.error(regex->mark, section.path_of("regex"),
                       "stands beside prefix; nest the regex route in the routes of the prefix");
    } else if (prefix == nullptr && regex == nullptr) {
        problems.error(node.mark, out.path,
                       "neither prefix nor regex; write prefix: / for everything");
    } else {
        section.read("prefix", out.prefix);
        section.read("regex", out.regex);
    }
    return !out.prefix.empty() || !out.regex.empty();
}

void parse_route(const Node& node, RouteNode route, std::vector<RouteNode>& out, Reading& reading) {
    SectionReader section(node, Section::route, route.path, reading);
    const bool known = parse_match(section, node, route);
    parse_settings(section, route.overrides);
    const Entry* nested = section.take("routes");
    const bool regex = !route.regex.empty();
    const auto below = section.path_of("routes");
    int index =
        route.parent;  // of a route that is not known, so that what is below is read all the same
    if (known) {
        index = static_cast<int>(out.size());
        out.push_back(std::move(route));
    }
    if (nested != nullptr && regex)
        reading.problems.error(nested->mark, below, "only a prefix route has routes below it");
    else
        parse_routes(nested, below, index, out, reading);
}

}  // namespace

void parse_settings(SectionReader& section, RouteOverrides& out) {
    const Settings unused;
    for_each_plain_setting(out, unused, [&](const char* name, auto& setting, const auto&) {
        section.read(name, setting);
    });
    for_each_answer(out, unused, [&](const char* name, AnswerOverrides& answer, const Answer&) {
        parse_answer(section, name, answer);
    });
    parse_map(section, "ids", Section::route_ids, [&](auto& s) { parse_route_ids(s, out.ids); });
}

void parse_routes(const Entry* entry, const std::string& path, int parent,
                  std::vector<RouteNode>& out, Reading& reading) {
    if (entry == nullptr) return;
    const Node& list = entry->value;
    if (list.kind != Node::Kind::list || list.items.empty()) {
        reading.problems.error(list.mark, path, "expected a list of routes, such as [{prefix: /}]");
        return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const Node& node = list.items[i];
        RouteNode route;
        route.parent = parent;
        route.mark = node.mark;
        route.path = path + "[" + std::to_string(i) + "]";
        if (out.size() >= max_routes) {
            reading.problems.error(node.mark, route.path, "more than 10000 routes");
            return;
        }
        if (node.kind == Node::Kind::map)
            parse_route(node, std::move(route), out, reading);
        else
            reading.problems.error(
                node.mark, route.path,
                "expected a map such as {prefix: /}; here is " + std::string(name_of(node.kind)));
    }
}

}  // namespace ticketgate::config

#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

constexpr std::size_t max_routes = 10000;  // far above hand-written files; indexes fit in 16 bits

void read_routes_of(const Value& value, int parent, std::vector<RouteNode>& out);

// Reads exactly one of prefix and regex. False: the route is unknown.
bool parse_match(SectionReader& section, const Node& node, RouteNode& out) {
    Problems& problems = section.reading().problems;
    const Entry* prefix = section.take("prefix");
    const Entry* regex = section.take("regex");
    if (prefix != nullptr && regex != nullptr) {
        problems.error(regex->mark, section.path_of("regex"),
                       "conflicts with prefix; nest the regex route in the routes of the prefix");
    } else if (prefix == nullptr && regex == nullptr) {
        problems.error(node.mark, out.path,
                       "neither prefix nor regex; write prefix: / for everything");
    } else {
        section.read("prefix", out);
        section.read("regex", out);
    }
    return !out.prefix.empty() || !out.regex.empty();
}

void parse_route(const Node& node, RouteNode route, std::vector<RouteNode>& out, Reading& reading) {
    SectionReader section(node, Section::route, route.path, reading);
    const bool known = parse_match(section, node, route);
    section.read_all(route.overrides);
    const Entry* nested = section.take("routes");
    const bool regex = !route.regex.empty();
    const auto below = section.path_of("routes");
    int index = route.parent;  // if the route is not known: nested routes are still read
    if (known) {
        index = static_cast<int>(out.size());
        out.push_back(std::move(route));
    }
    if (nested != nullptr && regex)
        reading.problems.error(nested->mark, below, "only a prefix route has routes below it");
    else if (nested != nullptr)
        read_routes_of({nested->value, section.key("routes"), below, reading}, index, out);
}

void read_routes_of(const Value& value, int parent, std::vector<RouteNode>& out) {
    const auto& [list, key, path, reading] = value;
    if (list.kind != Node::Kind::list || list.items.empty()) {
        (void)value.fail("expected a list of routes, such as [{prefix: /}]");
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

// Reads the body of an answer from a file.
void parse_body_file(SectionReader& section, Setting<std::optional<SharedText>>& out) {
    const Entry* file = section.take("body_file");
    if (file == nullptr) return;
    const auto path = section.path_of("body_file");
    if (out.given()) {
        section.reading().problems.error(file->mark, path, "stands beside body; keep one of them");
        return;
    }
    out.mark = file->mark;
    const Value value{file->value, section.key("body_file"), path, section.reading()};
    std::string text;
    if (!read_body_file(value, text)) return;
    warn_placeholders(value, text);
    out.value = SharedText(std::move(text));
}

}  // namespace

void parse_section(SectionReader& section, AnswerOverrides& out) {
    section.read_all(out);
    parse_body_file(section, out.body);
}

bool read_routes(const Value& value, std::vector<RouteNode>& out) {
    read_routes_of(value, -1, out);
    return true;
}

}  // namespace ticketgate::config

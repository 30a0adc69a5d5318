#include <algorithm>
#include <array>

#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

constexpr std::size_t max_routes = 10000;  // far above hand-written files; indexes fit in 16 bits

void read_routes_of(const Value& value, int parent, std::vector<RouteNode>& out);

bool has_condition(const Node& node) {
    constexpr std::array<std::string_view, 5> names{"host", "listener", "methods", "from",
                                                    "header"};
    return std::ranges::any_of(names, [&](auto name) { return node.find(name) != nullptr; });
}

// At most one of prefix and regex; with conditions, a route without them has the prefix around it.
// False: the route is unknown.
bool parse_match(SectionReader& section, const Node& node, const std::string& around,
                 RouteNode& out) {
    Problems& problems = section.reading().problems;
    const Entry* prefix = section.take("prefix");
    const Entry* regex = section.take("regex");
    if (prefix != nullptr && regex != nullptr) {
        problems.error(regex->mark, section.path_of("regex"),
                       "conflicts with prefix; nest the regex route in the routes of the prefix");
    } else if (prefix == nullptr && regex == nullptr) {
        if (has_condition(node))
            out.prefix = around;
        else
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
    const auto outer = static_cast<std::size_t>(route.parent);
    const std::string around = route.parent < 0 ? "/" : out[outer].prefix;
    const bool known = parse_match(section, node, around, route);
    section.read_all(route);
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

// Reads a text of an answer from a file, in place of the key that `name` is another form of.
template <class T>
void parse_text_file(SectionReader& section, std::string_view name, Setting<T>& out,
                     T (*made_of)(SharedText)) {
    const Entry* file = section.take(name);
    if (file == nullptr) return;
    const auto path = section.path_of(name);
    const Key& key = section.key(name);
    if (out.given()) {
        section.reading().problems.error(
            file->mark, path, "stands beside " + std::string(key.same_as) + "; keep one of them");
        return;
    }
    out.mark = file->mark;
    const Value value{file->value, key, path, section.reading()};
    std::string text;
    if (!read_body_file(value, text)) return;
    warn_placeholders(value, text);
    out.value = made_of(SharedText(std::move(text)));
}

std::optional<SharedText> body_of(SharedText text) {
    return text;
}

Page page_of(SharedText text) {
    return {Page::Kind::own, std::move(text)};
}

}  // namespace

void parse_section(SectionReader& section, AnswerOverrides& out) {
    section.read_all(out);
    parse_text_file(section, "body_file", out.body, body_of);
    parse_text_file(section, "page_file", out.page, page_of);
}

bool read_routes(const Value& value, std::vector<RouteNode>& out) {
    read_routes_of(value, -1, out);
    return true;
}

}  // namespace ticketgate::config

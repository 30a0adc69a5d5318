#include "path_model/promise.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "config/load.hpp"
#include "http/framing.hpp"
#include "http/target.hpp"
#include "path_model/servers.hpp"
#include "proxy/routing.hpp"

namespace ticketgate::paths {
namespace {

// Ends the check with the reason.
void expect(bool holds, const char* promise) {
    if (!holds) throw std::logic_error(promise);
}

Snapshot snapshot_of(const std::string& routes) {
    auto loaded = config::load_text(
        "listen: [{address: '127.0.0.1:1'}]\nupstreams: {b: {url: 'http://127.0.0.1:2'}}\n"
        "queues: {q: {}}\ndefaults: {upstream: b}\nroutes: [" +
            routes + "]\n",
        "c.yaml", config::environment_of({}));
    if (!loaded.config) throw std::runtime_error("the model's own config is bad");
    return Snapshot(std::move(*loaded.config), {{"q", nullptr}}, {});
}

// One segment has a route of its own: its paths are queued and no others, or the others and not
// these.
struct Layout {
    Snapshot snapshot;
    std::string_view segment;
    bool queued;

    bool in_queue(const std::string& first) const { return (first == segment) == queued; }
};

const std::array<Layout, 3>& layouts() {
    static const std::array<Layout, 3> all{
        Layout{snapshot_of("{prefix: /, queue: off}, {prefix: /q, queue: q}"), "q", true},
        {snapshot_of("{prefix: /, queue: off}, {regex: '^/q(/|$)', queue: q}"), "q", true},
        {snapshot_of("{prefix: /, queue: q}, {prefix: /x, queue: off}"), "x", false}};
    return all;
}

std::string first_of(const Segments& segments) {
    return segments.empty() ? std::string() : segments[0];
}

bool ends_line(std::string_view normal) {
    return normal.substr(0, normal.find_last_not_of('/') + 1).ends_with("%0A");
}

void check_form(std::string_view path, const std::string& normal) {
    expect(normal.starts_with('/'), "a normal form begins with a slash");
    expect(normal.find("//") == normal.npos, "slashes are merged");
    expect(normal.find('\\') == normal.npos, "a normal form has no backslash");
    expect(normal.find("%2F") == normal.npos && normal.find("%5C") == normal.npos,
           "a normal form has no coded slash");
    for (const auto& segment : split(normal))
        expect(segment != "." && segment != "..", "a normal form has no dot segments");
    std::string again;
    expect(http::normalise_path(normal, again) && again == normal,
           "a normal form is that of itself");
    expect(http::other_readings(normal).empty(), "servers read a normal form alike");
    expect(http::verbatim_readings(normal).empty() != ends_line(normal),
           "applications read a normal form alike, but for a newline at its end");
    expect(!http::other_readings(path).empty() || path.find_first_of("\\%/") != path.npos,
           "a plain path has one reading");
}

void check_routes(const Layout& layout, std::string_view path) {
    http::RequestHead head;
    head.method = "GET";
    head.target = path;
    head.host = "h";
    std::string normal;
    const Routed routed = route_of(layout.snapshot, head, {}, normal);
    if (routed.failure) return;  // 400
    const bool queued = routed.queues;
    for (unsigned kind = 0; kind < servers; ++kind) {
        const Segments walked = *walk(path, server_of(kind));
        expect(queued || !layout.in_queue(first_of(walked)), "no server is led past the queue");
        expect(queued || !layout.in_queue(late_first(walked)),
               "no server that decodes late is led past the queue");
    }
    for (const std::string& first : verbatim_first(path))
        expect(queued || !layout.in_queue(first),
               "no application that resolves nothing is led past the queue");
    expect(
        !queued || path != normal || ends_line(normal) || layout.in_queue(first_of(split(normal))),
        "a plain path of another route is not queued");
}

void check(std::string_view path) {
    std::string normal;
    const bool valid = http::normalise_path(path, normal);
    const auto unix_server = walk(path, {false, true, true});
    if (!path.starts_with('/')) return expect(!valid || path == "*", "paths begin with a slash");
    expect(valid == unix_server.has_value(), "a path is refused exactly if it cannot be decoded");
    if (!valid) return;
    check_form(path, normal);
    // A session routes only paths that its parser accepts.
    if (!http::valid_target("GET", path) || http::path_of(path) != path) return;
    for (const Layout& layout : layouts()) check_routes(layout, path);
}

}  // namespace

std::string broken_by(std::string_view path) try {
    if (path.find('\0') == path.npos) check(path);  // a target cannot contain NUL
    return {};
} catch (const std::logic_error& broken) {
    return broken.what();
}

}  // namespace ticketgate::paths

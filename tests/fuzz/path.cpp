// Paths: the normal form, the routes of a snapshot, and behind it servers of eight kinds and
// applications that resolve nothing. On none of them may a spelling that the snapshot accepts reach
// a queued script without its queue.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "fuzz/expect.hpp"
#include "http/framing.hpp"
#include "http/target.hpp"
#include "proxy/routing.hpp"

namespace ticketgate::fuzz {
namespace {

using Segments = std::vector<std::string>;

// How a server reads paths.
struct Server {
    bool backslashes, coded_slashes, merges;
};

int hex(char c) {
    const auto at = std::string_view("0123456789abcdefABCDEF").find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at < 16 ? at : at - 6);
}

// Decodes once; an encoded slash becomes NUL if this server does not treat it as a slash.
std::optional<std::string> decoded(std::string_view path, const Server& server) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        char c = path[i];
        if (c == '%') {
            if (i + 2 >= path.size() || hex(path[i + 1]) < 0 || hex(path[i + 2]) < 0)
                return std::nullopt;
            c = static_cast<char>(hex(path[i + 1]) * 16 + hex(path[i + 2]));
            i += 2;
            if (c == 0) return std::nullopt;
            if (c == '/' && !server.coded_slashes) c = '\0';
        }
        out += c == '\\' && server.backslashes ? '/' : c;
    }
    return out;
}

Segments split(const std::string& path) {
    Segments segments;
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        segments.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    return segments;
}

// Returns the path segments that a server walks through; nothing if it refuses the path.
std::optional<Segments> walk(std::string_view path, const Server& server) {
    const auto text = decoded(path, server);
    if (!text) return std::nullopt;
    Segments kept;
    for (const auto& segment : split(*text)) {
        if (segment == ".." && !kept.empty()) kept.pop_back();
        const bool empty = segment.empty() && server.merges;
        if (segment != "." && segment != ".." && !empty) kept.push_back(segment);
    }
    std::erase(kept, "");
    return kept;
}

bool in_queue(const Segments& segments) {
    return !segments.empty() && segments[0] == "q";
}

// A server that decodes slashes once it has walked, and finds its script from the left; what
// follows is PATH_INFO, dots or not.
bool in_queue_late(const Segments& segments) {
    if (segments.empty()) return false;
    const auto begin = segments[0].find_first_not_of('\0');
    if (begin == std::string::npos) return segments.size() > 1 && segments[1] == "q";
    return segments[0].substr(begin, segments[0].find('\0', begin) - begin) == "q";
}

void check_form(std::string_view path, const std::string& normal) {
    expect(normal.starts_with('/'), "it begins with a slash");
    expect(normal.find("//") == normal.npos, "slashes are merged");
    expect(normal.find('\\') == normal.npos, "no backslash");
    expect(normal.find("%2F") == normal.npos && normal.find("%5C") == normal.npos,
           "nor coded ones");
    for (const auto& segment : split(normal))
        expect(segment != "." && segment != "..", "no dot segments");
    std::string again;
    expect(http::normalise_path(normal, again) && again == normal, "it is its own normal form");
    expect(http::other_readings(normal).empty() && http::verbatim_readings(normal).empty(),
           "with no other reading");
    expect(!http::other_readings(path).empty() || path.find_first_of("\\%/") != path.npos,
           "a plain path has one reading");
}

// `route` has the queue; everything else has none.
Snapshot snapshot_of(const std::string& route) {
    auto loaded = config::load_text(
        "listen: [{address: '127.0.0.1:1'}]\nupstreams: {b: {url: 'http://127.0.0.1:2'}}\n"
        "queues: {q: {}}\nroutes: [{prefix: /, upstream: b, queue: off}, {" +
            route + ", upstream: b, queue: q}]\n",
        "c.yaml", config::environment_of({}));
    expect(loaded.config.has_value(), "the target's own config is good");
    return Snapshot(std::move(*loaded.config), {{"q", nullptr}}, {});
}

// The same routes, said in two ways.
const std::array<Snapshot, 2>& snapshots() {
    static const std::array<Snapshot, 2> both{snapshot_of("prefix: /q"),
                                              snapshot_of("regex: '^/q(/|$)'")};
    return both;
}

// An application that gets the path as it came, decoded or not, and compares its text.
bool in_queue_verbatim(std::string_view path) {
    const auto decoded_path = decoded(path, {false, false, false});
    const auto under = [](std::string_view text) {
        return text == "/q" || text.starts_with("/q/");
    };
    return under(path) || (decoded_path && under(*decoded_path));
}

void check_routes(const Snapshot& snapshot, std::string_view path) {
    http::RequestHead head;
    head.method = "GET";
    head.target = path;
    head.host = "h";
    std::string normal;
    const Routed routed = route_of(snapshot, head, {}, normal);
    if (routed.failure) return;  // 400
    const bool queued = routed.queues;
    for (unsigned kind = 0; kind < 8; ++kind) {
        const Server server{(kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0};
        const auto segments = *walk(path, server);
        expect(queued || !in_queue(segments), "no server is led past the queue");
        expect(queued || !in_queue_late(segments), "nor one that decodes late");
    }
    expect(queued || !in_queue_verbatim(path), "nor an application that resolves nothing");
    expect(!queued || path != normal || in_queue(*walk(path, {true, true, true})),
           "a plain path of another route is not queued");
}

void check(std::string_view path) {
    if (path.find('\0') != path.npos) return;  // a target cannot contain NUL
    std::string normal;
    const bool valid = http::normalise_path(path, normal);
    const auto unix_server = walk(path, {false, true, true});
    if (!path.starts_with('/')) return expect(!valid || path == "*", "paths begin with a slash");
    expect(valid == unix_server.has_value(), "refused exactly if it cannot be decoded");
    if (!valid) return;
    check_form(path, normal);
    // A session routes only paths that its parser accepts.
    if (!http::valid_target("GET", path) || http::path_of(path) != path) return;
    for (const Snapshot& snapshot : snapshots()) check_routes(snapshot, path);
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::check({reinterpret_cast<const char*>(bytes), size});
    return 0;
}

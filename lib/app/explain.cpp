#include "app/explain.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "disk/folder.hpp"
#include "files/names.hpp"
#include "http/parser.hpp"
#include "http/target.hpp"
#include "net/endpoint.hpp"
#include "proxy/failure.hpp"
#include "proxy/head_circumstances.hpp"
#include "proxy/routing.hpp"

namespace ticketgate {
namespace {

// The request as it would come in.
std::string head_of(const ExplainedRequest& request) {
    const std::string host =
        request.host.empty() ? std::string(http::authority_of(request.target)) : request.host;
    std::string text =
        request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
    for (const auto& line : request.headers) text += line + "\r\n";
    return text + "\r\n";
}

std::string refusal(error_code failure, std::string_view complaint) {
    const auto status = status_of(failure, nullptr);
    return (status < 400 ? "answered here with " : "refused with ") + std::to_string(status) +
           ": " + (complaint.empty() ? failure.message() : std::string(complaint)) + "\n";
}

// The places of the settings need no gates, upstreams and certificates.
Snapshot snapshot_of(const config::Config& config) {
    Snapshot::Gates gates;
    for (const auto& [name, queue] : config.queues) gates[name] = nullptr;
    Snapshot::ListenerNames names;
    for (const auto& listen : config.listen) names.push_back(listen.name);
    return {config, std::move(gates), {}, {}, std::move(names)};
}

std::string no_such_listener(const config::Config& config, const std::string& name) {
    std::string known;
    for (const auto& listen : config.listen)
        if (!listen.name.empty()) known += (known.empty() ? "" : ", ") + listen.name;
    return "--listener " + name + ": no listener has this name; " +
           (known.empty() ? "set listen[].name" : "the file has " + known);
}

// The other end of the connection; without a listener's name, at the first.
Peer peer_of(const config::Config& config, const ExplainedRequest& request, std::string& misuse) {
    Peer peer;
    peer.ip = request.from;
    if (!request.from.empty() && request.from != "unix" && !net::Endpoint::from_ip(request.from, 0))
        misuse = "--from " + request.from + ": not an IP address, and not unix";
    if (request.listener.empty()) return peer;
    const auto found = std::ranges::find(config.listen, request.listener, &config::Listen::name);
    if (found == config.listen.end())
        misuse = no_such_listener(config, request.listener);
    else
        peer.listener = static_cast<std::size_t>(found - config.listen.begin());
    return peer;
}

std::string size_of(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// Another reading of the path had the queue.
std::string reading_of(const Routed& found, const std::string& path) {
    if (found.read_as.empty()) return {};
    return "path: an application may take " + path + " for " + found.read_as +
           ", whose queue it waits in\n";
}

bool is_answered_here(files::Resolved::Kind kind) {
    using Kind = files::Resolved::Kind;
    return kind == Kind::file || kind == Kind::redirect || kind == Kind::missing ||
           kind == Kind::hidden;
}

// Why a name that is there counts as none.
std::string trouble_of(const disk::Folder& folder, const files::Rules& rules) {
    const int error = folder.trouble();
    if (error == 0) return {};
    const std::string begin = "files: " + rules.root + folder.troubled() + ": ";
    if (error != EXDEV) return begin + std::strerror(error) + "\n";
    std::error_code unknown;
    const auto real = std::filesystem::canonical(rules.root + folder.troubled(), unknown).string();
    return begin + "a symbolic link on this path leads out of files.root" +
           (real.empty() ? "" : ", to " + real) +
           "; name the folder that it leads to in files.links\n";
}

// What the files of the route make of the path, on this machine and for this user. May change the
// route: a folder's script stands in its own queue.
std::string look_at_files(const Snapshot& snapshot, const http::RequestHead& head, const Peer& peer,
                          const std::string& path, Routed& routed, config::Way& way) {
    using Kind = files::Resolved::Kind;
    const files::Rules& rules = *routed.route->files;
    files::Query query;
    if (!files::file_path(path, query.path))
        return rules.has_backend() ? "" : "files: 404: the path can name no file\n";
    query.reads = head.method == "GET" || head.method == "HEAD";
    int error = 0;
    const disk::Root root = disk::open_root_now(rules.root, error);
    if (root == nullptr) return "files: " + rules.root + ": " + std::strerror(error) + "\n";
    disk::Folder folder(root, std::make_shared<disk::OpenFiles>(), rules.links);
    const auto found = files::look_up(folder, query, rules);
    if (is_answered_here(found.kind)) way = config::Way::here;
    const std::string why = trouble_of(folder, rules);
    switch (found.kind) {
        case Kind::file:
            return "files: sends " + rules.root + found.path + ", " + size_of(found.file->size) +
                   " of " + rules.type_of(found.path).field + "\n" + why;
        case Kind::redirect:
            return "files: redirects to " + found.path + "\n";
        case Kind::missing:
            if (!rules.has_backend() && files::script_end(query.path) != std::string::npos)
                return "files: 404: try has neither upstream, script nor /index.php, so no script "
                       "runs\n";
            return "files: 404: there is no such file\n" + why;
        case Kind::hidden:
            return "files: 404: the name is hidden (files.hide)\n";
        case Kind::script:
            if (found.of_folder)
                routed = with_script(snapshot, head, peer, std::move(routed), found.path);
            return "files: the backend runs " + found.path + "\n" + why;
        case Kind::upstream:
            if (found.of_folder)
                routed = with_script(snapshot, head, peer, std::move(routed), found.path);
            break;
        case Kind::unknown:
        case Kind::failed:
            break;
    }
    return "files: none; the request goes to the backend\n" + why;
}

}  // namespace

Explanation explain(const config::Config& config, const ExplainedRequest& request,
                    config::Shown shown) {
    Explanation out;
    const Peer peer = peer_of(config, request, out.misuse);
    if (!out.misuse.empty()) return out;
    const config::Clients& clients = config.clients;
    const std::string bytes = head_of(request);
    http::RequestHead head;
    const auto parsed =
        http::parse_request(bytes, {clients.max_head, clients.max_uri, clients.max_headers}, head);
    if (!parsed || *parsed != http::Progress::done) {
        const error_code failure = parsed ? error_code(errc::bad_request) : parsed.error();
        out.text = refusal(failure, head.complaint);
        return out;
    }
    const Snapshot snapshot = snapshot_of(config);
    std::string path;
    Routed found = route_of(snapshot, head, peer, path);
    std::string files;
    config::Way way = config::Way::passes;
    if (!found.failure && found.route->files)
        files = look_at_files(snapshot, head, peer, path, found, way);
    if (found.failure) {
        out.text = refusal(found.failure, found.complaint);
        return out;
    }
    if (found.queues && way != config::Way::here) way = config::Way::queues;
    files = reading_of(found, path) + files;
    const HeadCircumstances circumstances(head, peer);
    const config::Asked asked{.path = path,
                              .host = head.host,
                              .method = head.method,
                              .listener = snapshot.listener_name(peer.listener),
                              .circumstances = &circumstances};
    out.text = files + config::explain(config, snapshot.index(), asked, found.match, way, shown);
    return out;
}

}  // namespace ticketgate

#include "app/explain.hpp"

#include <algorithm>

#include "http/parser.hpp"
#include "http/target.hpp"
#include "net/endpoint.hpp"
#include "proxy/failure.hpp"
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
    const Routed found = route_of(snapshot, head, peer, path);
    if (found.failure) {
        out.text = refusal(found.failure, found.complaint);
        return out;
    }
    const HeadCircumstances circumstances(head, peer);
    const config::Asked asked{.path = path,
                              .host = head.host,
                              .method = head.method,
                              .listener = snapshot.listener_name(peer.listener),
                              .circumstances = &circumstances};
    out.text = config::explain(config, snapshot.index(), asked, found.match,
                               found.queues ? config::Way::queues : config::Way::passes, shown);
    return out;
}

}  // namespace ticketgate

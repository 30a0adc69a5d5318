#include "config/proxy_headers.hpp"

#include <array>
#include <span>

namespace ticketgate::config {
namespace {

// Headers that CDNs, clouds and load balancers document, and that PHP applications use for
// REMOTE_ADDR or for the client's scheme and host. Without X-Forwarded-* and Forwarded: ticketgate
// writes or drops them itself.
constexpr std::array<std::string_view, 45> addresses{
    "X-Real-IP",
    "X-Real-Port",
    "Client-IP",
    "X-Client-IP",
    "X-ClientIP",
    "True-Client-IP",
    "X-True-Client-IP",
    "True-Real-IP",
    "X-Remote-IP",
    "X-Remote-Addr",
    "Remote-Addr",
    "Remote-IP",
    "X-Originating-IP",
    "X-Cluster-Client-IP",
    "Cluster-Client-IP",
    "X-Original-Forwarded-For",
    "X-Original-Remote-Addr",
    "X-Forwarded",
    "X-Forward-For",
    "Forwarded-For",
    "Forwarded-For-IP",
    "X-ProxyUser-IP",
    "Proxy-Client-IP",
    "WL-Proxy-Client-IP",
    "X-Coming-From",
    "CF-Connecting-IP",
    "CF-Connecting-IPv6",
    "CF-Pseudo-IPv4",
    "CloudFront-Viewer-Address",
    "Fastly-Client-IP",
    "Fly-Client-IP",
    "DO-Connecting-IP",
    "Incap-Client-IP",
    "X-Sucuri-ClientIP",
    "X-Azure-ClientIP",
    "X-Azure-SocketIP",
    "X-AppEngine-User-IP",
    "X-Envoy-External-Address",
    "X-NF-Client-Connection-IP",
    "Ali-CDN-Real-IP",
    "CDN-Src-IP",
    "Front-End-Https",
    "X-Url-Scheme",
    "X-Original-Host",
    "X-Original-Proto",
};

// Used by IIS, Zend and Laminas, older Symfony, ingress controllers.
constexpr std::array<std::string_view, 6> paths{
    "X-Original-URL", "X-Rewrite-URL", "X-Override-URL",
    "X-Original-URI", "X-Rewrite-URI", "X-Envoy-Original-Path",
};

// Beside those of addresses.
constexpr std::array<std::string_view, 7> forwarding{
    "Via",
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Port",
    "X-Forwarded-Server",
};

constexpr std::array<std::string_view, 3> methods{"X-HTTP-Method-Override", "X-HTTP-Method",
                                                  "X-Method-Override"};

std::vector<std::string> expanded(const std::vector<std::string>& given,
                                  std::span<const std::string_view> built_in) {
    std::vector<std::string> names;
    for (const auto& name : given) {
        if (name == built_in_headers)
            names.insert(names.end(), built_in.begin(), built_in.end());
        else
            names.push_back(name);
    }
    return names;
}

}  // namespace

std::vector<std::string> address_headers(const Clients& clients) {
    return expanded(clients.address_headers, addresses);
}

std::vector<std::string> path_headers(const Clients& clients) {
    return expanded(clients.path_headers, paths);
}

std::vector<std::string> forwarding_headers(const Clients& clients) {
    auto names = address_headers(clients);
    names.insert(names.end(), addresses.begin(), addresses.end());
    names.insert(names.end(), forwarding.begin(), forwarding.end());
    return names;
}

std::vector<std::string> method_headers() {
    return {methods.begin(), methods.end()};
}

}  // namespace ticketgate::config

#include "config/conditions.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/networks.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

// Empty: not an IPv6 address.
std::string shortest_ipv6(std::string_view text) {
    in6_addr bytes{};
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (text.size() >= out.size() || inet_pton(AF_INET6, std::string(text).c_str(), &bytes) != 1)
        return {};
    return std::string("[") + inet_ntop(AF_INET6, &bytes, out.data(), out.size()) + "]";
}

bool is_host_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string why_no_name(std::string_view name) {
    if (name.empty()) return "is empty; leave host out where every host is meant";
    if (name.find('*') != std::string_view::npos)
        return "* stands at the front only, for whole labels, as in *.example.org; leave host out "
               "where every host is meant";
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        return "write the name as requests have it, in its xn-- form";
    if (!std::ranges::all_of(name, is_host_char) || name.starts_with('.') || name.ends_with('.') ||
        name.find("..") != std::string_view::npos)
        return "not a host name such as www.example.org or *.example.org";
    return name.size() > max_host ? "longer than any host name" : "";
}

template <class Items, class Text>
std::string listed(std::string_view key, const Items& items, Text text) {
    if (items.empty()) return {};
    std::string out(key);
    const char* before = items.size() == 1 ? " " : " [";
    for (const auto& item : items) {
        out += before + text(item);
        before = ", ";
    }
    return items.size() == 1 ? out : out + "]";
}

// What two lists have in common, where of two items one may stand for the other. An empty list asks
// for nothing. False: they have nothing in common.
template <class Covers>
bool narrow(std::vector<std::string>& list, const std::vector<std::string>& by, Covers covers) {
    if (list.empty() || by.empty()) {
        if (list.empty()) list = by;
        return true;
    }
    std::vector<std::string> common;
    for (const auto& one : list)
        for (const auto& other : by) {
            const auto* narrower = covers(one, other)   ? &other
                                   : covers(other, one) ? &one
                                                        : nullptr;
            if (narrower != nullptr && std::ranges::find(common, *narrower) == common.end())
                common.push_back(*narrower);
        }
    list = std::move(common);
    return !list.empty();
}

bool covers_network(const std::string& outer, const std::string& inner) {
    return Networks({outer}).contains(Networks({inner}));
}

}  // namespace

std::size_t Conditions::others() const {
    return (listeners.empty() ? 0u : 1u) + (methods.empty() ? 0u : 1u) + (from.empty() ? 0u : 1u) +
           headers.size();
}

std::optional<std::string> parse_host(std::string_view text, std::string& why) {
    std::string host = lower(text);
    if (const auto scheme = host.find("://"); scheme != std::string::npos) {
        const auto rest = host.substr(scheme + 3);
        why = "a host has no scheme; write " + rest.substr(0, rest.find_first_of(":/"));
        return std::nullopt;
    }
    const bool brackets = host.starts_with('[') && host.ends_with(']');
    if (auto ipv6 = shortest_ipv6(brackets ? std::string_view(host).substr(1, host.size() - 2)
                                           : std::string_view(host));
        !ipv6.empty())
        return ipv6;
    if (const auto slash = host.find('/'); slash != std::string::npos) {
        why = "a host has no path; write " + host.substr(0, slash) +
              " and prefix: " + host.substr(slash);
        return std::nullopt;
    }
    if (const auto colon = host.rfind(':'); colon != std::string::npos) {
        why = "ports are not compared; write " + host.substr(0, colon) +
              ", or name the listener of that port: listener: NAME";
        return std::nullopt;
    }
    if (host.ends_with('.')) host.pop_back();
    why = why_no_name(host.starts_with("*.") ? std::string_view(host).substr(2) : host);
    return why.empty() ? std::optional(std::move(host)) : std::nullopt;
}

std::string_view bare_host(std::string_view field, std::string& ipv6) {
    if (field.starts_with('[')) {
        const auto end = std::min(field.find(']'), field.size());
        ipv6 = shortest_ipv6(field.substr(1, end - 1));
        return ipv6;
    }
    field = field.substr(0, field.find(':'));
    if (field.ends_with('.')) field.remove_suffix(1);
    return field;
}

bool usual_spelling(std::string_view field) {
    if (!field.starts_with('[')) return true;
    std::string ipv6;
    return iequals(bare_host(field, ipv6), field.substr(0, field.find(']') + 1));
}

bool covers_host(std::string_view pattern, std::string_view host) {
    if (!pattern.starts_with("*.")) return iequals(pattern, host);
    const auto suffix = pattern.substr(1);
    return host.size() > suffix.size() && iequals(host.substr(host.size() - suffix.size()), suffix);
}

// A HEAD runs what a GET would run.
bool covers_method(std::string_view listed, std::string_view method) {
    return listed == method || (listed == "GET" && method == "HEAD");
}

std::optional<Conditions> both_of(const Conditions& outer, const Conditions& inner) {
    Conditions out = outer;
    const auto equal = [](const std::string& a, const std::string& b) { return a == b; };
    const bool possible = narrow(out.hosts, inner.hosts, covers_host) &&
                          narrow(out.listeners, inner.listeners, equal) &&
                          narrow(out.methods, inner.methods, covers_method) &&
                          narrow(out.from, inner.from, covers_network);
    for (const auto& header : inner.headers)
        if (std::ranges::find(out.headers, header) == out.headers.end())
            out.headers.push_back(header);
    return possible ? std::optional(std::move(out)) : std::nullopt;
}

std::string text_of(const HeaderCondition& condition) {
    using enum HeaderCondition::Is;
    const std::string name = condition.name + ": ";
    switch (condition.is) {
        case exactly:
            return name + shown(condition.text);
        case like:
            return name + "{regex: " + shown(condition.text) + "}";
        case present:
            return name + "{present: true}";
        case absent:
            break;
    }
    return name + "{present: false}";
}

std::string text_of(const Conditions& conditions) {
    const auto itself = [](const std::string& item) { return item; };
    const auto field = [](const HeaderCondition& item) { return text_of(item); };
    std::string out;
    for (const auto& part :
         {listed("host", conditions.hosts, itself),
          listed("listener", conditions.listeners, itself),
          listed("methods", conditions.methods, itself), listed("from", conditions.from, itself),
          listed("header", conditions.headers, field)})
        if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
    return out;
}

}  // namespace ticketgate::config

// What a route asks of a request besides its path: the host, the listener, the method, the client
// and header fields. A route applies where all its conditions hold, and those of the routes that it
// is nested in. docs/decisions/0060.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::config {

/// One header field that a route asks for.
struct HeaderCondition {
    enum class Is { exactly, like, present, absent };
    std::string name;
    Is is = Is::exactly;
    std::string text;  ///< the value, or the pattern (RE2)
    bool operator==(const HeaderCondition&) const = default;
};

/// The conditions of one route. An empty list asks for nothing.
struct Conditions {
    std::vector<std::string> hosts;  ///< normal forms: `a.example.org`, `*.example.org`, `[::1]`
    std::vector<std::string> listeners;  ///< names of `listen[].name`
    std::vector<std::string> methods;    ///< GET stands for HEAD as well
    std::vector<std::string> from;       ///< addresses and networks of clients, or `unix`
    std::vector<HeaderCondition> headers;

    bool empty() const { return hosts.empty() && others() == 0; }
    /// How many there are besides the host.
    std::size_t others() const;
    bool operator==(const Conditions&) const = default;
};

/// The longest host name (RFC 1035 2.3.4), as text without the last dot.
inline constexpr std::size_t max_host = 253;

/// The normal form of a host in the config: lower case, without the last dot, IPv6 in brackets in
/// its shortest spelling. Absent: the reason, and what to write, is in `why`.
std::optional<std::string> parse_host(std::string_view text, std::string& why);

/// The host of a Host field without its port and last dot, in any case. IPv6 addresses are written
/// to `ipv6` in their shortest spelling.
std::string_view bare_host(std::string_view field, std::string& ipv6);

/// False for a Host field with an IPv6 address in another spelling than the one that URLs have
/// (RFC 5952): servers compare it as text.
bool usual_spelling(std::string_view field);

/// Does the pattern (`a.example.org`, `*.example.org`) stand for this host, or for all that this
/// pattern stands for? Without regard to case. `*.` stands for one label or more.
bool covers_host(std::string_view pattern, std::string_view host);

/// Does a list with `listed` hold for a request with `method`?
bool covers_method(std::string_view listed, std::string_view method);

/// Both sets of conditions as one; absent: no request can fulfil both.
std::optional<Conditions> both_of(const Conditions& outer, const Conditions& inner);

/// `host a.example.org, methods [POST]`: for people, and equal for equal conditions.
std::string text_of(const Conditions& conditions);
std::string text_of(const HeaderCondition& condition);

}  // namespace ticketgate::config

#include "config/syntax.hpp"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view fcgi_scheme = "fastcgi://", fcgi_unix = "fastcgi+unix:";

bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z');
}

template <class Allowed>
bool all(std::string_view text, Allowed allowed) {
    return std::all_of(text.begin(), text.end(), allowed);
}

std::optional<unsigned> number(std::string_view text, unsigned max) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > max)
        return std::nullopt;
    return value;
}

// Only converts the text; opens nothing.
bool is_ip(int family, std::string_view text) {
    unsigned char bytes[16];
    return inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

struct HostPort {
    std::string_view host;  // without brackets
    std::optional<std::string_view> port;
    bool bracketed = false;
};

std::optional<HostPort> split(std::string_view text) {
    HostPort parts;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        parts = {text.substr(1, end - 1), std::nullopt, true};
        text.remove_prefix(end + 1);
        if (text.empty()) return parts;
        if (text[0] != ':') return std::nullopt;
        parts.port = text.substr(1);
        return parts;
    }
    const auto colon = text.find(':');
    if (colon != text.rfind(':')) return std::nullopt;  // an IPv6 address without brackets
    parts.host = text.substr(0, colon);
    if (colon != std::string_view::npos) parts.port = text.substr(colon + 1);
    return parts;
}

// Checks the path of `unix:/path`; the kernel's sun_path limits its length.
bool check_unix(std::string_view path, std::string& why) {
    if (!path.starts_with('/') || path.size() < 2)
        why = "a unix socket is written unix:/path, with an absolute path";
    else if (path.size() >= sizeof(sockaddr_un::sun_path))
        why = "the path of a unix socket has at most " +
              std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " characters";
    return why.empty();
}

bool is_upper_hex(char c) {
    return upper_hex_digits.find(c) != std::string_view::npos;
}

// Parses `scheme://host:port`; the port may be left out.
bool parse_authority(std::string_view text, std::string_view scheme, std::string_view usual_port,
                     Upstream& upstream, std::string& why) {
    auto authority = text.substr(scheme.size());
    if (authority.ends_with('/')) authority.remove_suffix(1);
    if (authority.find('@') != std::string_view::npos) {
        why = "a user name or password has no use here; remove it";
    } else if (authority.find_first_of("/?#") != std::string_view::npos) {
        why = "a path or query has no use here: requests keep their own; write " +
              std::string(scheme) + "host:port";
    } else if (const auto parts = split(authority); !parts) {
        why = "an IPv6 address is written in brackets, as " + std::string(scheme) + "[::1]:8000";
    } else if (parts->bracketed ? !is_ip(AF_INET6, parts->host) : !is_name(parts->host)) {
        why = parts->host.empty() ? "the host is missing" : "not a host name or address";
    } else if (const auto port = number(parts->port.value_or(usual_port), 65535);
               !port || *port == 0) {
        why = "a port is a number from 1 to 65535";
    } else {
        upstream.host = parts->host;
        upstream.port = static_cast<std::uint16_t>(*port);
    }
    return why.empty();
}

}  // namespace

std::string why_not_code(std::string_view code) {
    const std::string shown(code);
    if (code.size() < 3 || !is_upper_hex(code[1]) || !is_upper_hex(code[2]))
        return shown + " is not a percent code in upper case, such as %20 or %C3";
    const char c = static_cast<char>(hex_value(code[1]) * 16 + hex_value(code[2]));
    if (c == '/' || c == '\\') return shown + " becomes / in every path; write /";
    if (c > ' ' && c < '\x7f' && std::string_view("%?#").find(c) == std::string_view::npos)
        return shown + " becomes " + c + " in every path; write " + c;
    if (c == '\0') return shown + " never matches; requests with it are refused";
    return {};
}

bool is_token(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && all(text, [&](char c) {
        return is_alnum(c) || marks.find(c) != std::string_view::npos;
    });
}

bool same_to_cgi(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) {
        return is_alnum(x) && is_alnum(y) ? to_lower(x) == to_lower(y) : is_alnum(x) == is_alnum(y);
    });
}

bool is_header_value(std::string_view text) {
    return all(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 64 && text.front() != '-' &&
           all(text, [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_network(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = text.substr(0, slash);
    const bool v4 = is_ip(AF_INET, address), v6 = is_ip(AF_INET6, address);
    if (slash == std::string_view::npos) return v4 || v6;
    return (v4 || v6) && number(text.substr(slash + 1), v4 ? 32 : 128).has_value();
}

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
    in_addr address{};
    if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

std::string why_not_normal(std::string_view path) {
    if (!path.starts_with('/')) return "a prefix starts with /";
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto byte = static_cast<unsigned char>(path[i]);
        const auto rest = path.substr(i);
        const auto segment = rest.substr(0, std::min(rest.find('/', 1), rest.size()));
        if (byte == '?' || byte == '#') return "a prefix is a path only; queries are not matched";
        if (byte == '\\') return "\\ becomes / in every path; write /";
        if (byte <= 0x20 || byte >= 0x7f)
            return "write spaces, control and non-ASCII characters as %XX";
        if (rest.starts_with("//")) return "// becomes / in every path; write one / there";
        if (segment == "/." || segment == "/..")
            return "segments . and .. are removed from every path; leave them out";
        if (byte != '%') continue;
        if (auto why = why_not_code(rest.substr(0, 3)); !why.empty()) return why;
    }
    return {};
}

std::optional<Listen> parse_address(std::string_view text, std::string& why) {
    Listen out;
    out.address = text;
    if (text.starts_with("unix:")) {
        out.unix_path = text.substr(5);
        if (!check_unix(out.unix_path, why)) return std::nullopt;
        return out;
    }
    const auto parts = split(text);
    if (!parts) {
        why = "an IPv6 address is written in brackets, as [::]:8080";
    } else if (!is_ip(parts->bracketed ? AF_INET6 : AF_INET, parts->host)) {
        why =
            "not an IP address and port; write 0.0.0.0:8080 or [::]:8080 for all interfaces, "
            "127.0.0.1:8080 for this machine only";
    } else if (!parts->port) {
        why = "the port is missing, as in " + std::string(text) + ":8080";
    } else if (const auto port = number(*parts->port, 65535); !port) {
        why = "a port is a number up to 65535 (0: any free one)";
    } else {
        out.host = parts->host;
        out.port = static_cast<std::uint16_t>(*port);
        return out;
    }
    return std::nullopt;
}

bool is_fcgi_url(std::string_view text) {
    return iequals(text.substr(0, fcgi_scheme.size()), fcgi_scheme) || text.starts_with(fcgi_unix);
}

bool parse_url(std::string_view text, Upstream& upstream, std::string& why) {
    upstream.url = text;
    for (const std::string_view scheme : {std::string_view("unix:"), fcgi_unix}) {
        if (!text.starts_with(scheme)) continue;
        upstream.unix_path = text.substr(scheme.size());
        return check_unix(upstream.unix_path, why);
    }
    if (iequals(text.substr(0, fcgi_scheme.size()), fcgi_scheme))
        return parse_authority(text, fcgi_scheme, "9000", upstream, why);
    upstream.https = iequals(text.substr(0, 8), "https://");
    if (upstream.https) return parse_authority(text, "https://", "443", upstream, why);
    if (!iequals(text.substr(0, 7), "http://")) {
        why =
            "write http://host:port, https://host:port or unix:/path, or for php-fpm "
            "fastcgi://host:port or fastcgi+unix:/path";
        return false;
    }
    return parse_authority(text, "http://", "80", upstream, why);
}
bool is_loopback(const Listen& listen) {
    return !listen.unix_path.empty() || listen.host.starts_with("127.") || listen.host == "::1";
}

}  // namespace ticketgate::config

#include "http/redirect.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace ticketgate::http {
namespace {

constexpr std::uint16_t default_port(bool https) {
    return https ? 443 : 80;
}

struct Authority {
    std::string_view host;
    std::optional<std::uint16_t> port;  ///< as written
};

// Returns nothing for a form that no server uses for itself, such as one with a user.
std::optional<Authority> split(std::string_view text) {
    const auto bracket = text.rfind(']');
    const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) return Authority{text, std::nullopt};
    const auto digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return Authority{text.substr(0, colon), port};
}

struct Url {
    bool has_scheme = false, https = false;
    std::string_view authority, rest;
};

bool take(std::string_view& text, std::string_view expected) {
    if (!iequals(text.substr(0, expected.size()), expected)) return false;
    text.remove_prefix(expected.size());
    return true;
}

// Splits `http://…`, `https://…` or `//…`.
std::optional<Url> absolute(std::string_view text) {
    Url url;
    url.https = take(text, "https:");
    url.has_scheme = url.https || take(text, "http:");
    if (!take(text, "//")) return std::nullopt;
    const auto end = std::min(text.find_first_of("/?#\\"), text.size());
    url.authority = text.substr(0, end);
    url.rest = text.substr(end);
    return url;
}

bool names_backend(const Url& url, const Authority& to, const BackendAddress& backend) {
    if (url.has_scheme && url.https != backend.https) return false;
    return iequals(to.host, backend.host) &&
           to.port.value_or(default_port(backend.https)) == backend.port;
}

// True if the backend took the client's Host and put its own port after it. False for a default
// port: `https://shop.example:443/` may be intended.
bool names_its_port(const Url& url, const Authority& to, const BackendAddress& backend,
                    const AskedAs& asked) {
    const auto client = split(asked.host);
    if (!client || !to.port || *to.port != backend.port || !iequals(to.host, client->host))
        return false;
    const bool https = url.has_scheme ? url.https : asked.https;
    return *to.port != default_port(https) && (https == backend.https || https == asked.https);
}

// Returns the URL in a Refresh: `5; url=http://…`, quoted or not.
std::string_view url_of_refresh(std::string_view value) {
    constexpr std::string_view key = "url=";
    const auto found = std::ranges::search(value, key, {}, to_lower);
    if (found.empty()) return {};
    auto url = value.substr(static_cast<std::size_t>(found.end() - value.begin()));
    if (url.empty() || (url.front() != '"' && url.front() != '\'')) return url;
    return url.substr(1, url.find(url.front(), 1) - 1);
}

std::string_view url_of(const Field& field) {
    if (field.id == FieldName::location) return field.value;
    return field.id == FieldName::refresh ? url_of_refresh(field.value) : std::string_view();
}

std::optional<std::string> rewritten(const Field& field, const BackendAddress& backend,
                                     std::string_view request_head) {
    const auto url = url_of(field);
    if (!absolute(url)) return std::nullopt;
    return for_client(url, backend, asked_as(request_head));
}

// Appends the field's line with another URL.
void append_line(const Field& field, std::string_view url, std::string& lines) {
    const auto old = url_of(field);
    const char* const end = field.line.data() + field.line.size();
    lines.append(field.line.data(), old.data()).append(url).append(old.data() + old.size(), end);
}

}  // namespace

AskedAs asked_as(std::string_view head) {
    AskedAs asked;
    for (auto at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n")) {
        head.remove_prefix(at + 2);
        auto line = head.substr(0, head.find("\r\n"));
        if (take(line, "host:")) asked.host = trim(line);
        if (take(line, "x-forwarded-proto:")) asked.https = iequals(trim(line), "https");
    }
    return asked;
}

std::optional<std::string> for_client(std::string_view text, const BackendAddress& backend,
                                      const AskedAs& asked) {
    const auto url = absolute(text);
    if (!url || asked.host.empty()) return std::nullopt;
    const auto to = split(url->authority);
    if (!to) return std::nullopt;
    if (!names_backend(*url, *to, backend) && !names_its_port(*url, *to, backend, asked))
        return std::nullopt;
    std::string out = !url->has_scheme ? "//" : asked.https ? "https://" : "http://";
    out.append(asked.host).append(url->rest);
    if (out == text) return std::nullopt;
    return out;
}

bool rewrite_redirects(const ResponseHead& head, const BackendAddress& backend,
                       std::string_view request_head, std::string& lines) {
    std::string out;
    bool any = false;
    for (const Field& field : head.fields) {
        if (!is_redirect(field.id)) continue;
        const auto url = rewritten(field, backend, request_head);
        url ? append_line(field, *url, out) : void(out.append(field.line));
        any = any || url;
    }
    if (any) lines += out;
    return any;
}

}  // namespace ticketgate::http

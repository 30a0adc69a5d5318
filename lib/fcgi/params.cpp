#include "fcgi/params.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"

namespace ticketgate::fcgi {
namespace {

using http::FieldName;

void append_size(std::string& out, std::size_t size) {
    if (size < 128) {
        out += static_cast<char>(size);
        return;
    }
    out += static_cast<char>(size >> 24 | 0x80);
    out += static_cast<char>(size >> 16 & 0xff);
    out += static_cast<char>(size >> 8 & 0xff);
    out += static_cast<char>(size & 0xff);
}

// Writes the variables, except those in the config's `params`: these win, and each is sent once.
class Writer {
 public:
    Writer(const Scripts& scripts, std::string& out) : scripts_(scripts), out_(out) {}
    void put(std::string_view name, std::string_view value) {
        const auto same = [&](const auto& param) { return param.first == name; };
        if (std::ranges::none_of(scripts_.params, same)) append_pair(out_, name, value);
    }
    void put_configured() {
        for (const auto& [name, value] : scripts_.params) append_pair(out_, name, value);
    }

 private:
    const Scripts& scripts_;
    std::string& out_;
};

// Returns a name such as `HTTP_ACCEPT_LANGUAGE`; empty: the field has no variable.
std::string variable(const http::Field& field, std::span<const std::string> id_names) {
    std::string name = "HTTP_";
    bool plain = true;
    for (const char c : field.name) {
        const char lower = to_lower(c);
        const bool letter = lower >= 'a' && lower <= 'z', digit = c >= '0' && c <= '9';
        plain = plain && (letter || digit || c == '-');
        name += letter ? static_cast<char>(lower - 32) : digit ? c : '_';
    }
    const auto is = [&](const std::string& id) { return http::same_cgi_name(field.name, id); };
    return plain || std::ranges::any_of(id_names, is) ? name : std::string();
}

// ticketgate sets framing and connection itself. Content-Type and Content-Length have their own
// variables. Many libraries use HTTP_PROXY as the address of a proxy (httpoxy).
bool is_hidden(FieldName id) {
    switch (id) {
        case FieldName::content_type:
        case FieldName::content_length:
        case FieldName::transfer_encoding:
        case FieldName::connection:
        case FieldName::upgrade:
        case FieldName::proxy:
            return true;
        default:
            return false;
    }
}

struct Variable {
    const http::Field* field;
    std::string name;
    std::string value = {};
};

// Joins fields of one name into one variable at the position of the first; of an id, only the first
// counts. `same` is sorted by name, then by position.
void join(std::span<Variable* const> same, std::span<const std::string> id_names) {
    Variable& first = *same[0];
    first.value = first.field->value;
    const std::string_view between = first.name == "HTTP_COOKIE" ? "; " : ", ";
    for (Variable* const next : same.subspan(1)) {
        const auto is = [&](const auto& id) { return http::same_cgi_name(next->field->name, id); };
        if (std::ranges::none_of(id_names, is))
            first.value.append(between).append(next->field->value);
        next->field = nullptr;
    }
}

// Finds equal names by sorting: comparing each field with the variables so far would take quadratic
// time.
std::vector<Variable> header_variables(const http::RequestHead& head,
                                       std::span<const std::string> id_names) {
    std::vector<Variable> all;
    all.reserve(head.fields.size());
    for (const http::Field& field : head.fields) {
        const bool no_host = field.id == FieldName::host && field.value.empty();
        if (is_hidden(field.id) || no_host) continue;
        auto name = variable(field, id_names);
        if (!name.empty()) all.push_back({&field, std::move(name)});
    }
    std::vector<Variable*> sorted;
    sorted.reserve(all.size());
    for (Variable& one : all) sorted.push_back(&one);
    std::sort(sorted.begin(), sorted.end(), [](const Variable* a, const Variable* b) {
        const int order = a->name.compare(b->name);
        return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() && sorted[end]->name == sorted[begin]->name) ++end;
        join(std::span(sorted).subspan(begin, end - begin), id_names);
    }
    return all;
}

std::string_view value_of(const http::RequestHead& head, FieldName id) {
    const auto found = std::ranges::find(head.fields, id, &http::Field::id);
    return found == head.fields.end() ? std::string_view() : found->value;
}

bool is_port(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Removes the port; keeps the brackets of an IPv6 address, like nginx and Apache.
std::string_view host_name(std::string_view host) {
    const auto bracket = host.find(']');
    if (bracket != std::string_view::npos) return host.substr(0, bracket + 1);
    return host.substr(0, host.find(':'));
}

// Returns the port that the client used, since PHP builds URLs with it: a container may map another
// port to ours (RFC 3875 4.1.15 wants the port on which the client's request arrived).
std::string server_port(const http::RequestHead& head, const Origin& origin, bool https) {
    const auto told = value_of(head, FieldName::x_forwarded_port);
    if (origin.port_told && is_port(told)) return std::string(told);
    if (head.host.empty()) return std::to_string(origin.server_port);
    const auto named = head.host.substr(host_name(head.host).size());
    if (named.size() > 1 && is_port(named.substr(1))) return std::string(named.substr(1));
    return https ? "443" : "80";
}

std::string bracketed(std::string_view ip) {
    const bool ipv6 = ip.find(':') != std::string_view::npos;
    return ipv6 ? "[" + std::string(ip) + "]" : std::string(ip);
}

Script script_of(const http::RequestHead& head, const Scripts& scripts) {
    std::string path;
    // Routing has already normalised this path, so it succeeds.
    (void)http::normalise_path(http::path_of(head.target), path);
    return find_script(path, scripts);
}

void put_script(const http::RequestHead& head, const Scripts& scripts, const Script& script,
                Writer& to) {
    const auto query = head.target.find('?');
    to.put("SCRIPT_FILENAME", scripts.root + script.name);
    to.put("SCRIPT_NAME", script.name);
    if (!script.path_info.empty()) to.put("PATH_INFO", script.path_info);
    to.put("DOCUMENT_ROOT", scripts.root);
    to.put("DOCUMENT_URI", script.name + script.path_info);
    to.put("REQUEST_URI", head.target);
    to.put("QUERY_STRING", query == std::string_view::npos ? "" : head.target.substr(query + 1));
}

void put_ends(const http::RequestHead& head, const Origin& origin, Writer& to) {
    const bool https = iequals(value_of(head, FieldName::x_forwarded_proto), "https");
    to.put("REQUEST_SCHEME", https ? "https" : "http");
    if (https) to.put("HTTPS", "on");
    to.put("REMOTE_ADDR", origin.client_ip);
    if (origin.client_port != 0) to.put("REMOTE_PORT", std::to_string(origin.client_port));
    if (!origin.server_ip.empty()) to.put("SERVER_ADDR", origin.server_ip);
    to.put("SERVER_PORT", server_port(head, origin, https));
    // RFC 3875 4.1.14: a name or an address, even if the client sent no host.
    to.put("SERVER_NAME",
           head.host.empty() ? bracketed(origin.server_ip) : std::string(host_name(head.host)));
}

}  // namespace

void append_pair(std::string& out, std::string_view name, std::string_view value) {
    append_size(out, name.size());
    append_size(out, value.size());
    out.append(name).append(value);
}

void append_params(const http::RequestHead& stamped, unsigned version,
                   std::span<const std::string> id_names, const Origin& origin,
                   const Scripts& scripts, const Script* chosen, std::string& out) {
    Writer to(scripts, out);
    put_script(stamped, scripts, chosen != nullptr ? *chosen : script_of(stamped, scripts), to);
    to.put("GATEWAY_INTERFACE", "CGI/1.1");
    to.put("SERVER_SOFTWARE", "ticketgate");
    to.put("SERVER_PROTOCOL", version == 10 ? "HTTP/1.0" : "HTTP/1.1");
    to.put("REQUEST_METHOD", stamped.method);
    put_ends(stamped, origin, to);
    // PHP built with force-cgi-redirect requires it.
    to.put("REDIRECT_STATUS", "200");
    if (!origin.unique_id.empty()) to.put("UNIQUE_ID", origin.unique_id);
    const auto type = value_of(stamped, FieldName::content_type);
    if (!type.empty()) to.put("CONTENT_TYPE", type);
    if (stamped.framing == http::Framing::length)
        to.put("CONTENT_LENGTH", std::to_string(stamped.content_length));
    for (const Variable& one : header_variables(stamped, id_names))
        if (one.field != nullptr) to.put(one.name, one.value);
    to.put_configured();
}

std::string variable_of(std::string_view header) {
    std::string name = "HTTP_";
    for (const char c : header) {
        const char lower = to_lower(c);
        const bool letter = lower >= 'a' && lower <= 'z', digit = c >= '0' && c <= '9';
        name += letter ? static_cast<char>(lower - 32) : digit ? c : '_';
    }
    return name;
}

void append_length(std::string& out, std::uint64_t length) {
    append_pair(out, "CONTENT_LENGTH", std::to_string(length));
}

// The parameter precedes the client's fields. A pair is two sizes, the name and the value.
std::string_view script_filename(std::string_view head) {
    constexpr std::string_view name = "SCRIPT_FILENAME";
    const auto at = head.find(name);
    if (at == head.npos || at < 5) return {};
    const auto byte = [&](std::size_t before) {
        return static_cast<std::size_t>(static_cast<unsigned char>(head[at - before]));
    };
    std::size_t size = 0;
    if (byte(2) == name.size() && byte(1) < 128)
        size = byte(1);
    else if (byte(5) == name.size() && byte(4) >= 128)
        size = byte(3) << 16 | byte(2) << 8 | byte(1);
    return head.substr(at + name.size(), size);
}

}  // namespace ticketgate::fcgi

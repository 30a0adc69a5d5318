#include "fcgi/params.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fcgi/pairs.hpp"
#include "http/cgi_name.hpp"
#include "http/host.hpp"
#include "http/target.hpp"

namespace ticketgate::fcgi {
namespace {

using http::FieldName;

// Writes the variables, except those in the config's `params`: these win, and each is sent once.
class Writer {
 public:
    Writer(const Scripts& scripts, std::string& out) : scripts_(scripts), pairs_(out) {}
    /// The value has two parts.
    template <VariableName name>
    void put(std::string_view value, std::string_view rest = {}) {
        if (!is_configured(name.view())) pairs_.add(name, value, rest);
    }
    void put_header(std::string_view name, std::string_view value) {
        if (!is_configured(name)) pairs_.add(name, value);
    }
    void put_configured() {
        for (const auto& [name, value] : scripts_.params) pairs_.add(name, value);
    }
    bool is_configured(std::string_view name) const {
        return std::ranges::any_of(scripts_.params, [&](const auto& p) { return p.first == name; });
    }
    Pairs& pairs() { return pairs_; }

 private:
    const Scripts& scripts_;
    Pairs pairs_;
};

bool is_id(std::string_view header, std::span<const std::string> id_names) {
    return std::ranges::any_of(
        id_names, [&](const std::string& id) { return http::same_cgi_name(header, id); });
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

// True if the field has a variable. Of unusual names only those of our ids have one, so that no two
// spellings share it.
bool has_variable(const http::Field& field, std::span<const std::string> id_names) {
    if (is_hidden(field.id)) return false;
    if (field.id == FieldName::host) return !field.value.empty();
    return field.id != FieldName::unusual || is_id(field.name, id_names);
}

struct Variable {
    const http::Field* field;
    std::string name;
};

// Fields of one name are one variable; of an id, only the first counts. `same` is sorted by
// position.
std::string joined(std::span<const Variable> same, std::span<const std::string> id_names) {
    std::string value(same[0].field->value);
    const std::string_view between = same[0].name == "HTTP_COOKIE" ? "; " : ", ";
    for (const Variable& next : same.subspan(1))
        if (!is_id(next.field->name, id_names)) value.append(between).append(next.field->value);
    return value;
}

// Finds equal names by sorting: comparing each field with all others would take quadratic time.
void put_joined(const http::RequestHead& head, std::span<const std::string> id_names, Writer& to) {
    std::vector<Variable> all;
    all.reserve(head.fields.size());
    for (const http::Field& field : head.fields)
        if (has_variable(field, id_names)) all.push_back({&field, variable_of(field.name)});
    std::sort(all.begin(), all.end(), [](const Variable& a, const Variable& b) {
        const int order = a.name.compare(b.name);
        return order != 0 ? order < 0 : a.field < b.field;
    });
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].name == all[begin].name) ++end;
        to.put_header(all[begin].name,
                      joined(std::span(all).subspan(begin, end - begin), id_names));
    }
}

// The variables of headers that have been written, unless there are many. Names are compared where
// they stand, and only with those of their length.
class Written {
 public:
    explicit Written(Writer& to) : to_(to), pairs_(to.pairs()) {}
    enum class Result : std::uint8_t { fresh, again, full };
    Result add(const http::Field& field) {
        const std::size_t before = pairs_.size();
        const std::size_t size = variable_prefix.size() + field.name.size();
        const Name name{pairs_.add_header(field.name, field.value), size};
        const bool again = is_written(name);
        if (again || to_.is_configured(text(name))) pairs_.cut(before);
        if (again) return Result::again;
        if (count_ == names_.size()) return Result::full;
        if (pairs_.size() != before) names_[count_++] = name;
        return Result::fresh;
    }

 private:
    struct Name {
        std::size_t at, size;
    };
    std::string_view text(const Name& name) const { return pairs_.text(name.at, name.size); }
    // Equal names have the same mark, and few others have it: most names are compared with none.
    static std::uint8_t mark_of(std::string_view name) {
        const auto letter = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
        return static_cast<std::uint8_t>(letter(name.size() - 1) * 5 + letter(name.size() / 2) * 3 +
                                         letter(variable_prefix.size()) + name.size() * 37);
    }
    bool is_written(const Name& name) {
        if (!std::exchange(marks_[mark_of(text(name))], true)) return false;
        for (std::size_t i = 0; i < count_; ++i)
            if (names_[i].size == name.size && text(names_[i]) == text(name)) return true;
        return false;
    }

    Writer& to_;
    Pairs& pairs_;
    std::array<Name, 32> names_;
    std::size_t count_ = 0;
    std::array<bool, 256> marks_{};
};

// Nearly every request has few fields, each with a variable of its own: these are written at once.
bool put_distinct(const http::RequestHead& head, std::span<const std::string> id_names,
                  Writer& to) {
    Written written(to);
    for (const http::Field& field : head.fields) {
        if (!has_variable(field, id_names)) continue;
        const auto result = written.add(field);
        if (result == Written::Result::fresh) continue;
        // The first spelling of our own id counts; others are left out.
        if (result == Written::Result::full || !is_id(field.name, id_names)) return false;
    }
    return true;
}

void put_headers(const http::RequestHead& head, std::span<const std::string> id_names, Writer& to) {
    const std::size_t before = to.pairs().size();
    if (put_distinct(head, id_names, to)) return;
    to.pairs().cut(before);
    put_joined(head, id_names, to);
}

// The first of each of the fields that have a variable of another name, too.
struct Told {
    std::string_view content_type, port, scheme;
};

Told told_by(const http::RequestHead& head) {
    Told told;
    const auto take = [](std::string_view& first, const http::Field& field) {
        if (first.data() == nullptr) first = field.value;
    };
    for (const http::Field& field : head.fields) {
        if (field.id == FieldName::content_type) take(told.content_type, field);
        if (field.id == FieldName::x_forwarded_port) take(told.port, field);
        if (field.id == FieldName::x_forwarded_proto) take(told.scheme, field);
    }
    return told;
}

// Returns the port that the client used, since PHP builds URLs with it: a container may map another
// port to ours (RFC 3875 4.1.15 wants the port on which the client's request arrived). It stands in
// X-Forwarded-Port, except behind a unix socket, or where a trusted proxy's makes no sense.
void put_port(const http::RequestHead& head, const Told& told, const Origin& origin, bool https,
              Writer& to) {
    if (http::is_port(told.port))
        to.put<"SERVER_PORT">(told.port);
    else if (head.host.empty() && origin.server_port != 0)
        to.put<"SERVER_PORT">(Decimal(origin.server_port));
    else
        to.put<"SERVER_PORT">(http::client_port(head.host, https));
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

void put_script(const http::RequestHead& head, std::string_view root, const Script& script,
                Writer& to) {
    const auto query = head.target.find('?');
    to.put<"SCRIPT_FILENAME">(root, script.name);
    to.put<"SCRIPT_NAME">(script.name);
    if (!script.path_info.empty()) to.put<"PATH_INFO">(script.path_info);
    to.put<"DOCUMENT_ROOT">(root);
    to.put<"DOCUMENT_URI">(script.name, script.path_info);
    to.put<"REQUEST_URI">(head.target);
    to.put<"QUERY_STRING">(query == head.target.npos ? "" : head.target.substr(query + 1));
}

void put_ends(const http::RequestHead& head, const Told& told, const Origin& origin, Writer& to) {
    const bool https = iequals(told.scheme, "https");
    to.put<"REQUEST_SCHEME">(https ? "https" : "http");
    if (https) to.put<"HTTPS">("on");
    to.put<"REMOTE_ADDR">(origin.client_ip);
    if (origin.client_port != 0) to.put<"REMOTE_PORT">(Decimal(origin.client_port));
    if (!origin.server_ip.empty()) to.put<"SERVER_ADDR">(origin.server_ip);
    put_port(head, told, origin, https, to);
    // RFC 3875 4.1.14: a name or an address, even if the client sent no host.
    if (head.host.empty())
        to.put<"SERVER_NAME">(bracketed(origin.server_ip));
    else
        to.put<"SERVER_NAME">(http::host_name(head.host));
}

}  // namespace

void append_params(const http::RequestHead& stamped, unsigned version,
                   std::span<const std::string> id_names, const Origin& origin,
                   const Scripts& scripts, const Choice& choice, std::string& out) {
    Writer to(scripts, out);
    put_script(stamped, choice.root.empty() ? scripts.root : choice.root,
               choice.script != nullptr ? *choice.script : script_of(stamped, scripts), to);
    to.put<"GATEWAY_INTERFACE">("CGI/1.1");
    to.put<"SERVER_SOFTWARE">("ticketgate");
    to.put<"SERVER_PROTOCOL">(version == 10 ? "HTTP/1.0" : "HTTP/1.1");
    to.put<"REQUEST_METHOD">(stamped.method);
    const Told told = told_by(stamped);
    put_ends(stamped, told, origin, to);
    to.put<"REDIRECT_STATUS">("200");  // PHP built with force-cgi-redirect requires it
    if (!origin.unique_id.empty()) to.put<"UNIQUE_ID">(origin.unique_id);
    if (!told.content_type.empty()) to.put<"CONTENT_TYPE">(told.content_type);
    if (stamped.framing == http::Framing::length)
        to.put<"CONTENT_LENGTH">(Decimal(stamped.content_length));
    put_headers(stamped, id_names, to);
    to.put_configured();
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

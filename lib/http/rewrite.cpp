#include "http/rewrite.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "http/connection_options.hpp"
#include "http/framing.hpp"
#include "http/head_parser.hpp"
#include "http/redirect.hpp"
#include "http/target.hpp"

namespace ticketgate::http {
namespace {

// Room for the framing lines that we may write and for the empty line; a request keeps it while it
// waits. An upgrade grows the text.
constexpr std::size_t room_for(Framing framing) {
    return framing == Framing::none ? 24 : 48;
}

// Fields that ticketgate usually adds to a request.
constexpr std::size_t most_added = 16;

// Copies adjacent kept lines with one append.
class Runs {
 public:
    explicit Runs(std::string& out) : out_(out) {}
    void keep(std::string_view line) {
        if (line.data() != end_) {
            flush();
            begin_ = line.data();
        }
        end_ = line.data() + line.size();
    }
    void flush() {
        if (begin_ != end_) out_.append(begin_, end_);
        begin_ = end_ = nullptr;
    }

 private:
    std::string& out_;
    const char* begin_ = nullptr;
    const char* end_ = nullptr;
};

void append_framing(std::string& out, Framing framing, std::uint64_t length) {
    if (framing == Framing::chunked) out += "Transfer-Encoding: chunked\r\n";
    if (framing != Framing::length) return;
    append_all(out, "Content-Length: ", Decimal(length), "\r\n");
}

// Upgrade is hop-by-hop: dropped, and written again if both sides want it (RFC 9110 7.8).
void append_upgrade(std::string& out, std::string_view protocol) {
    if (protocol.empty()) return;
    append_all(out, "Connection: upgrade\r\nUpgrade: ", protocol, "\r\n");
}

// RFC 9110 7.6.1; drops Trailer since trailers are dropped.
bool hop_by_hop(FieldName id) {
    switch (id) {
        case FieldName::connection:
        case FieldName::keep_alive:
        case FieldName::proxy_connection:
        case FieldName::te:
        case FieldName::trailer:
        case FieldName::transfer_encoding:
        case FieldName::upgrade:
            return true;
        default:
            return false;
    }
}

bool has_cgi_prefix(std::string_view name, std::string_view prefix) {
    return name.size() >= prefix.size() && same_cgi_name(name.substr(0, prefix.size()), prefix);
}

// True for a client's claim about its own address, in any spelling. A trusted proxy spells its
// fields with hyphens.
bool is_false_address(const RequestEdits& edits, const Field& field) {
    if (edits.address_names == nullptr || !edits.address_names->contains(field.name)) return false;
    return !edits.keep_forwarded || field.id == FieldName::unusual;
}

bool is_removed(const RequestEdits& edits, const Field& field) {
    return is_false_address(edits, field) ||
           (edits.removed_names != nullptr && edits.removed_names->contains(field.name));
}

bool is_id(std::string_view name, std::span<const std::string> id_names) {
    return std::ranges::any_of(id_names, [&](const auto& id) { return same_cgi_name(name, id); });
}

// True for names that a backend may fold into a variable that only we may set: X_Forwarded_For and
// the like, and unknown X-Forwarded-*. A trusted proxy spells its own with hyphens; other spellings
// came through it from a client.
bool is_impostor(std::string_view name, bool keep_forwarded) {
    switch (to_lower(name[0])) {
        case 'x':
            if (!has_cgi_prefix(name, "x-forwarded-"))
                return same_cgi_name(name, "x-request-start");
            return !keep_forwarded ||
                   std::ranges::any_of(name, [](char c) { return c != '-' && cgi_fold(c) == '-'; });
        case 'c':
            return same_cgi_name(name, "content-length");
        case 't':
            return same_cgi_name(name, "transfer-encoding");
        default:
            return false;
    }
}

// A HEAD asks for the head of a GET without a range (RFC 9110 14.2), also where it is sent as one.
bool is_only_for_get(const RequestEdits& edits, const Field& field) {
    if (edits.method.empty()) return false;
    return same_cgi_name(field.name, "range") || same_cgi_name(field.name, "if-range");
}

bool drops(const RequestEdits& edits, const Field& field) {
    switch (field.id) {
        case FieldName::content_length:
        case FieldName::expect:  // we answer it (RFC 9110 10.1.1)
        case FieldName::proxy:   // would become HTTP_PROXY, which libraries use
        case FieldName::x_request_start:
        case FieldName::x_forwarded_for:
        case FieldName::max_forwards:  // written again
            return true;
        case FieldName::forwarded:
        case FieldName::x_forwarded_proto:
        case FieldName::x_forwarded_host:
        case FieldName::x_forwarded_port:
            return !edits.keep_forwarded;
        case FieldName::other:
            return is_impostor(field.name, edits.keep_forwarded) || is_removed(edits, field) ||
                   is_only_for_get(edits, field);
        case FieldName::host:
            return false;
        case FieldName::unusual:
            return !edits.keep_unusual || is_impostor(field.name, edits.keep_forwarded) ||
                   is_removed(edits, field);
        default:
            return hop_by_hop(field.id) || is_removed(edits, field);
    }
}

// Not dropped if Connection names it: a client's own is already gone.
bool is_of_proxy(const RequestEdits& edits, std::string_view name) {
    return has_cgi_prefix(name, "x-forwarded-") ||
           (edits.address_names != nullptr && edits.address_names->contains(name));
}
bool is_of_proxy(const ResponseEdits&, std::string_view) {
    return false;
}

bool drops(const ResponseEdits& edits, const Field& field) {
    if (field.id == FieldName::content_length) return !edits.keep_content_length;
    return hop_by_hop(field.id) || (edits.drop_redirects && is_redirect(field.id));
}

// Calls `keep` with each field that is not dropped.
template <class Head, class Edits, class Keep>
void for_kept_fields(const Head& head, const Edits& edits, const Keep& keep) {
    std::optional<ConnectionOptions> options;
    if (head.names_hop_fields) options.emplace(head.fields);
    for (const Field& field : head.fields) {
        if (drops(edits, field)) continue;
        const bool framing =
            field.id == FieldName::content_length;  // for us to decide, not Connection
        if (!framing && is_id(field.name, edits.id_names)) continue;
        if (!framing && options && options->names(field) && !is_of_proxy(edits, field.name))
            continue;
        keep(field);
    }
}

template <class Head, class Edits>
void keep_fields(const Head& head, const Edits& edits, Runs& runs) {
    for_kept_fields(head, edits, [&](const Field& field) { runs.keep(field.line); });
    runs.flush();
}

// Returns the bytes from `first` to the first field or the empty line.
template <class Head>
std::string_view start_line(const Head& head, const char* first) {
    const char* const end = head.fields.empty() ? head.bytes.data() + head.bytes.size() - 2
                                                : head.fields[0].line.data();
    return {first, static_cast<std::size_t>(end - first)};
}

// RFC 9112 3.2.2: absolute-form becomes origin-form for an origin server. RFC 9112 3.2.4 for
// OPTIONS.
void append_origin_form(const RequestHead& head, std::string_view authority, std::string& out) {
    const char* const path = authority.data() + authority.size();
    const auto rest = head.target.substr(static_cast<std::size_t>(path - head.target.data()));
    if (rest.empty() && head.method == "OPTIONS")
        out += '*';
    else if (!rest.starts_with('/'))
        out += '/';
    out += rest;
}

void write_request_line(const RequestHead& head, std::string_view method, Runs& runs,
                        std::string& out) {
    const auto authority = authority_of(head.target);
    if (authority.empty() && head.version == 11 && method.empty())
        return runs.keep(start_line(head, head.method.data()));
    append_all(out, method.empty() ? head.method : method, " ");
    if (authority.empty())
        out += head.target;
    else
        append_origin_form(head, authority, out);
    out += " HTTP/1.1\r\n";
}

// Adds the missing blank after the code of a backend's status line: our output is strict.
void write_status_line(const ResponseHead& head, Runs& runs, std::string& out) {
    constexpr std::size_t version_size = 8, bare_size = 14;
    const auto line = start_line(head, head.bytes.data());
    if (line.size() == bare_size) {
        append_all(out, "HTTP/1.1", line.substr(version_size, bare_size - version_size - 2),
                   " \r\n");
    } else if (head.version != 11) {
        out += "HTTP/1.1";
        runs.keep(line.substr(version_size));
    } else {
        runs.keep(line);
    }
}

// RFC 9110 7.6.2. A request that must not be forwarded does not get here.
void append_max_forwards(const RequestHead& head, std::string& out) {
    if (!head.max_forwards) return;
    append_all(out, "Max-Forwards: ", Decimal(std::max(*head.max_forwards, 1u) - 1), "\r\n");
}

// RFC 9110 8.6: a method that expects content sends a length even without content.
bool expects_content(std::string_view method) {
    return method == "POST" || method == "PUT" || method == "PATCH";
}

// Returns the framing to the backend, and the length.
std::pair<Framing, std::uint64_t> framing_of(const RequestHead& head, const RequestEdits& edits) {
    const bool says_none = edits.framing == Framing::none && expects_content(head.method);
    if (says_none) return {Framing::length, 0};
    return {edits.framing, edits.content_length};
}

// Reads lines of our own, which are `Name: value` and CRLF.
void add_fields(std::string_view lines, RequestHead& head) {
    while (!lines.empty()) {
        const std::size_t colon = lines.find(':'), end = lines.find('\n', colon) + 1;
        const auto line = lines.substr(0, end);
        head.fields.push_back(own_field(line, colon));
        lines.remove_prefix(end);
    }
}

}  // namespace

void rewrite_request(const RequestHead& head, const RequestEdits& edits, std::string& out) {
    out.reserve(out.size() + head.bytes.size() + edits.added.size() + room_for(edits.framing));
    Runs runs(out);
    write_request_line(head, edits.method, runs, out);
    keep_fields(head, edits, runs);
    append_max_forwards(head, out);
    const auto [framing, length] = framing_of(head, edits);
    append_framing(out, framing, length);
    append_upgrade(out, edits.upgrade);
    append_all(out, edits.added, "\r\n");
}

RequestHead edit_request(const RequestHead& head, const RequestEdits& edits, std::string& written) {
    RequestHead edited;
    edited.method = edits.method.empty() ? head.method : edits.method;
    std::tie(edited.framing, edited.content_length) = framing_of(head, edits);
    edited.fields.reserve(head.fields.size() + most_added);
    for_kept_fields(head, edits, [&](const Field& field) { edited.fields.push_back(field); });
    const auto authority = authority_of(head.target);
    if (!authority.empty()) append_origin_form(head, authority, written);
    const std::size_t target = written.size();
    append_max_forwards(head, written);
    edited.target = authority.empty() ? head.target : std::string_view(written).substr(0, target);
    add_fields(std::string_view(written).substr(target), edited);
    add_fields(edits.added, edited);
    const auto host = std::ranges::find(edited.fields, FieldName::host, &Field::id);
    if (host != edited.fields.end()) edited.host = host->value;
    return edited;
}

bool has_unusual_name(const RequestHead& head, std::span<const std::string> expected) {
    return std::ranges::any_of(head.fields, [&](const Field& field) {
        return field.id == FieldName::unusual &&
               std::ranges::none_of(expected,
                                    [&](const auto& name) { return iequals(name, field.name); });
    });
}

void rewrite_response(const ResponseHead& head, const ResponseEdits& edits, std::string& out) {
    out.reserve(out.size() + head.bytes.size() + edits.added.size() + room_for(edits.framing));
    Runs runs(out);
    write_status_line(head, runs, out);
    keep_fields(head, edits, runs);
    append_framing(out, edits.framing, edits.content_length);
    append_upgrade(out, edits.upgrade);
    const bool http_goes_on = head.status != 101;
    if (http_goes_on && !edits.keep_alive)
        out += "Connection: close\r\n";
    else if (http_goes_on && edits.client_1_0)
        out += "Connection: keep-alive\r\n";
    append_all(out, edits.added, "\r\n");
}

}  // namespace ticketgate::http

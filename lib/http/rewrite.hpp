// Rewrites heads: drops and adds lines in one copy. Kept lines stay unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/cgi_name.hpp"
#include "http/head.hpp"
#include "http/name_set.hpp"

namespace ticketgate::http {

struct RequestEdits {
    std::span<const std::string> id_names = {};  ///< cgi_name()s: every spelling is dropped
    std::string_view added = {};                 ///< complete lines with CRLF, added at the end
    Framing framing = Framing::none;             ///< of the body to the backend
    std::uint64_t content_length = 0;
    bool keep_forwarded = false;    ///< the peer is a trusted proxy: keep its X-Forwarded-*
    bool keep_unusual = false;      ///< keep names that CGI servers fold
    std::string_view upgrade = {};  ///< the protocol requested from the backend; empty: none
    /// Replaces the client's HEAD, whose Range and If-Range are dropped; empty: keeps the method.
    std::string_view method = {};
    const NameSet* address_names = nullptr;  ///< dropped, except from a trusted proxy
    const NameSet* removed_names = nullptr;  ///< dropped from every request
};

/// Appends the request head for the backend to `out`: HTTP/1.1, origin-form. Drops hop-by-hop and
/// Connection-named fields (RFC 9110 7.6.1; never Host or a trusted proxy's fields about its
/// client), `Proxy`, `Expect`, id headers in every spelling, X-Request-Start, X-Forwarded-For;
/// unless kept, Forwarded, every X-Forwarded-* and every unusual name; always their underscore
/// twins. Lowers Max-Forwards of OPTIONS; encodes framing again (`Content-Length: 0` for POST, PUT,
/// PATCH without body); `added` comes last. The caller puts a missing Host (HTTP/1.0) into `added`.
void rewrite_request(const RequestHead&, const RequestEdits&, std::string& out);

/// Returns that head as views, for a protocol other than HTTP: method, target, host, fields,
/// framing and length; the framing has no fields. `written` takes the few parts that are neither in
/// the head nor in the edits; it must be empty, and is needed for as long as the result.
RequestHead edit_request(const RequestHead&, const RequestEdits&, std::string& written);

/// True if a field has an unusual name that is not exactly one of `expected`.
bool has_unusual_name(const RequestHead&, std::span<const std::string> expected);

struct ResponseEdits {
    std::span<const std::string> id_names = {};  ///< cgi_name()s to drop: ours are in `added`
    std::string_view added = {};
    Framing framing = Framing::none;   ///< to the client; until_close for 1.0 without length
    std::uint64_t content_length = 0;  ///< when framing is length
    bool keep_content_length = false;  ///< HEAD and 304: keep the field though no body follows
    bool client_1_0 = false;
    bool keep_alive = true;         ///< of the client's connection
    std::string_view upgrade = {};  ///< of a 101 or 426
    bool drop_redirects = false;    ///< Location and Refresh: rewritten ones are in `added`
};

/// Writes the response head for the client: `HTTP/1.1 status reason`, without hop-by-hop fields,
/// framing encoded again, `Connection: close` unless keep_alive, and `Connection: keep-alive` for a
/// kept HTTP/1.0 client.
void rewrite_response(const ResponseHead&, const ResponseEdits&, std::string& out);

}  // namespace ticketgate::http

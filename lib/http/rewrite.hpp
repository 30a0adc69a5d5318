// Head bytes to head bytes: lines dropped and added in one copy. What is kept goes out unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "http/head.hpp"
#include "http/name_set.hpp"

namespace ticketgate::http {

/// A field name as CGI would see it: letters in lower case, digits, everything else as `-` (servers
/// differ in what else but `-` becomes `_`). Used to find every spelling of an id header.
std::string cgi_name(std::string_view name);
/// One character of it. Every way from a field name to a CGI variable upper-cases it; servers
/// differ in which other characters become `_`: some only `-`, Apache all but letters and digits,
/// PHP also dots. This folds them all.
constexpr char cgi_fold(char c) {
    const char lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ? lower : '-';
}
bool same_cgi_name(std::string_view name, std::string_view cgi);

struct RequestEdits {
    std::span<const std::string> id_names = {};  ///< cgi_name()s whose every spelling is dropped
    std::string_view added = {};                 ///< complete lines with CRLF, put at the end
    Framing framing = Framing::none;             ///< of the body as it goes to the backend
    std::uint64_t content_length = 0;
    bool keep_forwarded = false;    ///< the peer is a trusted proxy: its X-Forwarded-* stay
    bool keep_unusual = false;      ///< names that CGI servers fold stay
    std::string_view upgrade = {};  ///< the protocol that is asked of the backend; empty: none
    std::string_view method = {};   ///< instead of the client's; empty: the client's
    const NameSet* address_names = nullptr;  ///< dropped, but for those that a trusted proxy sends
    const NameSet* removed_names = nullptr;  ///< dropped from every request
};

/// Writes the request head for the backend into `out` (appended): HTTP/1.1, origin-form; hop-by-hop
/// and Connection-named fields dropped (RFC 9110 7.6.1; never Host nor what a proxy of ours says of
/// its client), `Proxy`, `Expect`, id headers in every spelling, X-Request-Start, X-Forwarded-For
/// and (unless kept) Forwarded, every X-Forwarded-* and every unusual name dropped, their
/// underscore twins always; Max-Forwards of OPTIONS lowered; framing re-encoded (`Content-Length:
/// 0` for POST, PUT, PATCH without body); `added` last. A missing Host (HTTP/1.0) is the caller's
/// to put into `added`.
void rewrite_request(const RequestHead&, const RequestEdits&, std::string& out);

/// Is there a field with an unusual name other than exactly one of `expected`?
bool has_unusual_name(const RequestHead&, std::span<const std::string> expected);

struct ResponseEdits {
    std::span<const std::string> id_names = {};  ///< cgi_name()s dropped: ours are in `added`
    std::string_view added = {};
    Framing framing = Framing::none;   ///< to the client; until_close for 1.0 without length
    std::uint64_t content_length = 0;  ///< when framing is length
    bool keep_content_length = false;  ///< HEAD and 304: the field stays though no body follows
    bool client_1_0 = false;
    bool keep_alive = true;         ///< of the client's connection
    std::string_view upgrade = {};  ///< of a 101 or 426
    bool drop_redirects = false;    ///< Location and Refresh: rewritten ones are in `added`
};

/// Writes the response head for the client: `HTTP/1.1 status reason`, hop-by-hop dropped, framing
/// re-encoded, `Connection: close` when not keep_alive, `Connection: keep-alive` for a kept
/// HTTP/1.0 client.
void rewrite_response(const ResponseHead&, const ResponseEdits&, std::string& out);

}  // namespace ticketgate::http

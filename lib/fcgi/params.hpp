// The CGI variables of a request (RFC 3875 section 4.1, and those that nginx's fastcgi.conf and
// Apache's mod_proxy_fcgi add for PHP), as name-value pairs of FastCGI 3.4. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fcgi/origin.hpp"
#include "fcgi/script.hpp"
#include "http/head.hpp"

namespace ticketgate::fcgi {

/// Appends the variables of a head that http::edit_request() has made: without fields that
/// clients must not set, with ids and X-Forwarded-*. `version`: the client's, 10 or 11. `id_names`:
/// cgi names of our ids; only these fields may have an underscore. Joins fields of one name (RFC
/// 9110 5.3; Cookie by `; `); of an id, only the first counts. Leaves out a field whose name has
/// characters other than letters, digits and `-`, like nginx and Apache: so two spellings never
/// share a variable.
void append_params(const http::RequestHead& stamped, unsigned version,
                   std::span<const std::string> id_names, const Origin& origin,
                   const Scripts& scripts, const Choice& choice, std::string& out);

/// Appends CONTENT_LENGTH, for a body whose length was not known before.
void append_length(std::string& out, std::uint64_t length);

/// The file that such a head names for the script; empty: none.
std::string_view script_filename(std::string_view head);

}  // namespace ticketgate::fcgi

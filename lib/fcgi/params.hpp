// The CGI variables of a request (RFC 3875 section 4.1, and what nginx's fastcgi.conf and Apache's
// mod_proxy_fcgi add to them for PHP), as the name-value pairs of FastCGI 3.4. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fcgi/origin.hpp"
#include "fcgi/script.hpp"
#include "http/head.hpp"

namespace ticketgate::fcgi {

/// One pair: lengths of one byte up to 127, of four above.
void append_pair(std::string& out, std::string_view name, std::string_view value);

/// Appends the variables of a head that http::rewrite_request() has written: what clients may not
/// set is gone from it, ids and X-Forwarded-* stand in it. `version`: the client's, 10 or 11.
/// `id_names`: cgi names of our ids; only these may have an underscore in a field's name. Fields of
/// one name are joined (RFC 9110 5.3; Cookie by `; `), of an id the first counts. A field whose
/// name has other characters than letters, digits and `-` is left out, as nginx and Apache do: two
/// spellings never meet in one variable.
void append_params(const http::RequestHead& stamped, unsigned version,
                   std::span<const std::string> id_names, const Origin& origin,
                   const Scripts& scripts, std::string& out);

/// CONTENT_LENGTH, for a body whose length became known later.
void append_length(std::string& out, std::uint64_t length);

/// The file that such a head names for the script; empty: none.
std::string_view script_filename(std::string_view head);

}  // namespace ticketgate::fcgi

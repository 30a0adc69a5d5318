// Request targets and the one normal form of a path that routes are matched on. The bytes that are
// forwarded are the client's own; only matching uses this form, so that no spelling slips past a
// queue.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::http {

/// The path part of a target: of origin-form (`/a?b`), of absolute-form (`http://h/a?b`), `*` for
/// `OPTIONS *`. Empty for anything else (authority-form, relative, a scheme other than http and
/// https, no host). `/` for an absolute-form without path (RFC 9112 3.2.1).
std::string_view path_of(std::string_view target);

/// The authority of an absolute-form target; empty for the other forms.
std::string_view authority_of(std::string_view target);

/// Normal form for matching: percent-codes of visible ASCII decoded (RFC 3986 6.2.2.2 and beyond
/// it: backends decode `%40` like `%61`, so a route must not see two paths) except `%25`, `%3F`,
/// `%23`; other codes kept with capital hex digits; `%2F`, `%5C` and backslash as `/` (a backend
/// may read them so), repeated slashes as one, then dot segments removed. `;params` are part of
/// their segment, as PHP behind Apache or nginx has it: `..;a` is a name, not a dot segment. `*` is
/// its own normal form. False: invalid (`%00`, broken percent code, no leading slash): the request
/// is refused with 400. `out` is overwritten; a path with nothing to do is one scan.
bool normalise_path(std::string_view path, std::string& out);

/// The other normal forms that a backend may see in this path, where servers differ: a slash that
/// is written as a backslash or as `%2F` may be none, and repeated slashes may count as segments of
/// their own for a `..` behind them, or slashes be decoded after `..` was looked at. Almost always
/// none. A path whose readings do not lead to one
/// route is refused, so that none of them slips past a queue. `path` is valid for
/// normalise_path().
std::vector<std::string> other_readings(std::string_view path);

}  // namespace ticketgate::http

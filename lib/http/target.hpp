// Request targets, and the one normal form of a path for route matching. The backend gets the
// client's own bytes; only matching uses the normal form, so that no spelling bypasses a queue.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::http {

/// Returns the path of a target: of origin-form (`/a?b`), of absolute-form (`http://h/a?b`), `*`
/// for `OPTIONS *`. Empty for any other target (authority-form, relative, a scheme other than http
/// and https, no host). `/` for an absolute-form without path (RFC 9112 3.2.1).
std::string_view path_of(std::string_view target);

/// Returns the authority of an absolute-form target; empty for the other forms.
std::string_view authority_of(std::string_view target);

/// Writes the normal form for matching to `out`. Decodes percent codes of visible ASCII except
/// `%25`, `%3F`, `%23` (beyond RFC 3986 6.2.2.2: backends decode `%40` like `%61`, so a route must
/// not see two paths). Keeps other codes, with capital hex digits. `%2F`, `%5C` and backslash
/// become `/` (a backend may read them so), repeated slashes one; then removes dot segments.
/// `;params` stay in their segment, as in PHP behind Apache or nginx: `..;a` is a name. `*` is its
/// own normal form. False: invalid (`%00`, broken percent code, no leading slash), answered with
/// 400. A normal path takes one scan.
bool normalise_path(std::string_view path, std::string& out);

/// Returns the other normal forms that a backend may read from this path. Servers differ: a
/// backslash or `%2F` may not be a slash, repeated slashes may be empty segments for a later `..`,
/// and slashes may be decoded after `..` was resolved. Almost always empty. A path whose forms do
/// not all lead to one route is refused, so that none bypasses a queue. `path` is valid for
/// normalise_path().
std::vector<std::string> other_readings(std::string_view path);

/// Returns the forms that an application may compare with its routes when its server hands it the
/// path as it came: with dot segments as names, without `..`, or not decoded at all; of each also
/// the form in which repeated slashes are one. For a router of Symfony `/orders/..` is the order
/// `..`. For a pattern of Yii `/admin%0A` is `/admin`; for one of
/// WordPress `/admin%0A/` is, too.
std::vector<std::string> verbatim_readings(std::string_view path);

/// Returns the forms that a router may see that takes its path from PHP's parse_url(), which reads
/// `x` of `//x/admin` as a host. Empty for a path that does not begin with two slashes.
std::vector<std::string> readings_behind_host(std::string_view path);

/// True: the path has no other reading than its normal form.
bool is_read_alike(std::string_view path, std::string_view normal);

}  // namespace ticketgate::http

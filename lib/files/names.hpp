// What the name of a file says: which file a path means, what is never shown, and what is a script.
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ticketgate::files {

/// Decodes a path in normal form (http::normalise_path()) to the file's path below the root, which
/// begins with a slash. False: it names no file (`*`, a code of a null byte).
bool file_path(std::string_view normal, std::string& out);

/// Encodes a file's path for a Location field: one slash at its begin, no character that could end
/// the path or the line.
std::string encoded_path(std::string_view path);

/// True if a segment of the path begins with a dot (but for /.well-known), or fits a pattern, or if
/// the path is a pattern that begins with a slash, or below it. In a name's pattern `*` is any
/// number of characters; case does not count.
bool is_hidden(std::string_view path, std::span<const std::string> patterns);

/// True if some server may run a file of this name, or if it is the source of a script: `.php`,
/// `.PHP5`, `.phtml`, `.phar`, `.inc`, and copies such as `.php.bak`, `.php~`, `.inc.txt`.
bool is_script(std::string_view name);

/// True if the path is one of `sources`, or a copy of it, such as `/app.lua.bak`. A source without
/// a slash is a name in any folder. Case does not count.
bool is_source(std::string_view path, std::span<const std::string> sources);

/// The end of the script that the path names: of its first segment that ends in `.php` and is
/// longer, like fcgi::find_script(). npos: it names none.
std::size_t script_end(std::string_view path);

/// True if it has a control character, which would garble logs and php-fpm's status page.
bool has_control(std::string_view path);

}  // namespace ticketgate::files

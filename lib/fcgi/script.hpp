// Which script a path names. Nobody can look into the file system of another container, so it is a
// rule over text (RFC 3875 3.3 leaves it to the server). Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ticketgate::fcgi {

/// How paths become scripts.
struct Scripts {
    std::string root;  ///< document root as the application's machine has it, without a last slash
    std::string front = "/index.php";  ///< serves paths that name no script; empty: `index` does
    std::string index = "index.php";   ///< in the folder that such a path names
    bool split = true;                 ///< paths may name scripts; else all go to `front`
    std::vector<std::pair<std::string, std::string>> params = {};  ///< more variables
    bool operator==(const Scripts&) const = default;
};

struct Script {
    std::string name;  ///< SCRIPT_NAME: starts with a slash, ends in .php unless configured not to
    std::string path_info;
    bool operator==(const Script&) const = default;
};

/// The script of a path in http::normalise_path()'s form. With `split`, the first segment that ends
/// in `.php` is its end and the rest PATH_INFO, as nginx's `^(.+?\.php)(/.*)$` has it.
/// Percent-codes are decoded, as no slash and no dot can come of them there; those of control
/// characters stay.
Script find_script(std::string_view normal_path, const Scripts& scripts);

}  // namespace ticketgate::fcgi

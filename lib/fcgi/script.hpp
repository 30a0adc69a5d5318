// Selects the script of a path. The scripts may be in another container's file system, so the rule
// uses only text (RFC 3875 3.3 leaves it to the server). Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ticketgate::fcgi {

/// The rules that map paths to scripts.
struct Scripts {
    std::string root;  ///< document root as the application sees it, without a last slash
    std::string front = "/index.php";  ///< serves paths that name no script; empty: `index` does
    std::string index = "index.php";   ///< in the folder that such a path names
    bool split = true;                 ///< paths may name scripts; else all go to `front`
    std::vector<std::pair<std::string, std::string>> params = {};  ///< more variables
    bool operator==(const Scripts&) const = default;
};

struct Script {
    std::string name;  ///< SCRIPT_NAME: starts with a slash; by default, ends in .php
    std::string path_info;
    bool operator==(const Script&) const = default;
};

/// What stands for one request in place of the rules.
struct Choice {
    const Script* script = nullptr;  ///< null: the one that the path names
    std::string_view root = {};      ///< where Scripts::root leads to now; empty: that itself
};

/// Returns the script of a normalised path (http::normalise_path()). With `split`, the script ends
/// with the first segment that ends in `.php`, and the rest is PATH_INFO, like nginx's
/// `^(.+?\.php)(/.*)$`. Decodes percent codes, which cannot yield slashes or dots in this form, but
/// keeps those of control characters.
Script find_script(std::string_view normal_path, const Scripts& scripts);

/// Returns the script as the application is told of it: `params` may give it another PATH_INFO.
Script told_script(Script script, const Scripts& scripts);

}  // namespace ticketgate::fcgi

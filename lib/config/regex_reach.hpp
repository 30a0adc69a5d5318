// Where a regex route may take paths from other routes, for the checks of scripts. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"

namespace ticketgate::config {

struct RegexReach {
    /// Folders without a slash at their end, and scripts: the folder that encloses the route, the
    /// folder with which its pattern begins, and those of the routes that name a queue.
    std::vector<std::string> places;
    /// The endings of files that the pattern means in one of the first two.
    std::vector<std::string_view> endings;

    RegexReach() = default;
    /// `outer` is the prefix that encloses the route, without a slash at its end. `applies` tells
    /// whether the route has a part in the settings of a path.
    RegexReach(const Config& config, const RouteNode& route, std::string outer,
               const std::function<bool(const std::string& path)>& applies);
};

/// `/shop/` of `/shop/index.php`.
std::string folder_of(std::string_view path);
bool is_script(std::string_view place);
/// The script that stands for a place: itself, or one in the folder.
std::string script_at(const std::string& place);

}  // namespace ticketgate::config

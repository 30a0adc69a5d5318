// Front controllers: scripts that run for paths that name no script, and the paths under which one
// page of such an application can be asked for. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"

namespace ticketgate::config {

/// The scripts that FastCGI runs for paths that name none: `fastcgi.script` of each upstream, and
/// scripts at the end of a `files.try`. Sorted, each once.
std::vector<std::string> front_controllers(const Config& config);

/// The script that these settings run for a path that names none; empty: none, or none is known.
std::string front_controller(const Config& config, const Settings& settings);

/// The script that these settings run for a folder that has an index, whatever its name; empty: the
/// index itself, or none.
std::string folder_script(const Config& config, const Settings& settings);

/// True: a path that names a script runs that script, if any.
bool runs_named_scripts(const Config& config, const Settings& settings);

/// Another path that the application of a front controller may take for this one.
struct Spelling {
    std::string path;
    bool certain = true;  ///< false: only where the script runs for that path as well
    bool operator==(const Spelling&) const = default;
};

/// Applications read their route from PATH_INFO, or cut the script's name or its folder off the
/// path. So `/index.php/admin` is `/admin`, and of `/app/index.php`, `/app/admin` and `/admin` are
/// one page. They cut the name as text: `/index.phpadmin` is `/admin` for Symfony, Laravel, Yii and
/// CodeIgniter, `/appadmin` for the last two, and for WordPress `/index.php/admin%3F` is `/admin`.
/// `path` is in normal form.
std::vector<Spelling> other_spellings(std::string_view script, std::string_view path);

/// True: the script's file name stands in the path elsewhere than in front, or in other letters.
/// Applications find it there: Symfony cuts as many bytes as the script's path has, Joomla each
/// file name, Slim one in any letters, Laminas up to the last one. No client of theirs writes such
/// a path.
bool has_odd_name(std::string_view script, std::string_view path);

}  // namespace ticketgate::config

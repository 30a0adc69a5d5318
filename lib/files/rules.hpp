// What `files:` of a route means: where files are, what is tried for a path, what is never shown.
// Made once for each route; immutable, any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/media_types.hpp"

namespace ticketgate::files {

/// What a path without a file gets.
enum class Fallback : std::uint8_t {
    none,      ///< 404; no script runs
    named,     ///< the backend, if the path names a script; else 404
    upstream,  ///< the backend, as without files
    script,    ///< the backend, which runs this script
    file       ///< this file
};

struct Rules {
    std::string root;                ///< the folder, an absolute path
    std::vector<std::string> links;  ///< real paths of folders that links may lead into
    bool tries_path = true, tries_folder = true;
    Fallback fallback = Fallback::upstream;
    std::string fallback_path;       ///< of `script` and `file`: begins with a slash
    std::vector<std::string> index;  ///< names of files that stand for their folder, best first
    std::vector<std::string> hide;   ///< patterns of names
    /// Scripts that the backend runs, by any name: they are never sent. See is_source().
    std::vector<std::string> sources;
    bool precompressed = true;  ///< looks for NAME.br and NAME.gz
    /// A path that names a script runs it, whatever else the backend is told.
    bool runs_scripts = true;
    /// The backend is told which script to run (FastCGI), and may be told scripts of folders.
    bool chooses_scripts = false;
    /// Something of this may reach the backend.
    bool has_backend() const { return fallback != Fallback::none && fallback != Fallback::file; }
    std::string cache_control;                             ///< empty: no such field
    std::vector<std::pair<std::string, MediaType>> types;  ///< by ending, before `known`
    std::shared_ptr<const MediaTypes> known;

    const MediaType& type_of(std::string_view name) const;
};

}  // namespace ticketgate::files

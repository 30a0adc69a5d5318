// Finds what a path stands for below a root: a file, a script, a folder's index or its redirect, or
// the fallback. Decides by names and asks a Tree for what is there; pure but for that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "files/rules.hpp"

namespace ticketgate::files {

/// An open regular file, and what it was when it was opened.
class OpenFile {
 public:
    virtual ~OpenFile() = default;
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
};

struct Found {
    enum class Kind : std::uint8_t {
        nothing,  ///< nothing there that may be shown
        file,
        folder,
        unknown,  ///< only a call that may block can tell
        failed    ///< the system cannot open it now: no descriptors, no memory, a broken disk
    } kind = Kind::nothing;
    std::int64_t mtime_ns = 0;  ///< of a file
    std::shared_ptr<OpenFile> file = nullptr;
};

/// The folder that the root is. Paths are relative to it, and never lead out of it.
class Tree {
 public:
    virtual Found open(const std::string& path) = 0;
    /// The same for what is not sent: nothing is opened, so `file` is null, and the file need not
    /// be readable.
    virtual Found find(const std::string& path) = 0;

 protected:
    ~Tree() = default;
};

enum class Coding : std::uint8_t { identity, gzip, br };
std::string_view name_of(Coding coding);

/// The codings that a client takes beside the plain file (RFC 9110 12.5.3).
struct Codings {
    bool gzip = false, br = false;
};
Codings read_codings(std::string_view accept_encoding);

/// What is asked.
struct Query {
    std::string path;    ///< of file_path()
    bool reads = true;   ///< GET or HEAD: others get no file, but a script may be chosen
    Codings takes = {};  ///< by the client
};

struct Resolved {
    enum class Kind : std::uint8_t {
        unknown,  ///< ask again where a call may block
        failed,   ///< 503
        file,
        script,    ///< the backend runs `path`
        upstream,  ///< the backend, as without files
        redirect,  ///< the path is a folder's and lacks its slash: to `path`
        missing,   ///< 404
        hidden     ///< 404, whether it is there or not
    } kind = Kind::missing;
    std::string path = {};  ///< of the file without its coding, the script or the redirect
    std::shared_ptr<OpenFile> file = nullptr;
    Coding coding = Coding::identity;
    bool of_folder = false;  ///< a script that was found as the index of the path's folder
    bool varies = false;     ///< there are several codings of it
};

Resolved look_up(Tree& tree, const Query& query, const Rules& rules);

}  // namespace ticketgate::files

// The settings of static files: a part of model.hpp, which includes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/forms.hpp"

namespace ticketgate::config {

/// Static files of a route; each field is inherited by itself.
template <class Form>
struct FilesIn {
    using Names = std::vector<std::string>;
    using Types = std::vector<std::pair<std::string, std::string>>;
    In<Form, std::string> root = {};  ///< the folder; empty: no files are served
    In<Form, Names> links = {};       ///< folders into which links may lead out of the root
    In<Form, Names> tries =
        Form::initial(Names{"path", "path/", "upstream"});  ///< what a path may stand for, in order
    In<Form, Names> index = Form::initial(Names{"index.php", "index.html"});  ///< of folders
    In<Form, Types> types = {};                ///< media types by ending, before the system's
    In<Form, std::string> cache_control = {};  ///< empty: no such field
    In<Form, Names> hide = Form::initial(Names{"default"});  ///< patterns of names that get 404
    In<Form, bool> precompressed = Form::initial(true);      ///< sends NAME.br and NAME.gz
    bool operator==(const FilesIn&) const = default;
};
using Files = FilesIn<Whole>;
using FilesOverrides = FilesIn<Said>;

/// Reading files from disks.
struct FileIo {
    std::uint32_t threads = 4;               ///< that wait for disks
    std::uint32_t max_waiting = 1024;        ///< for such a thread; 503 above
    std::uint32_t max_open = 1024;           ///< files, for all clients together; 503 above
    std::uint64_t max_memory = 32ull << 20;  ///< for copies of files
    bool operator==(const FileIo&) const = default;
};

}  // namespace ticketgate::config

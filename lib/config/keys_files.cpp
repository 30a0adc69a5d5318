#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

using F = Files;
using Said = FilesOverrides;

constexpr std::array files_rows{
    like("/var/www/html",
         plain("root", Kind::folder, setting<&F::root, &Said::root>,
               "The folder of the files, as ticketgate sees it. GET and HEAD for a file in it are "
               "answered from here and never queued. Without it, no files are served. Symbolic "
               "links that lead out of it are not followed, but into links.")),
    like("[/usr/share/javascript]",
         plain("links", Kind::words, setting<&F::links, &Said::links>,
               "Folders into which symbolic links may lead out of root, as Debian's packages have "
               "them. [/] follows every link.")),
    plain("try", Kind::words, setting<&F::tries, &Said::tries>,
          "What a path stands for, in this order. path: the file of that name. path/: the index of "
          "the folder of that name. Last may stand what all other paths get: upstream (the "
          "backend, as without files), a script such as /index.php that a FastCGI backend runs, "
          "script (the backend for paths that name a script, 404 for others), or a file such as "
          "/index.html. Without one of the first three, no script runs: what is no file gets 404. "
          "[upstream] alone serves no files."),
    plain("index", Kind::words, setting<&F::index, &Said::index>,
          "The names of files that stand for their folder, best first. A folder without one is not "
          "listed."),
    like("{md: text/markdown}",
         plain("types", Kind::types, setting<&F::types, &Said::types>,
               "Media types by the ending of the name, before those of /etc/mime.types.")),
    like(
        "public, max-age=3600",
        plain("cache_control", Kind::text, setting<&F::cache_control, &Said::cache_control>,
              "The Cache-Control of files. off: none, whatever is set around it. Without it, there "
              "is none, and clients ask again with ETag and Last-Modified.")),
    plain("hide", Kind::words, setting<&F::hide, &Said::hide>,
          "Names of files and folders that get 404, whether they are there or not; * stands for "
          "any characters. /data is one folder or file, and all below it. default stands for "
          "copies and dumps: *~ *.bak *.log *.old *.orig *.save "
          "*.sql *.sqlite *.swp composer.json and more. Names that begin with a dot are always "
          "hidden, but for /.well-known."),
    flag("precompressed", setting<&F::precompressed, &Said::precompressed>,
         "Sends NAME.br or NAME.gz beside the file to clients that take it, unless it is older "
         "than the file."),
};

constexpr std::array io_rows{
    count("threads", field<&FileIo::threads>, 1, 256,
          "Threads of each root that open files, and read from disks what the system does not have "
          "in memory. They start when they are needed; at most 256 in all."),
    count("max_waiting", field<&FileIo::max_waiting>, 0, 1000000,
          "Reads and look-ups of one root that may wait for such a thread. Above it: 503."),
    count("max_open", field<&FileIo::max_open>, 1, 1000000,
          "Files that are open for clients at one time. Above it: 503. An eighth as many copies "
          "may be open beside them."),
    size("max_memory", field<&FileIo::max_memory>,
         "The memory for copies of files that many clients want, on file systems that do not tell "
         "what the system has in memory, such as overlayfs. A copy is kept for a second; no file "
         "takes more than an eighth. Without one, a thread makes each read. 0: none."),
};

}  // namespace

constinit const std::span<const Key> files_keys = files_rows;
constinit const std::span<const Key> file_io_keys = io_rows;

}  // namespace ticketgate::config

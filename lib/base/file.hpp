// Reads the text of a file that the operator names: the config, a certificate, a page. Reads only
// regular files: a pipe, a device or a socket could block the reader for ever, or never end.
#pragma once

#include <cstdint>
#include <string>

namespace ticketgate {

struct FileText {
    std::string text;
    std::string why;  ///< why it could not be read; empty: it was read
    explicit operator bool() const { return why.empty(); }
};

/// Reads the whole file; fails if it has more than `most` bytes.
FileText read_file(const std::string& path, std::uint64_t most);

}  // namespace ticketgate

// The text of a file that an operator names: the config, a certificate, a page. Nothing here waits
// for a peer: only a regular file is read. A pipe, a device or a socket could block the reader for
// ever, or never end.
#pragma once

#include <cstdint>
#include <string>

namespace ticketgate {

struct FileText {
    std::string text;
    std::string why;  ///< why it could not be read; empty: it was
    explicit operator bool() const { return why.empty(); }
};

/// More than `most` bytes is a failure.
FileText read_file(const std::string& path, std::uint64_t most);

}  // namespace ticketgate

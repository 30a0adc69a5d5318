// Bytes as Stream::write_some() takes them. Values; any thread.
#pragma once

#include <span>
#include <string_view>

#include "net/stream.hpp"

namespace ticketgate::net {

/// The const_cast is safe: the system only reads the bytes. iovec has no const form.
inline iovec piece(std::string_view bytes) {
    return {const_cast<char*>(bytes.data()), bytes.size()};
}

inline std::string_view text_of(const iovec& piece) {
    return {static_cast<const char*>(piece.iov_base), piece.iov_len};
}

inline std::size_t size_of(std::span<const iovec> pieces) {
    std::size_t size = 0;
    for (const iovec& piece : pieces) size += piece.iov_len;
    return size;
}

/// Writes one piece.
inline IoResult write_some(Stream& stream, std::string_view bytes) {
    const iovec one = piece(bytes);
    return stream.write_some({&one, 1});
}

}  // namespace ticketgate::net

// Finds the end of a body: takes bytes of the connection, returns pieces of payload. Pure; no
// copies. Reads chunked coding strictly (RFC 9112 7.1): sizes of 1 to 16 hex digits, CRLF only.
// Reads and drops trailers, and extensions with blanks around their `;` and `=` (7.1.1). Limits: 16
// KiB of trailers; 16 KiB of extensions and blanks beyond 16 bytes a chunk and twice its payload.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

class BodyDecoder {
 public:
    BodyDecoder() = default;  ///< no body
    BodyDecoder(Framing, std::uint64_t content_length);

    struct Piece {
        std::string_view payload;  ///< part of the input; may be empty
        std::size_t consumed = 0;  ///< input bytes consumed, including the payload
    };

    /// Returns the next piece at the front of `bytes`. Call again with the rest until done() or
    /// until it consumes nothing (it needs more bytes). Error: bad_request (the caller translates
    /// it for a backend). Behind a limit, but not behind broken coding, further calls read on.
    result<Piece> next(std::string_view bytes);

    /// The connection ended: true if the body is whole, for until_close and if already done.
    bool end_of_stream();

    bool done() const { return state_ == State::done; }
    /// next() has failed: nothing shows the end of the body.
    bool broken() const { return state_ == State::broken; }
    /// next() has failed: there are too many extensions or trailers.
    bool excessive() const { return excessive_; }
    /// Payload bytes still to come, if known (length framing); else 0.
    std::uint64_t remaining() const { return state_ == State::length ? remaining_ : 0; }
    /// Payload bytes that surely come next: of the body, or of the current chunk.
    std::uint64_t expected() const {
        return state_ == State::length || state_ == State::data ? remaining_ : 0;
    }

 private:
    enum class State : std::uint8_t {
        done,
        length,
        until_close,
        broken,
        size,
        blanks,  // after the size: an extension must follow
        extension,
        size_lf,
        data,
        data_cr,
        data_lf,
        trailer,
        trailer_name,
        trailer_value,
        trailer_lf,
        end_lf
    };
    result<Piece> next_chunked(std::string_view bytes);
    Piece counted(std::string_view bytes, std::size_t used, State after);
    bool step(char c);
    bool step_size(char c);
    bool step_blanks(char c);
    bool step_trailer(char c);
    void pay_overhead();
    bool enter(State state);
    bool spend();

    State state_ = State::done;
    bool excessive_ = false;
    std::uint8_t digits_ = 0;      ///< of the chunk size being read
    std::uint32_t overhead_ = 0;   ///< bounded bytes: trailers, or extensions that are not free
    std::uint64_t remaining_ = 0;  ///< of the body (length) or of the chunk
};

/// Why next() fails.
inline constexpr std::string_view broken_body =
    "a body that breaks the chunked coding, or has over 16 KiB of extensions or trailers";

/// Writes the chunk head for a piece of this size: hex, CRLF. Returns its length (at most 18).
std::size_t write_chunk_head(char* out, std::uint64_t size);

}  // namespace ticketgate::http

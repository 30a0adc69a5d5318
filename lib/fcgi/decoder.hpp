// Decodes what a FastCGI application sends: takes bytes of the connection, returns pieces of output
// and the end. Pure; does not copy content. Strict: errors are another version, another request's
// id, a record that applications must not send, output after its end, and an end of the wrong size
// or with an unknown status. After an error it stays broken.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "fcgi/record.hpp"

namespace ticketgate::fcgi {

enum class ProtocolStatus : std::uint8_t {
    request_complete = 0,
    cant_mpx_conn = 1,
    overloaded = 2,
    unknown_role = 3,
};

struct End {
    std::uint32_t app_status = 0;
    ProtocolStatus status = ProtocolStatus::request_complete;
};

class Decoder {
 public:
    enum class Kind : std::uint8_t { nothing, out, err };
    struct Piece {
        Kind kind = Kind::nothing;
        std::string_view payload;  ///< part of the input; may be empty
        std::size_t consumed = 0;  ///< input bytes consumed, including the payload
    };

    /// Returns the next piece at the front of `bytes`. Call again with the rest until done() or
    /// until it consumes nothing (it needs more bytes). Error: upstream_bad_response.
    result<Piece> next(std::string_view bytes);

    /// True once the request's end is read; later bytes do not belong to it.
    bool done() const { return state_ == State::done; }
    bool broken() const { return state_ == State::broken; }
    const End& end() const { return end_; }
    /// Returns the padding of the end record. next() does not consume it; it may not have arrived.
    std::size_t padding() const { return header_.padding; }

 private:
    enum class State : std::uint8_t { header, content, end_body, padding, done, broken };
    bool fill(std::string_view& bytes, std::size_t size);
    bool begin_record();
    bool take_end();
    void after_content();

    State state_ = State::header;
    std::array<char, 8> partial_{};  ///< of a header, or of an end record's body
    std::size_t partial_size_ = 0;
    Header header_;
    std::size_t left_ = 0;  ///< remaining bytes of content or padding
    bool out_ended_ = false, err_ended_ = false;
    End end_;
};

}  // namespace ticketgate::fcgi

// What a FastCGI application sends, taken apart: bytes of the connection in, pieces of its output
// and its end out. Pure; content is not copied. Strict: another version, another request's id, a
// record that no application may send here, output after its own end, an end of the wrong size or
// with a status that the specification does not know are errors, and it stays at the first.
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
        std::size_t consumed = 0;  ///< input bytes used up, payload included
    };

    /// The next piece at the front of `bytes`. Call again with the rest until done() or nothing is
    /// consumed (more bytes are needed). Error: upstream_bad_response.
    result<Piece> next(std::string_view bytes);

    /// The end of the request was read; what follows is not its.
    bool done() const { return state_ == State::done; }
    bool broken() const { return state_ == State::broken; }
    const End& end() const { return end_; }
    /// Bytes of padding that belong to the end and that next() leaves where they are, come or not.
    std::size_t padding() const { return header_.padding; }

 private:
    enum class State : std::uint8_t { header, content, end_body, padding, done, broken };
    bool fill(std::string_view& bytes, std::size_t size);
    bool begin_record();
    bool take_end();
    void after_content();

    State state_ = State::header;
    std::array<char, 8> partial_{};  ///< of a header, or of the body of an end
    std::size_t partial_size_ = 0;
    Header header_;
    std::size_t left_ = 0;  ///< of content or padding
    bool out_ended_ = false, err_ended_ = false;
    End end_;
};

}  // namespace ticketgate::fcgi

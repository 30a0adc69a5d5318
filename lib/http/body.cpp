#include "http/body.hpp"

#include <algorithm>
#include <charconv>

#include "base/bytes.hpp"
#include "http/framing.hpp"

namespace ticketgate::http {
namespace {

// Extensions and trailers are ignored; without a bound a client could send them for ever. Free for
// extensions: 16 bytes a chunk and two for each byte of payload, as in Go since CVE-2023-39326, so
// that an honest body never reaches the bound.
constexpr std::uint32_t max_overhead = 16 << 10;
constexpr std::uint32_t free_a_chunk = 16, free_a_byte = 2;
constexpr std::uint8_t max_size_digits = 16;  // 64 bits

}  // namespace

BodyDecoder::BodyDecoder(Framing framing, std::uint64_t content_length) {
    switch (framing) {
        case Framing::none:
            break;
        case Framing::length:
            remaining_ = content_length;
            state_ = content_length == 0 ? State::done : State::length;
            break;
        case Framing::chunked:
            state_ = State::size;
            break;
        case Framing::until_close:
            state_ = State::until_close;
            break;
    }
}

result<BodyDecoder::Piece> BodyDecoder::next(std::string_view bytes) {
    switch (state_) {
        case State::done:
            return Piece{};
        case State::length:
            return counted(bytes, 0, State::done);
        case State::until_close:
            return Piece{bytes, bytes.size()};
        default:
            return next_chunked(bytes);
    }
}

bool BodyDecoder::end_of_stream() {
    if (state_ == State::until_close) state_ = State::done;
    return done();
}

// Ends the piece with its chunk, so that a later error never hides payload that was whole.
result<BodyDecoder::Piece> BodyDecoder::next_chunked(std::string_view bytes) {
    std::size_t used = 0;
    for (; used < bytes.size() && state_ != State::data && state_ != State::done; ++used) {
        const bool was_excessive = excessive_;
        if (step(bytes[used])) continue;
        if (excessive_ == was_excessive) state_ = State::broken;
        if (broken() || used == 0) return error_code(errc::bad_request);
        excessive_ = false;  // nothing has changed by this byte, with which the next call begins
        break;
    }
    if (state_ != State::data) return Piece{{}, used};
    return counted(bytes, used, State::data_cr);
}

BodyDecoder::Piece BodyDecoder::counted(std::string_view bytes, std::size_t used, State after) {
    const auto here = std::min<std::uint64_t>(remaining_, bytes.size() - used);
    const auto payload = bytes.substr(used, static_cast<std::size_t>(here));
    remaining_ -= here;
    if (remaining_ == 0) state_ = after;
    return {payload, used + payload.size()};
}

// Reads one byte that is not payload (RFC 9112 7.1).
bool BodyDecoder::step(char c) {
    switch (state_) {
        case State::size:
            return step_size(c);
        case State::blanks:
            return step_blanks(c);
        case State::extension:
            if (c == '\r') return enter(State::size_lf);
            return is_text_char(c) && spend();
        case State::size_lf:
            digits_ = 0;
            pay_overhead();
            return c == '\n' && enter(remaining_ > 0 ? State::data : State::trailer);
        case State::data_cr:
            return c == '\r' && enter(State::data_lf);
        case State::data_lf:
            return c == '\n' && enter(State::size);
        default:
            return step_trailer(c);
    }
}

bool BodyDecoder::step_size(char c) {
    if (const int digit = hex_value(c); digit >= 0) {
        remaining_ = remaining_ << 4 | static_cast<std::uint64_t>(digit);
        return ++digits_ <= max_size_digits;
    }
    if (digits_ == 0) return false;
    if (c == '\r') return enter(State::size_lf);
    return step_blanks(c);
}

// RFC 9112 7.1.1 allows blanks before an extension (BWS), but not before the end of the line.
bool BodyDecoder::step_blanks(char c) {
    if (c == ';') return enter(State::extension);
    return (c == ' ' || c == '\t') && spend() && enter(State::blanks);
}

// Trailer lines must look like fields (RFC 9112 7.1.2): if the last CRLF is missing, the next
// request line must not be dropped as a trailer.
bool BodyDecoder::step_trailer(char c) {
    if (!spend()) return false;
    switch (state_) {
        case State::trailer:
            if (c == '\r') return enter(State::end_lf);
            return is_token_char(c) && enter(State::trailer_name);
        case State::trailer_name:
            return is_token_char(c) || (c == ':' && enter(State::trailer_value));
        case State::trailer_value:
            return is_text_char(c) || (c == '\r' && enter(State::trailer_lf));
        case State::trailer_lf:
            return c == '\n' && enter(State::trailer);
        case State::end_lf:
            return c == '\n' && enter(State::done);
        default:
            return false;
    }
}

// Fails once, and changes nothing else then.
bool BodyDecoder::spend() {
    if (excessive_) return true;
    excessive_ = overhead_ == max_overhead;
    if (!excessive_) ++overhead_;
    return !excessive_;
}

// Subtracts the free bytes of a chunk at its head, since only its payload can follow. Trailers,
// after the last chunk, have the whole bound again.
void BodyDecoder::pay_overhead() {
    const std::uint64_t most = max_overhead;
    const auto paid = free_a_chunk + free_a_byte * std::min(remaining_, most);
    overhead_ -= static_cast<std::uint32_t>(
        remaining_ == 0 ? overhead_ : std::min<std::uint64_t>(overhead_, paid));
}

bool BodyDecoder::enter(State state) {
    state_ = state;
    return true;
}

std::size_t write_chunk_head(char* out, std::uint64_t size) {
    char* end = std::to_chars(out, out + max_size_digits, size, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    return static_cast<std::size_t>(end - out);
}

}  // namespace ticketgate::http

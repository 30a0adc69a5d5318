// FastCGI 1.0 records (section 3.3) as bytes: those that a web server sends, and the header of
// those it receives. One request per connection, so the request id is always 1. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ticketgate::fcgi {

enum class Type : std::uint8_t {
    begin_request = 1,
    abort_request = 2,
    end_request = 3,
    params = 4,
    in = 5,
    out = 6,
    err = 7,
};

inline constexpr std::size_t header_size = 8;
inline constexpr std::size_t max_content = 65535;
inline constexpr std::uint16_t request_id = 1;

struct Header {
    std::uint8_t version = 1;
    Type type = Type::out;
    std::uint16_t id = request_id;
    std::uint16_t length = 0;
    std::uint8_t padding = 0;
    bool operator==(const Header&) const = default;
};

/// `bytes` holds at least header_size bytes.
Header decode_header(std::string_view bytes);

/// A header for `length` bytes of content, at most max_content, without padding.
std::array<char, header_size> encode_header(Type type, std::size_t length);
void append_header(std::string& out, Type type, std::size_t length);

/// Asks for a responder. `keep_connection`: the application keeps it open after the answer.
void append_begin(std::string& out, bool keep_connection);

/// Appends the bytes in as many records as needed. No bytes: no record (an empty one is the end).
void append_stream(std::string& out, Type type, std::string_view bytes);

}  // namespace ticketgate::fcgi

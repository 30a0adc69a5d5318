#include "fcgi/record.hpp"

#include "base/check.hpp"

namespace ticketgate::fcgi {
namespace {

constexpr std::size_t begin_size = 8;
constexpr char responder = 1;
constexpr char keep_conn = 1;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint16_t word_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}

constexpr char high(std::size_t word) {
    return static_cast<char>(word >> 8 & 0xff);
}

constexpr char low(std::size_t word) {
    return static_cast<char>(word & 0xff);
}

}  // namespace

Header decode_header(std::string_view bytes) {
    return {byte_at(bytes, 0), static_cast<Type>(byte_at(bytes, 1)), word_at(bytes, 2),
            word_at(bytes, 4), byte_at(bytes, 6)};
}

std::array<char, header_size> encode_header(Type type, std::size_t length) {
    TG_CHECK(length <= max_content);
    const char kind = static_cast<char>(type);
    return {1, kind, high(request_id), low(request_id), high(length), low(length)};  // no padding
}

void append_header(std::string& out, Type type, std::size_t length) {
    const auto header = encode_header(type, length);
    out.append(header.data(), header.size());
}

void append_begin(std::string& out, bool keep_connection) {
    append_header(out, Type::begin_request, begin_size);
    out += '\0';
    out += responder;
    out += keep_connection ? keep_conn : '\0';
    out.append(5, '\0');
}

void append_stream(std::string& out, Type type, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto content = bytes.substr(0, max_content);
        append_header(out, type, content.size());
        out += content;
        bytes.remove_prefix(content.size());
    }
}

}  // namespace ticketgate::fcgi

#include "fuzz/second_parser.hpp"

#include <http_parser.h>

namespace ticketgate::fuzz {
namespace {

struct Reader {
    Message message;
    bool to_head = false, naming = true;
    int begun = 0, complete = 0;
};

Reader& of(http_parser* parser) {
    return *static_cast<Reader*>(parser->data);
}

int on_begin(http_parser* parser) {
    return ++of(parser).begun > 1 ? 1 : 0;
}

int on_target(http_parser* parser, const char* text, std::size_t size) {
    of(parser).message.target.append(text, size);
    return 0;
}

int on_name(http_parser* parser, const char* text, std::size_t size) {
    auto& reader = of(parser);
    if (reader.message.fields.empty() || !reader.naming) reader.message.fields.emplace_back();
    reader.naming = true;
    for (const char c : std::string_view(text, size))
        reader.message.fields.back().first += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return 0;
}

int on_value(http_parser* parser, const char* text, std::size_t size) {
    of(parser).naming = false;
    of(parser).message.fields.back().second.append(text, size);
    return 0;
}

int on_head_end(http_parser* parser) {
    return of(parser).to_head ? 1 : 0;  // 1: no body follows
}

int on_body(http_parser* parser, const char* text, std::size_t size) {
    of(parser).message.body.append(text, size);
    return 0;
}

int on_end(http_parser* parser) {
    ++of(parser).complete;
    return 0;
}

Message read(std::string_view bytes, http_parser_type type, bool to_head, bool ends) {
    http_parser_settings settings;
    http_parser_settings_init(&settings);
    settings.on_message_begin = on_begin;
    settings.on_url = on_target;
    settings.on_header_field = on_name;
    settings.on_header_value = on_value;
    settings.on_headers_complete = on_head_end;
    settings.on_body = on_body;
    settings.on_message_complete = on_end;
    Reader reader;
    reader.to_head = to_head;
    http_parser parser;
    http_parser_init(&parser, type);
    parser.data = &reader;
    const auto used = http_parser_execute(&parser, &settings, bytes.data(), bytes.size());
    if (ends && HTTP_PARSER_ERRNO(&parser) == HPE_OK)
        http_parser_execute(&parser, &settings, nullptr, 0);
    Message& message = reader.message;
    message.method = parser.method;
    message.status = parser.status_code;
    if (HTTP_PARSER_ERRNO(&parser) != HPE_OK)
        message.fault = http_errno_name(HTTP_PARSER_ERRNO(&parser));
    message.whole = message.fault.empty() && used == bytes.size() && reader.complete == 1;
    return message;
}

}  // namespace

std::size_t Message::count(std::string_view name) const {
    std::size_t n = 0;
    for (const auto& field : fields) n += field.first == name ? 1 : 0;
    return n;
}

std::string Message::get(std::string_view name) const {
    for (const auto& field : fields)
        if (field.first == name) return field.second;
    return {};
}

Message read_request(std::string_view bytes) {
    return read(bytes, HTTP_REQUEST, false, false);
}

Message read_response(std::string_view bytes, bool to_head, bool ends) {
    return read(bytes, HTTP_RESPONSE, to_head, ends);
}

}  // namespace ticketgate::fuzz

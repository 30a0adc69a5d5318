#include "fcgi_lite.hpp"

#include <cctype>
#include <utility>

namespace loadtest {

namespace {

constexpr std::size_t header_size = 8;
constexpr std::size_t largest_content = 32'000;
constexpr int begin_request = 1, params = 4, in = 5, out = 6, end_request = 3;

unsigned byte(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

void append_record(std::string& to, int type, std::string_view content) {
    const char header[header_size] = {1,
                                      static_cast<char>(type),
                                      0,
                                      1,
                                      static_cast<char>(content.size() >> 8),
                                      static_cast<char>(content.size()),
                                      0,
                                      0};
    to.append(header, header_size).append(content);
}

std::size_t take_size(std::string_view& pairs) {
    std::size_t size = byte(pairs, 0);
    std::size_t used = 1;
    if (size >= 128) {
        size = (size & 0x7f) << 24 | byte(pairs, 1) << 16 | byte(pairs, 2) << 8 | byte(pairs, 3);
        used = 4;
    }
    pairs.remove_prefix(used);
    return size;
}

// HTTP_X_SEQ → x-seq.
std::string field_name(std::string_view variable) {
    std::string name;
    for (const char c : variable.substr(5))
        name += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

}  // namespace

std::string FcgiInput::take(std::string_view bytes) {
    bytes_ += bytes;
    std::string http;
    std::size_t at = 0;
    while (!broken_ && bytes_.size() - at >= header_size) {
        const std::string_view rest = std::string_view{bytes_}.substr(at);
        const std::size_t length = byte(rest, 4) << 8 | byte(rest, 5);
        const std::size_t whole = header_size + length + byte(rest, 6);
        if (rest[0] != 1 || rest[2] != 0 || rest[3] != 1) broken_ = true;
        if (broken_ || rest.size() < whole) break;
        http += record(rest[1], rest.substr(header_size, length));
        at += whole;
    }
    bytes_.erase(0, at);
    return http;
}

std::string FcgiInput::record(int type, std::string_view content) {
    if (type == begin_request) keeps_ = (content[2] & 1) != 0;
    if (type == in) return std::string{content};
    if (type != params) return {};
    if (!content.empty()) {
        params_ += content;
        return {};
    }
    auto http = head();
    params_.clear();
    return http;
}

std::string FcgiInput::head() {
    std::string method, target, fields, script, query;
    for (std::string_view pairs = params_; !pairs.empty();) {
        const auto name_size = take_size(pairs), value_size = take_size(pairs);
        const auto name = pairs.substr(0, name_size), value = pairs.substr(name_size, value_size);
        pairs.remove_prefix(name_size + value_size);
        const auto field = [&](std::string_view as) {
            fields.append(as).append(": ").append(value).append("\r\n");
        };
        if (name == "REQUEST_METHOD") method = value;
        if (name == "REQUEST_URI") target = value;
        if (name == "SCRIPT_NAME") script = value;
        if (name == "QUERY_STRING") query = value;
        if (name == "CONTENT_LENGTH") field("Content-Length");
        if (name == "UNIQUE_ID") field(name);
        if (name.starts_with("HTTP_") && name != "HTTP_UNIQUE_ID") field(field_name(name));
    }
    shown_uri_ = query.empty() ? script : script + "?" + query;
    if (target.empty()) target = shown_uri_;
    return method + " " + target + " HTTP/1.1\r\n" + fields + "\r\n";
}

std::string fcgi_output(std::string_view head, std::string_view body, bool whole) {
    std::string records;
    if (!head.empty()) append_record(records, out, head);
    while (!body.empty()) {
        append_record(records, out, body.substr(0, largest_content));
        body.remove_prefix(std::min(body.size(), largest_content));
    }
    if (!whole) return records;
    append_record(records, out, {});
    append_record(records, end_request, std::string_view{"\0\0\0\0\0\0\0\0", 8});
    return records;
}

}  // namespace loadtest

#include "support/message.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace ticketgate::test {
namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

template <class Number>
bool number(std::string_view text, Number& value, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// `HTTP/1.1 200 OK`
bool parse_status_line(std::string_view line, Response& r) {
    if (line.size() < 13 || !line.starts_with("HTTP/1.") || line[8] != ' ' || line[12] != ' ')
        return false;
    r.version = line[7] == '1' ? 11 : 10;
    r.reason = line.substr(13);
    return (line[7] == '0' || line[7] == '1') && number(line.substr(9, 3), r.status);
}

// RFC 9112 6.3, with everything ambiguous refused.
std::string framing_of(Response& r, bool to_head, std::size_t& length) {
    const auto codings = r.fields.all("Transfer-Encoding");
    const auto lengths = r.fields.all("Content-Length");
    if (codings.size() + lengths.size() > 1) return "more than one framing field";
    if (!codings.empty() && codings[0] != "chunked") return "unknown coding " + codings[0];
    if (!codings.empty() && r.version == 10) return "chunked in HTTP/1.0";
    if (!lengths.empty() && !number(std::string_view(lengths[0]), length)) return "bad length";
    const bool without = to_head || r.status < 200 || r.status == 204 || r.status == 304;
    if (without) {
        if (r.status < 200 && codings.size() + lengths.size() > 0) return "framing in a 1xx";
        return {};
    }
    r.coding = !codings.empty()   ? Coding::chunked
               : !lengths.empty() ? Coding::length
                                  : Coding::until_close;
    return {};
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool Fields::parse(std::string_view lines) {
    while (!lines.empty()) {
        const auto end = lines.find("\r\n");
        if (end == std::string_view::npos) return false;
        const auto line = lines.substr(0, end);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0) return false;
        const auto name = line.substr(0, colon);
        if (name.find_first_of(" \t\r\n") != std::string_view::npos) return false;
        list_.emplace_back(name, trim(line.substr(colon + 1)));
        lines.remove_prefix(end + 2);
    }
    return true;
}

std::vector<std::string> Fields::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [n, value] : list_)
        if (same_word(n, name)) values.push_back(value);
    return values;
}

std::string Fields::get(std::string_view name) const {
    const auto values = all(name);
    return values.empty() ? std::string() : values.front();
}

std::string read_chunk(Reader& reader, std::string& into, bool& last) {
    const std::string line = reader.through("\r\n");
    std::size_t size = 0;
    if (line.empty()) return "ended before a chunk";
    if (!number(std::string_view(line).substr(0, line.size() - 2), size, 16))
        return "bad chunk size";
    last = size == 0;
    if (!reader.exactly(size, into)) return "ended inside a chunk";
    std::string end;
    if (!reader.exactly(2, end) || end != "\r\n") return "a chunk without its end";
    return {};
}

std::string read_body(Reader& reader, Coding coding, std::size_t length, std::string& into) {
    if (coding == Coding::none) return {};
    if (coding == Coding::length) {
        return reader.exactly(length, into) ? std::string() : "the body ended early";
    }
    if (coding == Coding::until_close) {
        into += reader.rest();
        return reader.status() == Socket::Status::ended ? std::string() : "the body was cut";
    }
    for (bool last = false; !last;) {
        if (auto fault = read_chunk(reader, into, last); !fault.empty()) return fault;
    }
    return {};
}

Response read_response(Reader& reader, bool to_head, Clock::duration limit) {
    Response r;
    r.raw_head = reader.through("\r\n\r\n", limit);
    r.end = reader.status();
    if (r.raw_head.empty()) {
        r.fault = "no head; there is: " + reader.unread().substr(0, 200);
        return r;
    }
    const auto line_end = r.raw_head.find("\r\n");
    const auto lines = std::string_view(r.raw_head).substr(line_end + 2);
    std::size_t length = 0;
    if (!parse_status_line(std::string_view(r.raw_head).substr(0, line_end), r)) {
        r.fault = "bad status line";
    } else if (!r.fields.parse(lines.substr(0, lines.size() - 2))) {
        r.fault = "bad field line";
    } else {
        r.fault = framing_of(r, to_head, length);
    }
    if (r.fault.empty()) r.fault = read_body(reader, r.coding, length, r.body);
    r.end = reader.status();
    return r;
}

std::string pattern(std::size_t size, unsigned seed) {
    std::string out(size, '\0');
    std::uint32_t state = seed * 2654435761u + 1;
    for (char& c : out) {
        state = state * 1664525u + 1013904223u;
        c = static_cast<char>(state >> 24);
    }
    return out;
}

std::string chunk(std::string_view payload) {
    char size[20];
    std::snprintf(size, sizeof(size), "%zx\r\n", payload.size());
    return std::string(size).append(payload).append("\r\n");
}

}  // namespace ticketgate::test

#include "fcgi/pairs.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ticketgate::fcgi {
namespace {

// The letters of CGI names: capital letters and digits; `_` for all else.
constexpr auto cgi_letters = [] {
    std::array<char, 256> letters;
    letters.fill('_');
    for (char c = '0'; c <= '9'; ++c) letters[static_cast<unsigned char>(c)] = c;
    for (char c = 'A'; c <= 'Z'; ++c) letters[static_cast<unsigned char>(c)] = c;
    for (char c = 'a'; c <= 'z'; ++c)
        letters[static_cast<unsigned char>(c)] = static_cast<char>(c - 'a' + 'A');
    return letters;
}();

char cgi_letter(char c) {
    return cgi_letters[static_cast<unsigned char>(c)];
}

// Writes `size` at `to` and returns the end.
char* write_size(char* to, std::size_t size) {
    const auto push = [&](std::size_t byte) { *to++ = static_cast<char>(byte & 0xff); };
    if (size >= 128) {
        push(size >> 24 | 0x80);
        push(size >> 16);
        push(size >> 8);
    }
    push(size);
    return to;
}

char* write_text(char* to, std::string_view text) {
    std::char_traits<char>::copy(to, text.data(), text.size());
    return to + text.size();
}

// The most bytes that the two sizes before a pair take.
constexpr std::size_t most_sizes = 8;

}  // namespace

std::string variable_of(std::string_view header) {
    std::string name(variable_prefix);
    std::ranges::transform(header, std::back_inserter(name), cgi_letter);
    return name;
}

void append_pair(std::string& out, std::string_view name, std::string_view value) {
    Pairs(out).add(name, value);
}

void Pairs::add(std::string_view name, std::string_view value, std::string_view rest) {
    char* const to = write_sizes(name.size(), value.size() + rest.size());
    end_at(write_text(write_text(write_text(to, name), value), rest));
}

std::size_t Pairs::add_header(std::string_view header, std::string_view value) {
    char* const name = write_sizes(variable_prefix.size() + header.size(), value.size());
    char* const letters = write_text(name, variable_prefix);
    end_at(write_text(std::ranges::transform(header, letters, cgi_letter).out, value));
    return static_cast<std::size_t>(name - out_.data());
}

// Makes room for a pair, and writes its sizes.
char* Pairs::write_sizes(std::size_t name, std::size_t value) {
    const std::size_t most = most_sizes + name + value;
    if (out_.size() - used_ < most) out_.resize(2 * out_.size() + most);
    return write_size(write_size(out_.data() + used_, name), value);
}

}  // namespace ticketgate::fcgi

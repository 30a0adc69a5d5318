#include "fcgi/pairs.hpp"

#include <cstring>

namespace ticketgate::fcgi {
namespace {

// Sixteen characters that are changed at once, with what GCC and Clang have for it.
using Characters [[gnu::vector_size(16)]] = unsigned char;

// Makes the letters of a CGI name: capital letters and digits; `_` for all else. Also changes up to
// fifteen bytes behind the name.
void capitalise(char* name, std::size_t size) {
    for (const char* const end = name + size; name < end; name += sizeof(Characters)) {
        Characters c;
        std::memcpy(&c, name, sizeof(c));
        const auto small = Characters(c - 'a' < 26);  // all bits of a character, or none
        const auto stays = Characters(c - 'A' < 26) | Characters(c - '0' < 10);
        c = (c & stays) | ((c - 32) & small) | ('_' & ~(stays | small));
        std::memcpy(name, &c, sizeof(c));
    }
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

// The most bytes that the two sizes before a pair take, and that are written behind a name.
constexpr std::size_t most_sizes = 8, most_behind = sizeof(VariableName::block);

}  // namespace

std::string variable_of(std::string_view header) {
    std::string name(variable_prefix);
    name.append(header).append(sizeof(Characters), ' ');
    capitalise(name.data() + variable_prefix.size(), header.size());
    name.resize(variable_prefix.size() + header.size());
    return name;
}

void append_pair(std::string& out, std::string_view name, std::string_view value) {
    Pairs(out).add(name, value);
}

void Pairs::add(const VariableName& name, std::string_view value, std::string_view rest) {
    char* const to = begin_pair(name.size, value.size() + rest.size());
    std::memcpy(to, name.block.data(), name.block.size());
    char* const end = write_text(to + name.size, value);
    end_at(rest.empty() ? end : write_text(end, rest));
}

void Pairs::add(std::string_view name, std::string_view value) {
    char* const to = begin_pair(name.size(), value.size());
    end_at(write_text(write_text(to, name), value));
}

std::size_t Pairs::add_header(std::string_view header, std::string_view value) {
    char* const name = begin_pair(variable_prefix.size() + header.size(), value.size());
    char* const letters = write_text(name, variable_prefix);
    char* const end = write_text(letters, header);
    capitalise(letters, header.size());
    end_at(write_text(end, value));
    return static_cast<std::size_t>(name - out_.data());
}

// Makes room for a pair, and writes its sizes.
char* Pairs::begin_pair(std::size_t name, std::size_t value) {
    const std::size_t most = most_sizes + name + value + most_behind;
    if (out_.size() - used_ < most) out_.resize(2 * out_.size() + most);
    return write_size(write_size(out_.data() + used_, name), value);
}

}  // namespace ticketgate::fcgi

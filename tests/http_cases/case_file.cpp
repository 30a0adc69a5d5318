#include "http_cases/case_file.hpp"

#include <charconv>
#include <fstream>
#include <stdexcept>

namespace ticketgate::test {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& why) {
    throw std::runtime_error(where + ": " + why);
}

// `\xHH` and `\xHH*N`; `at` is behind the x.
void append_hex(std::string_view text, std::size_t& at, std::string& out) {
    unsigned byte = 0, times = 1;
    std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
    at += 2;
    if (at < text.size() && text[at] == '*') {
        const auto end =
            std::from_chars(text.data() + at + 1, text.data() + text.size(), times).ptr;
        at = static_cast<std::size_t>(end - text.data());
    }
    out.append(times, static_cast<char>(byte));
}

// One line of bytes, with its CRLF unless it says otherwise.
std::string bytes_of(std::string_view text, const std::string& where) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\') {
            out += text[at++];
            continue;
        }
        if (++at == text.size()) return out;
        constexpr std::string_view letters = "rnt0\\", bytes("\r\n\t\0\\", 5);
        const char letter = text[at++];
        if (letter == 'x' && at + 2 <= text.size())
            append_hex(text, at, out);
        else if (const auto known = letters.find(letter); known != std::string_view::npos)
            out += bytes[known];
        else
            fail(where, "unknown escape");
    }
    return out + "\r\n";
}

bool takes_bytes(const std::string& line, Case& into, const std::string& where) {
    if (line[0] != '>' && line[0] != '<') return false;
    if (line.size() > 1 && line[1] != ' ') fail(where, "a blank is missing");
    (line[0] == '>' ? into.sent : into.seen) +=
        bytes_of(std::string_view(line).substr(std::min<std::size_t>(2, line.size())), where);
    into.sees = into.sees || line[0] == '<';
    return true;
}

}  // namespace

std::string Case::word(std::string_view key, std::string_view otherwise) const {
    const auto found = words.find(key);
    return std::string(found == words.end() ? otherwise : std::string_view(found->second));
}

CaseFile read_cases(const std::filesystem::path& file) {
    CaseFile all;
    std::ifstream in(file);
    if (!in) fail(file.string(), "cannot be read");
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        const std::string where = file.filename().string() + ":" + std::to_string(++number);
        if (number == 1) all.title = line.substr(std::min<std::size_t>(2, line.size()));
        if (line.empty() || line[0] == '#') continue;
        if (line.starts_with("case: ")) {
            all.cases.emplace_back();
            all.cases.back().name = line.substr(6);
            all.cases.back().line = number;
            continue;
        }
        if (all.cases.empty()) fail(where, "before the first case");
        if (takes_bytes(line, all.cases.back(), where)) continue;
        const auto colon = line.find(": ");
        if (colon == std::string::npos) fail(where, "not `word: value`");
        all.cases.back().words[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return all;
}

std::string spelled(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        char hex[8];
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\r')
            out += "\\r";
        else if (c == '\n')
            out += "\\n\n";
        else if (byte < ' ' || byte > '~') {
            std::snprintf(hex, sizeof hex, "\\x%02x", byte);
            out += hex;
        } else
            out += c;
    }
    return out;
}

}  // namespace ticketgate::test

// Tables of raw messages, read from text. A file is made of cases:
//
//     case: what it is about
//     source: where the rule or the trick stands
//     > bytes that are sent, a line each, CRLF behind it unless a backslash ends the line
//     < bytes that come out on the other side of the gateway, in the same spelling
//     answer: …        any other `word: value` is the case's own
//
// In lines of bytes \r \n \t \0 \\ and \xHH stand for what they do in C; `\xHH*N` repeats a byte.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ticketgate::test {

struct Case {
    std::string name, sent, seen;
    bool sees = false;  ///< there were lines of `<`
    std::map<std::string, std::string, std::less<>> words;
    int line = 0;

    std::string word(std::string_view key, std::string_view otherwise = {}) const;
};

struct CaseFile {
    std::string title;  ///< its first line, which is a comment
    std::vector<Case> cases;
};

/// Throws std::runtime_error, with file and line, on a line that it cannot read.
CaseFile read_cases(const std::filesystem::path& file);

/// Bytes as the tables spell them.
std::string spelled(std::string_view bytes);

}  // namespace ticketgate::test

// Field names as CGI sees them: one variable has many spellings. Pure; any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace ticketgate::http {

/// For each character, what it becomes. All CGI servers change letters to upper case, but differ in
/// which other characters become `_`: some only `-`, Apache all but letters and digits, PHP also
/// dots. This folds them all. A table, since each field of each request is looked up in it.
inline constexpr auto cgi_folds = [] {
    std::array<char, 256> folds{};
    folds.fill('-');
    for (char c = '0'; c <= '9'; ++c) folds[static_cast<unsigned char>(c)] = c;
    for (char c = 'a'; c <= 'z'; ++c) folds[static_cast<unsigned char>(c)] = c;
    for (char c = 'A'; c <= 'Z'; ++c) folds[static_cast<unsigned char>(c)] = to_lower(c);
    return folds;
}();

constexpr char cgi_fold(char c) {
    return cgi_folds[static_cast<unsigned char>(c)];
}

/// Returns a field name as CGI sees it: letters in lower case, digits, all else as `-`. Finds every
/// spelling of an id header.
std::string cgi_name(std::string_view name);
/// `cgi`: a cgi_name().
bool same_cgi_name(std::string_view name, std::string_view cgi);

}  // namespace ticketgate::http

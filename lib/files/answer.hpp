// The answer with a file: its status, its fields and the parts of the file that it has (RFC 9110
// 13, 14). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/conditions.hpp"
#include "files/lookup.hpp"

namespace ticketgate::files {

/// What the client asks of the file.
struct Wanted {
    bool head = false;
    Preconditions conditions = {};
    std::string_view range = {};  ///< empty: absent
};

/// A piece of the body: text, then a part of the file.
struct Piece {
    std::string text = {};
    std::uint64_t from = 0, size = 0;
};

struct Answer {
    std::uint16_t status = 200;
    std::string fields = {};       ///< lines, without Date and Connection
    std::uint64_t length = 0;      ///< of the body that the fields announce
    std::vector<Piece> body = {};  ///< empty for HEAD
};

/// `now`: seconds since 1970. `found` has a file. `separator`: text that no file has, for the parts
/// of a multipart body.
Answer answer_of(const Resolved& found, const Rules& rules, const Wanted& wanted, std::int64_t now,
                 std::string_view separator);

}  // namespace ticketgate::files

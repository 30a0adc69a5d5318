// Tables in plain text, for terminals. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::table {

using Row = std::vector<std::string>;

/// At most 60 characters, without control characters: others choose these texts.
std::string cell(std::string_view text);
/// Two blanks between columns, none at the end of a line. At least one row, all of one size.
std::string aligned(const std::vector<Row>& rows);

}  // namespace ticketgate::table

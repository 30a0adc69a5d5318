#pragma once
// Rows as a table for people and as JSON lines for programs; and back, to join several runs.

#include <string>
#include <string_view>

#include "verdict.hpp"

namespace loadtest {

std::string table_head();
std::string table_line(const Row& row);
std::string json_line(const Row& row);

}  // namespace loadtest

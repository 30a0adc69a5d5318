#include "app/text_table.hpp"

#include <algorithm>

namespace ticketgate::table {
namespace {

constexpr std::size_t longest_cell = 60;

}  // namespace

std::string cell(std::string_view text) {
    std::string out(text.substr(0, longest_cell));
    const auto control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(out.begin(), out.end(), control, '?');
    return text.size() > longest_cell ? out + "..." : out;
}

std::string aligned(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            out += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }
    return out;
}

}  // namespace ticketgate::table

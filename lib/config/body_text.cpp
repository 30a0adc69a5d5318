#include "config/body_text.hpp"

#include <utility>

namespace ticketgate::config {
namespace {

constexpr std::size_t longest_placeholder =
    std::ranges::max(placeholders, {}, &std::string_view::size).size();

}  // namespace

bool is_placeholder(std::string_view name) {
    return std::ranges::find(placeholders, name) != placeholders.end();
}

// A page may have many dollars and no brace behind them: no look goes farther than a name.
std::size_t braced_placeholder(std::string_view text) {
    if (!text.starts_with('{')) return 0;
    const auto end = text.substr(0, longest_placeholder + 2).find('}');
    if (end == std::string_view::npos) return 0;
    return is_placeholder(text.substr(1, end - 1)) ? end + 1 : 0;
}

BodyPiece take_piece(std::string_view& body) {
    const auto before = std::min(body.find('$'), body.size());
    const auto after = std::min(body.find_first_not_of('$', before), body.size());
    if (after == body.size()) return {std::exchange(body, {}), {}, {}};
    const auto dollars = after - before, braced = braced_placeholder(body.substr(after));
    BodyPiece piece{body.substr(0, braced == 0 ? after : before + dollars / 2), {}, {}};
    if (dollars % 2 == 0)
        piece.more_text = body.substr(after, braced);
    else if (braced != 0)
        piece.name = body.substr(after + 1, braced - 2);
    body.remove_prefix(after + braced);
    return piece;
}

}  // namespace ticketgate::config

#include "config/body_text.hpp"

namespace ticketgate::config {

bool is_placeholder(std::string_view name) {
    return std::ranges::find(placeholders, name) != placeholders.end();
}

std::size_t braced_placeholder(std::string_view text) {
    const auto end = text.find('}');
    if (!text.starts_with('{') || end == std::string_view::npos) return 0;
    return is_placeholder(text.substr(1, end - 1)) ? end + 1 : 0;
}

}  // namespace ticketgate::config

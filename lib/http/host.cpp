#include "http/host.hpp"

#include <algorithm>

namespace ticketgate::http {

std::string_view host_name(std::string_view host) {
    const auto bracket = host.find(']');
    if (bracket != std::string_view::npos) return host.substr(0, bracket + 1);
    return host.substr(0, host.find(':'));
}

bool is_port(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view host_port(std::string_view host) {
    const auto rest = host.substr(host_name(host).size());
    return rest.size() > 1 && is_port(rest.substr(1)) ? rest.substr(1) : std::string_view();
}

}  // namespace ticketgate::http

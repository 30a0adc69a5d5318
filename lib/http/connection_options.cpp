#include "http/connection_options.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ticketgate::http {
namespace {

// Kept even if Connection names them: Host selects the site, and the others come from a trusted
// proxy here, and describe its client rather than one hop.
bool end_to_end(FieldName id) {
    switch (id) {
        case FieldName::host:
        case FieldName::forwarded:
        case FieldName::x_forwarded_proto:
        case FieldName::x_forwarded_host:
        case FieldName::x_forwarded_port:
            return true;
        default:
            return false;
    }
}

// Any order works that treats names as equal if they differ only in case.
bool comes_before(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return a.size() < b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char in_a = to_lower(a[i]), in_b = to_lower(b[i]);
        if (in_a != in_b) return in_a < in_b;
    }
    return false;
}

}  // namespace

ConnectionOptions::ConnectionOptions(std::span<const Field> fields) {
    for (const Field& field : fields)
        if (field.id == FieldName::connection)
            for_each_element(field.value, [this](std::string_view option) { add(option); });
    std::sort(options_.begin(), end(), comes_before);
}

void ConnectionOptions::add(std::string_view option) {
    if (end() != options_.end())
        options_[static_cast<std::size_t>(count_++)] = option;  // FieldRules refuses more
}

bool ConnectionOptions::names(const Field& field) const {
    return !end_to_end(field.id) &&
           std::binary_search(options_.begin(), end(), field.name, comes_before);
}

}  // namespace ticketgate::http

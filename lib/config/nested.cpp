#include "config/nested.hpp"

namespace ticketgate::config {

bool has_map(const Entry* entry, const Key& key, const std::string& path, Reading& reading) {
    if (entry == nullptr || (entry->value.kind == Node::Kind::null && !key.required)) return false;
    if (entry->value.kind == Node::Kind::map) return true;
    reading.problems.error(
        entry->value.mark, path,
        "expected " + expected(key) + "; here is " + std::string(name_of(entry->value.kind)));
    return false;
}

}  // namespace ticketgate::config

#include "config/secrets.hpp"

#include <initializer_list>
#include <string_view>

namespace ticketgate::config {
namespace {

using Path = std::initializer_list<std::string_view>;

// Null: the file has no such key.
const Node* node_at(const Node& root, const Path& path) {
    const Node* node = &root;
    for (const auto key : path) {
        const Entry* const entry = node->find(key);
        if (entry == nullptr) return nullptr;
        node = &entry->value;
    }
    return node;
}

void collect(const Node& node, std::set<std::string>& out) {
    out.insert(node.variables.begin(), node.variables.end());
    for (const Node& item : node.items) collect(item, out);
    for (const Entry& entry : node.entries) collect(entry.value, out);
}

}  // namespace

std::set<std::string> secret_variables(const Node& root) {
    std::set<std::string> out;
    for (const Path& path : std::initializer_list<Path>{{"admin", "token"},
                                                        {"id_service", "token"},
                                                        {"cluster", "peer", "secret"},
                                                        {"cluster", "store", "password"},
                                                        {"tracing", "headers"}})
        if (const Node* const node = node_at(root, path)) collect(*node, out);
    return out;
}

}  // namespace ticketgate::config

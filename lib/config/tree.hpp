// Parses YAML text into plain nodes with their places. Only this module uses yaml-cpp and catches
// its exceptions. Bounded: 1 MiB of text, 32 levels, 200000 nodes (an alias counts as the nodes it
// copies).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

inline constexpr std::size_t max_file_bytes = 1 << 20;
inline constexpr std::size_t max_depth = 32;
inline constexpr std::size_t max_nodes = 200000;  // room for 10,000 routes with their keys

struct Entry;

struct Node {
    enum class Kind { null, scalar, list, map };

    Kind kind = Kind::null;
    bool quoted = false;    ///< a quoted or block scalar: always text
    bool broken = false;    ///< an error about its text is already reported
    std::string text;       ///< of a scalar, with variables filled in
    std::string body = {};  ///< the same, read as the body of an answer; empty: no difference
    std::vector<std::string> variables = {};  ///< names of those filled in
    Mark mark;                                ///< the start of the value
    std::vector<Node> items;                  ///< of a list
    std::vector<Entry> entries;               ///< of a map, in file order
    std::size_t size = 1;                     ///< nodes in this tree, including this one
    std::size_t height = 1;                   ///< levels in this tree, including this one

    const Entry* find(std::string_view key) const;
};

struct Entry {
    std::string key;
    Mark mark;  ///< the place of the key
    Node value;
};

/// Returns `a map`, `a list`, `text` or `nothing`, for messages.
std::string_view name_of(Node::Kind kind);

/// Parses the document in `text`. Returns nothing, and reports why, if there is no usable one.
/// Continues after problems inside scalars and after duplicate keys.
std::optional<Node> parse_tree(std::string_view text, const std::string& file,
                               const Environment& environment, Problems& problems);

}  // namespace ticketgate::config

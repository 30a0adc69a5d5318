// YAML text as plain nodes with their places. The only file that knows yaml-cpp or catches its
// exceptions. Bounded: 1 MiB of text, 32 levels, 50000 nodes (aliases count as what they stand
// for).
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
inline constexpr std::size_t max_nodes = 50000;

struct Entry;

struct Node {
    enum class Kind { null, scalar, list, map };

    Kind kind = Kind::null;
    bool quoted = false;         ///< a scalar in quotes or as a block: always text
    std::string text;            ///< of a scalar, variables filled in
    std::string body = {};       ///< the same as the body of an answer, where that is different
    Mark mark;                   ///< where the value begins
    std::vector<Node> items;     ///< of a list
    std::vector<Entry> entries;  ///< of a map, in the order of the file
    std::size_t size = 1;        ///< nodes in here, this one too
    std::size_t height = 1;      ///< levels in here, this one too

    const Entry* find(std::string_view key) const;
};

struct Entry {
    std::string key;
    Mark mark;  ///< where the key stands
    Node value;
};

/// `a map`, `a list`, `text`, `nothing`: for messages.
std::string_view name_of(Node::Kind kind);

/// The document in `text`; absent when there is none to speak of, and then a problem says why.
/// Problems inside scalars and keys that stand twice do not stop it.
std::optional<Node> parse_tree(std::string_view text, const std::string& file,
                               const Environment& environment, Problems& problems);

}  // namespace ticketgate::config

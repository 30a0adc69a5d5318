// Media types by the endings of file names: the system's table (/etc/mime.types), and a small one
// of our own for systems without. Pure; immutable once built, any thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace ticketgate::files {

struct MediaType {
    explicit MediaType(std::string_view type);

    std::string field;          ///< as Content-Type says it: a text names its charset
    bool compressible = false;  ///< worth it, so compressed forms may be beside the file
};

class MediaTypes {
 public:
    /// `table`: lines such as `text/html  html htm`. The first line of an ending counts.
    explicit MediaTypes(std::string_view table);

    /// The type of the file's ending in any case; null: unknown.
    const MediaType* of(std::string_view name) const;

 private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    std::unordered_map<std::string, MediaType, Hash, std::equal_to<>> by_ending_;
};

/// The ending in lower case, without its dot; empty: the name has none.
std::string ending_of(std::string_view name);

}  // namespace ticketgate::files

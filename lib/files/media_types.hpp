// Media types by the endings of file names: the system's table (/etc/mime.types), and a small one
// of our own for systems without. Pure; immutable once built, any thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace ticketgate::files {

class MediaTypes {
 public:
    /// `table`: lines such as `text/html  html htm`. The first line of an ending counts.
    explicit MediaTypes(std::string_view table);

    /// The type of the file's ending in any case; empty: unknown.
    std::string_view of(std::string_view name) const;

 private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> by_ending_;
};

/// The ending in lower case, without its dot; empty: the name has none.
std::string ending_of(std::string_view name);

/// With `; charset=utf-8` if it is a text that does not name a charset.
std::string with_charset(std::string_view type);

/// True if a file of this type is worth compressing, so that compressed forms may be beside it.
bool is_compressible(std::string_view type);

}  // namespace ticketgate::files

// Conditional requests (RFC 9110 13): what a client knows of a file, against what the file is.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ticketgate::files {

/// Validators of one representation.
struct Validators {
    std::string etag;             ///< with its quotes, and W/ if it is weak
    std::int64_t modified = 0;    ///< seconds since 1970
    bool date_is_strong = false;  ///< nothing can have changed since within that second
};

/// The fields as the client sent them; several lines of a list are joined by a comma. Empty:
/// absent.
struct Preconditions {
    std::string_view if_match = {}, if_none_match = {}, if_modified_since = {},
                     if_unmodified_since = {};
    /// Empty: it is there and names nothing, so no range applies.
    std::optional<std::string_view> if_range = {};
};

enum class Verdict : std::uint8_t {
    go_on,
    not_modified,  ///< 304
    failed         ///< 412
};

/// Decides in the order of RFC 9110 13.2.2, for GET and HEAD.
Verdict judge(const Preconditions& asked, const Validators& file);

/// False: If-Range does not name this state of the file, so the whole file is sent (RFC 9110
/// 13.1.5).
bool range_applies(std::optional<std::string_view> if_range, const Validators& file);

/// `"MTIME-SIZE"` in hex, for a coding `"MTIME-SIZE-CODING"`. A file that changed a moment ago may
/// change again within the same tick of its clock: then the tag is weak.
std::string entity_tag(std::int64_t mtime_ns, std::uint64_t size, std::string_view coding,
                       bool weak);

}  // namespace ticketgate::files

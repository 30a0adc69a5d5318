// How servers and applications read the path of a request: eight kinds of servers that resolve it,
// each with or without decoding slashes late, and applications that resolve nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::paths {

using Segments = std::vector<std::string>;

/// How a server reads paths.
struct Server {
    bool backslashes, coded_slashes, merges;
};

inline Server server_of(unsigned kind) {
    return {(kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0};
}
constexpr unsigned servers = 8;

/// The segments through which the server walks; nothing if it refuses the path. A coded slash that
/// it does not decode is NUL.
std::optional<Segments> walk(std::string_view path, const Server& server);

/// The first segment of a server that decodes slashes once it has walked, and looks for its script
/// from the left.
std::string late_first(const Segments& walked);

/// The first segments that an application may see that compares the text of the path, as it came
/// and decoded, also behind what parse_url() takes for a host, and whose patterns may match before
/// a newline at the end.
std::vector<std::string> verbatim_first(std::string_view path);

/// The segments between slashes, none of them resolved.
Segments split(std::string_view path);

}  // namespace ticketgate::paths

#include "config/values_workers.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "config/syntax.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array<std::string_view, 9> limit_names{"as",      "core",   "cpu",   "data", "fsize",
                                                      "memlock", "nofile", "nproc", "stack"};

bool fail(const Value& map, const Entry& entry, const std::string& why) {
    map.reading.problems.error(entry.mark, map.path + "." + entry.key, why);
    return false;
}

}  // namespace

bool check_environment(const Value& map, const Entry& entry) {
    const bool name = !entry.key.empty() && entry.key.find_first_of("=\0\n") == std::string::npos &&
                      !(entry.key[0] >= '0' && entry.key[0] <= '9');
    if (!name) return fail(map, entry, "not a valid variable name");
    if (entry.key == "PHP_FCGI_CHILDREN")
        return fail(map, entry,
                    "makes php-cgi start processes of its own, which nobody could watch; set "
                    "workers.max instead");
    if (entry.key == "PHP_FCGI_MAX_REQUESTS")
        return fail(map, entry, "is set by ticketgate; set workers.max_requests instead");
    if (entry.key == "FCGI_LISTENSOCK_DESCRIPTORS")
        return fail(map, entry, "is set by ticketgate; set workers.transport instead");
    if (entry.value.kind != Node::Kind::scalar) return fail(map, entry, "expected text");
    return true;
}

std::optional<std::uint64_t> rlimit_value(std::string_view text) {
    if (text == "unlimited") return std::numeric_limits<std::uint64_t>::max();
    return parse_size(text);
}

bool check_rlimit(const Value& map, const Entry& entry) {
    if (!is_one_of(entry.key, limit_names))
        return fail(map, entry,
                    "not a limit; they are as, core, cpu, data, fsize, memlock, nofile, nproc and "
                    "stack");
    if (entry.value.kind != Node::Kind::scalar || !rlimit_value(entry.value.text))
        return fail(map, entry, "expected a number, a size such as 1GiB, or unlimited");
    return true;
}

}  // namespace ticketgate::config

#include "ids/format.hpp"

#include <algorithm>

namespace ticketgate::ids {

std::optional<Format> find_format(std::string_view name) {
    if (name == "unique_id") return Format::httpd_2_4_47;
    const auto found = std::find(format_names.begin(), format_names.end(), name);
    if (found == format_names.end()) return std::nullopt;
    return static_cast<Format>(found - format_names.begin());
}

std::string why_not(Format format, const Machine& machine) {
    const std::string name(name_of(format));
    if (needs_address(format) && !machine.address)
        return name + " contains the machine's IPv4 address, but only loopback was found; " +
               "set ids.machine.address or TICKETGATE_ADDRESS";
    if (needs_worker(format) && !machine.worker)
        return name + " contains a worker number that no other process has, but none is known; " +
               "set ids.machine.worker or TICKETGATE_WORKER, or end the host name in -0 to -31";
    return {};
}

}  // namespace ticketgate::ids

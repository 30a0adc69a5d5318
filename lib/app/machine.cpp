#include "app/machine.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "config/syntax.hpp"

namespace ticketgate {
namespace {

constexpr std::uint32_t max_worker = 31;

std::optional<std::uint32_t> worker_number(std::string_view text) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > max_worker) return std::nullopt;
    return number;
}

// Returns the number at the end of the host name, as of a pod in a StatefulSet: web-0, web-1.
std::optional<std::uint32_t> ordinal(std::string_view host_name) {
    const auto name = host_name.substr(0, host_name.find('.'));
    const auto hyphen = name.rfind('-');
    return hyphen == std::string_view::npos ? std::nullopt : worker_number(name.substr(hyphen + 1));
}

std::vector<std::uint32_t> interface_addresses() {
    std::vector<std::uint32_t> found;
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return found;
    for (const auto* at = list; at != nullptr; at = at->ifa_next) {
        const bool v4 = at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET;
        if (!v4 || (at->ifa_flags & IFF_LOOPBACK) != 0 || (at->ifa_flags & IFF_UP) == 0) continue;
        const auto* address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
        found.push_back(ntohl(address->sin_addr.s_addr));
    }
    freeifaddrs(list);
    return found;
}

std::optional<std::uint32_t> first(const std::vector<std::uint32_t>& addresses) {
    return addresses.empty() ? std::nullopt : std::optional(addresses.front());
}

// Reads a value from the environment; if it is absent, from the system. An invalid value adds a
// complaint and gives nothing: a guess could contradict the operator's intent.
template <class Read, class Otherwise>
auto from_environment(const config::Environment& environment, const char* name,
                      const std::string& what, Read read, Otherwise otherwise,
                      std::vector<std::string>& complaints) -> decltype(read(std::string_view())) {
    const auto text = environment(name);
    if (!text || text->empty()) return otherwise();
    const auto value = read(*text);
    if (!value) complaints.push_back(std::string(name) + "=" + *text + " is not " + what);
    return value;
}

}  // namespace

System this_system() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return {name.data(), interface_addresses(), static_cast<std::uint32_t>(getpid())};
}

ids::Machine machine_of(const config::Machine& wanted, const config::Environment& environment,
                        const System& system, std::vector<std::string>& complaints) {
    ids::Machine machine;
    machine.process = system.process;
    machine.datacenter = wanted.datacenter;
    machine.address = config::parse_ipv4(wanted.address);
    if (!machine.address)
        machine.address = from_environment(
            environment, "TICKETGATE_ADDRESS", "an IPv4 address", config::parse_ipv4,
            [&] { return first(system.addresses); }, complaints);
    if (wanted.worker != config::unlimited)
        machine.worker = wanted.worker;
    else
        machine.worker = from_environment(
            environment, "TICKETGATE_WORKER", "a number from 0 to 31", worker_number,
            [&] { return ordinal(system.host_name); }, complaints);
    return machine;
}

}  // namespace ticketgate

#include "cluster/rank.hpp"

#include <algorithm>

namespace ticketgate::cluster {
namespace {

// FNV-1a, then the last steps of MurmurHash3, which spread its bits: FNV's high ones hardly change
// with the last bytes.
std::uint64_t weight(std::string_view queue, std::string_view instance) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (const char c : queue) add(static_cast<unsigned char>(c));
    add(0);
    for (const char c : instance) add(static_cast<unsigned char>(c));
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
    return hash ^ (hash >> 33);
}

}  // namespace

std::uint32_t rank(std::string_view queue, std::string_view instance,
                   std::span<const std::string> others) {
    const std::uint64_t own = weight(queue, instance);
    return static_cast<std::uint32_t>(std::ranges::count_if(others, [&](const std::string& other) {
        const std::uint64_t theirs = weight(queue, other);
        return theirs > own || (theirs == own && other > instance);
    }));
}

}  // namespace ticketgate::cluster

#include "replica/shared_address.hpp"

#include <utility>

namespace ticketgate::replica {

std::string SharedAddress::with(Time now, const cluster::Contents& contents) {
    std::string out;
    const auto before = std::exchange(seen_, {});
    for (const cluster::Replica& other : contents.replicas) {
        if (other.self.address != self_.address || other.self.id == self_.id) continue;
        const auto found = before.find(other.self.id);
        const Time since = found == before.end() ? now : found->second;
        seen_.emplace(other.self.id, since);
        if (now - since < patience_) continue;
        out += (out.empty() ? "" : ", ") + other.self.name + ' ' + other.self.id;
    }
    return out;
}

}  // namespace ticketgate::replica

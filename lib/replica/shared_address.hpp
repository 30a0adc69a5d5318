// Another live replica with this one's address: what is meant for one of the two reaches the other.
// After a crash the store lists the dead process at that address too, so only one that stays there
// counts. Pure.
#pragma once

#include <map>
#include <string>

#include "base/clock.hpp"
#include "cluster/contents.hpp"

namespace ticketgate::replica {

class SharedAddress {
 public:
    /// `lease`: the store lists a dead replica for this time.
    SharedAddress(cluster::Instance self, Duration lease)
        : self_(std::move(self)), patience_(2 * lease + slack) {}

    /// Who else has this address, as `name id`; several with commas; empty: nobody.
    std::string with(Time now, const cluster::Contents&);

 private:
    // etcd ends no lease earlier than after two seconds, and looks for those that end twice a
    // second.
    static constexpr seconds slack = 2s;

    const cluster::Instance self_;
    const Duration patience_;
    std::map<std::string, Time> seen_;  // since when each instance that is listed there now
};

}  // namespace ticketgate::replica

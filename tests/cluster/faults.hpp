// A cluster of real processes of which one, or the store, is lost or cut off.
#pragma once

#include "processes.hpp"

namespace ticketgate::test {

class ClusterFaults : public Cluster {
 protected:
    ClusterFaults() = default;
    explicit ClusterFaults(const Etcd::Options& store) : Cluster(store) {}
    /// Within its lease requests have to reach a keeper that stands still or has no store, also on
    /// a busy machine.
    std::unique_ptr<Process> patient(const std::string& name, std::size_t node = 0,
                                     const std::string& more = all_queued) const {
        return replica_at(store_.url(node), name, "hold_timeout: never", more, {}, "15s");
    }
    /// A client of this replica whose request is in the backend, until backend_.release("/lost").
    Client held_at(const Process& there) {
        backend_.hold("/lost");
        Client out = there.client();
        out.request("POST", "/lost", {}, "x");
        EXPECT_TRUE(backend_.wait_for("/lost"));
        return out;
    }
    /// The term that the line waits for: its keeper was lost.
    struct LostTerm {
        std::string instance, epoch;
    };
    LostTerm lost_term() const {
        const auto all = status();
        const auto& waits = all.at("queues").at(0).at("waits_for");
        return {std::string(waits.at("instance").as_string()),
                std::to_string(waits.at("epoch").to_number<std::uint64_t>())};
    }
    void settle(const LostTerm& term) const {
        const auto settled = Command(store_).run({"settle", "app", term.epoch});
        EXPECT_EQ(settled.code, 0) << settled.err;
    }
};

}  // namespace ticketgate::test

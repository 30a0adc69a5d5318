// What one replica does with the store of its cluster: reads all of it, writes records, and keeps
// itself listed. Runs on the io_context of its replica. Decides nothing about lines.
#pragma once

#include <functional>
#include <string>

#include "base/clock.hpp"
#include "cluster/contents.hpp"
#include "etcd/client.hpp"

namespace ticketgate::replica {

using etcd::Awaitable;

struct Look {
    BootTime sent{};  ///< before the question was sent
    std::optional<cluster::Contents> contents;
    std::string why;  ///< without contents: a sentence
};

struct Ended {
    cluster::Written how = cluster::Written::unknown;
    std::uint64_t version = 0;  ///< of the record, if it was written
    std::string why;            ///< with `unknown`
};

enum class StoreCall : std::uint8_t { read, write, renew };
/// How long a call took, with or without an answer.
using Timed = std::function<void(StoreCall, Duration)>;

class Store {
 public:
    /// `lease`: the store lists the replica for this time behind its last sign of life.
    Store(boost::asio::io_context&, const etcd::Settings&, std::string_view cluster,
          cluster::Replica self, seconds lease, Timed timed);

    /// One linearizable read of everything.
    Awaitable<Look> look();
    /// Only into the store that the last good look() showed. One at a time for each queue.
    Awaitable<Ended> write(std::string queue, cluster::Write);
    /// Renews the lease, or takes one and lists the replica with it. Empty: done; else a sentence.
    Awaitable<std::string> announce();
    /// The last look did not show this replica: the next announce() lists it anew.
    void forget_listing() { listed_ = false; }
    /// The next announce() lists the replica with these settings of the queue.
    void relist(const std::string& queue, const std::string& text);
    std::size_t endpoints() const { return client_.endpoints(); }
    /// It answers reads and takes no writes, as the last one showed. announce() tries one.
    bool is_full() const { return full_; }

 private:
    Awaitable<std::string> list();
    Awaitable<etcd::Answer> call(StoreCall, cluster::etcd::Call);

    etcd::Client client_;
    const cluster::Keys keys_;
    cluster::Replica self_;
    const seconds lease_time_;
    std::string cluster_;  // the value that stands in the store
    cluster::etcd::LeaseId lease_ = 0;
    bool listed_ = false;
    bool full_ = false;
    const Timed timed_;
};

}  // namespace ticketgate::replica

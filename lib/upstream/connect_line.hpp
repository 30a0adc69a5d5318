// The exchanges of a pool that wait until the system lets them connect: the backlog of a unix
// socket is full, or there is no memory for a socket. No event tells when that changes. So the one
// at the front tries again and again, and the others wait behind it: thousands that each try by
// themselves would keep the loop from all other requests. Owned by a pool; touched by its loop
// only.
#pragma once

#include <boost/intrusive/list.hpp>

#include "net/loop.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

class ConnectLine final : private Observer {
 public:
    /// An exchange's place. Its owner leaves the line before it ends.
    class Place : public boost::intrusive::list_base_hook<> {
     public:
        /// Notified when it may try.
        explicit Place(Observer& exchange) : exchange_(&exchange) {}

     private:
        friend class ConnectLine;
        Observer* exchange_;
    };

    /// Nobody waits ahead of it, or it is its turn. Otherwise it stands in the line from now on.
    bool may_try(Place& place);
    /// It has tried in vain: a pause begins, and it keeps its place at the front.
    void failed(Place& place, int refusal, net::Loop& loop);
    /// It tries no more: its connection is under way, or failed, or its request is over. The next
    /// one may try at once.
    void leave(Place& place) noexcept;
    /// The errno of the last try in vain: what all in the line wait for.
    int refusal() const { return refusal_; }

 private:
    void notify() override;  // a pause is over
    void give_turn();

    boost::intrusive::list<Place, boost::intrusive::constant_time_size<false>> line_;
    bool turn_ = false;  // of the front
    int refusal_ = 0;
    // The length of the next pause. It doubles with each try in vain.
    static constexpr Duration shortest_pause = 1ms;
    Duration pause_time_ = shortest_pause;
    Deadline pause_{*this};      // armed while the line is not empty
    net::Loop* loop_ = nullptr;  // of the pool; known when somebody waits
};

}  // namespace ticketgate

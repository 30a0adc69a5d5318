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

    /// Nobody waits ahead of it, or it is its turn.
    bool may_try(const Place& place) const {
        return line_.empty() || (turn_ && &line_.front() == &place);
    }
    /// It has tried in vain, or may not try. It keeps the place that it has.
    void wait(Place& place, net::Loop& loop);
    /// It tries no more: its connection is under way, or failed, or its request is over. The next
    /// one may try at once.
    void leave(Place& place) noexcept;

 private:
    void notify() override;  // a pause is over
    void give_turn();

    boost::intrusive::list<Place, boost::intrusive::constant_time_size<false>> line_;
    bool turn_ = false;          // of the front
    Duration pause_time_ = 1ms;  // of the next pause
    Deadline pause_{*this};      // armed while the line is not empty
    net::Loop* loop_ = nullptr;  // of the pool; known when somebody waits
};

}  // namespace ticketgate

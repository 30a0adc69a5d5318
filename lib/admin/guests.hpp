// The open connections of the admin listener, and which of them makes room for a new one. Owned by
// the listener; control thread.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "admin/spares.hpp"

namespace ticketgate::admin {

/// Descriptors kept for the operator: each command needs one.
inline constexpr std::size_t spare_descriptors = 4;

/// An open connection.
class Guest : public boost::intrusive::list_base_hook<> {
 public:
    virtual void close() = 0;
    /// Ends its read, so that it sees that another process answers from now on.
    virtual void stop_reading() = 0;
    bool answered = false;  ///< Guests' own: at least once
    bool busy = false;      ///< a request of it is being answered

 protected:
    ~Guest() = default;
};

/// The open connections. Those that have an answer come first, the longest idle one ahead; those
/// whose first request is still to come stand behind them, in the order of their arrival. A crowd
/// that asks again and again thus never takes the place of a newcomer.
class Guests {
 public:
    explicit Guests(std::size_t most) : most_(most), spares_(spare_descriptors) {}

    void join(Guest& guest) {
        if (crowded()) close_first();
        newcomers_.push_back(guest);
        spares_.refill(size());
    }
    void answers(Guest& guest) {
        unlink(guest);
        guest.answered = true;
        answered_.push_back(guest);
    }
    void leave(Guest& guest) {
        unlink(guest);
        spares_.refill(size());
    }
    /// Closes those that had an answer and wait for a next request or for events: another process
    /// answers from now on.
    void send_idle_away() {
        for (auto at = answered_.begin(); at != answered_.end();) {
            Guest& guest = *at++;
            if (!guest.busy) guest.close();
        }
    }
    /// Those whose first request is still to come.
    void stop_reading() {
        for (Guest& guest : newcomers_) guest.stop_reading();
    }
    /// No further connection gets in without another's end.
    bool crowded() const { return size() >= most_; }
    /// Closes a spare descriptor, or else the connection that would go at the limit; false: there
    /// is neither.
    bool make_room() {
        if (spares_.give_up_one()) return true;
        if (size() == 0) return false;
        close_first();
        return true;
    }

 private:
    using List = boost::intrusive::list<Guest>;
    void close_first() { (answered_.empty() ? newcomers_ : answered_).front().close(); }
    std::size_t size() const { return answered_.size() + newcomers_.size(); }
    void unlink(Guest& guest) {
        List& list = guest.answered ? answered_ : newcomers_;
        list.erase(list.iterator_to(guest));
    }
    const std::size_t most_;
    Spares spares_;
    List answered_, newcomers_;
};

}  // namespace ticketgate::admin

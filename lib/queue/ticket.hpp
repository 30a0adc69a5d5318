// A ticket: one request's place in one queue. Owned by whoever took it (a gate's Pass); the queue
// only links it. While it is linked its address must not change and it must not be destroyed:
// leave, cancel or settle it first. Not thread-safe; a gate's lock guards it.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::queue {

/// idle → waiting → granted → left, or waiting → expired | cancelled, or idle → full. Decided once.
enum class State : std::uint8_t { idle, waiting, granted, full, expired, cancelled, left };

struct Ticket : boost::intrusive::list_base_hook<>, boost::intrusive::set_base_hook<> {
    State state = State::idle;
    bool ready = false;            ///< its request body is whole
    std::uint64_t number = 0;      ///< place in the queue's one total order, from 1
    std::uint32_t position = 0;    ///< tickets that waited ahead when it was taken
    std::uint64_t blocked_by = 0;  ///< oldest ticket in flight when it was taken; 0: none
    Time taken{}, deadline{}, granted{};

    bool waiting() const { return state == State::waiting; }
    bool decided() const { return state != State::idle && state != State::waiting; }

    friend bool operator<(const Ticket& a, const Ticket& b) { return a.number < b.number; }
};

using Tickets = std::vector<Ticket*>;

}  // namespace ticketgate::queue

#pragma once
// One keep-alive connection of the driver: sends a request, reads its answer, and reports it.
// Reconnects when the proxy closed it between two requests.

#include <string>

#include "driver_plan.hpp"
#include "http_lite.hpp"
#include "net_lite.hpp"

namespace loadtest {

class Client {
 public:
    enum class Outcome { nothing, connected, answered, lost, refused };

    // All three outlive every client.
    Client(const Plan& plan, const Endpoint& proxy, Poller& poller)
        : plan_{plan}, proxy_{proxy}, poller_{poller} {}

    void connect();
    // At once, in the caller's turn: the order of calls is the order of arrival.
    void send(std::uint64_t seq, const std::string& request);
    Outcome on_events(std::uint32_t events);
    void leave();

    bool connected() const { return state_ != State::closed && state_ != State::connecting; }
    bool is_closed() const { return state_ == State::closed; }
    bool is_idle() const { return state_ == State::idle; }
    bool waiting() const { return state_ == State::waiting; }
    std::uint64_t seq() const { return seq_; }
    int status() const { return head_.status; }
    bool answer_fits() const;

 private:
    enum class State { closed, connecting, idle, waiting };

    Outcome read();
    Outcome scan_head();
    Outcome take_body();
    Outcome closed();
    Outcome answered();
    void flush();

    const Plan& plan_;
    const Endpoint& proxy_;
    Poller& poller_;
    Fd fd_;
    State state_ = State::closed;
    std::uint64_t seq_ = 0;
    std::string in_;
    std::string out_;  // what the socket has not taken yet
    bool head_read_ = false;
    ResponseHead head_;
    Body body_;
};

}  // namespace loadtest

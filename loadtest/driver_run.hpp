#pragma once
// The driver's loop: closed-loop clients whose requests carry X-Seq, the order in which this one
// thread sent them, and clients that leave while they wait or while they run.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "driver_client.hpp"
#include "driver_plan.hpp"
#include "net_lite.hpp"
#include "slow_clients.hpp"

namespace loadtest {

class Driver {
 public:
    explicit Driver(const Plan& plan);

    // Runs until every request is answered, has left or is lost. Throws if nothing listens.
    void run();
    const Records& records() const { return records_; }

 private:
    struct Leaver {
        std::uint64_t seq;
        std::size_t client;
        bool running;                // leaves while it runs, else while it waits
        std::uint64_t when_answers;  // waiting: leaves when so many were answered in all
        bool alarm_set = false;
    };
    enum class Wake : std::uint64_t { first_send, leave_running, slow_tick, connect };

    void connect_more();
    void connect(std::size_t index);
    void handle(const epoll_event& event);
    void on_outcome(std::size_t index, Client::Outcome outcome);
    void on_alarm(std::uint64_t token);
    void set_alarm(Micros when, Wake wake, std::uint64_t value);
    void send_next(std::size_t index);
    void plan_leave(std::uint64_t seq, std::size_t index, bool running);
    void review_leavers();
    bool review(Leaver& leaver);
    void leave_running(std::uint64_t seq);
    void leave(const Leaver& leaver, Fate fate);
    void settle(std::uint64_t seq, Fate fate);
    void go_on(std::size_t index);
    bool may_send() const;
    bool over() const;
    bool waits_for(const Leaver& leaver) const;
    bool ahead_at_least(std::uint64_t seq, std::uint64_t count) const;

    const Plan& plan_;
    Poller poller_;
    Alarms alarms_;
    SlowClients slow_;
    std::vector<Client> clients_;
    std::size_t opened_ = 0;
    std::size_t connecting_ = 0;
    std::vector<bool> sent_first_;
    Records records_;
    std::set<std::uint64_t> outstanding_;
    std::vector<Leaver> leavers_;
    std::uint64_t answers_ = 0;
    std::uint64_t refused_ = 0;
    Micros start_us_ = 0;
    bool hold_said_ = false;
    std::string request_;          // up to and without X-Seq
    std::string request_running_;  // the same for one that leaves while it runs
    std::string body_;
};

}  // namespace loadtest

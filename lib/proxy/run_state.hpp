// A run at work: the coroutine's members, in one place for the files that make it up. run.cpp has
// the exchange from its begin to its end, run_wait.cpp what may end a wait, run_outlast.cpp and
// run_workers.cpp what holds the slot behind an answer, tunnel.cpp what follows a 101. Owned by its
// own coroutine; one loop.
#pragma once

#include <memory>
#include <vector>

#include "proxy/request.hpp"
#include "proxy/station.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {

class Run final : public Resident {
 public:
    Run(Station& station, std::shared_ptr<Request> request, Slot slot);
    ~Run();
    void look_up() override { signal_.notify(); }

    static Detached start(Station& station, std::shared_ptr<Request> request, Slot slot);

 private:
    task<error_code> forward();
    task<error_code> exchange(bool fresh);
    task<error_code> converse();
    task<error_code> relay_body();
    error_code send_on();
    bool may_repeat(error_code failure) const;
    void forward_interim();
    void begin_reply();
    void take(std::string_view bytes);
    void flush(bool ended);
    void tell(error_code failure) noexcept;
    void leave_backend(error_code failure);
    void end(error_code failure) noexcept;

    // run_outlast.cpp
    void answered(error_code failure) noexcept;
    bool outlasts() const;
    void outlast() noexcept;
    void out_of_patience();
    void end_sending();
    void look_on() noexcept;
    void retry_later() noexcept;

    // run_workers.cpp
    bool asks_workers() const;
    task<void> outlast_workers(error_code failure);
    task<result<fcgi::Working>> ask_workers(Answered& request);
    task<error_code> read_status(Exchange& status, std::string_view head, std::string& answer);

    // tunnel.cpp
    task<error_code> tunnel();
    result<Step> tunnel_up();
    result<Step> tunnel_down(bool& moved);
    void let_go();

    // run_wait.cpp
    task<error_code> wait();
    void look_at_slot();
    task<error_code> wait_for_room();
    error_code timed_out();
    error_code client_gone();
    void hold_timed_out() noexcept;
    void hold_back(bool held_back);
    void give_back(Time now) noexcept;
    void stop_counting(Time now) noexcept;
    Duration silence() const;
    void arm_silence();

    /// Its backend is watched to its end, whatever the client does (CONTRACT 2.3).
    bool guarded() const { return request_->queued() && !let_go_; }
    const config::Settings& settings() const { return request_->route->settings; }

    Station& station_;
    std::shared_ptr<Request> request_;
    Slot slot_;
    Signal signal_;
    Deadline deadline_;  // connect_timeout, then response_timeout or tunnel_timeout
    Deadline hold_deadline_;
    Deadline retry_;  // of what an exception stopped behind the end of the exchange
    std::unique_ptr<Exchange> exchange_;
    Time sent_{};
    std::string_view complaint_;  // of the response head; a constant
    bool chunked_ = false;        // towards the client
    bool head_pending_ = false;
    bool contentless_ = false;  // what the backend sends behind its head is not the client's
    bool orphan_ = false;
    bool held_back_ = false;
    bool let_go_ = false;          // the slot went back when a tunnel or an event stream began
    bool streaming_ = false;       // an event stream: its silences are tunnel_timeout's
    bool worker_idle_ = false;     // the queue's release
    bool sent_anything_ = false;   // the backend may have got a part of the request
    bool all_sent_ = false;        // or as much of the request as the backend takes
    bool waits_for_room_ = false;  // the client is slow, not the backend
    bool told_outlasts_ = false;   // the log was told that the slot is kept behind an answer
    bool left_backend_ = false;
    // Of the response, read and not yet handed on; never kept over a suspension. Behind them comes
    // what the station has joined.
    std::vector<iovec> pieces_;
};

}  // namespace ticketgate

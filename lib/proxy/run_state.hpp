// The members of a run's coroutine, in one place for the files that implement it. run.cpp has the
// exchange from its begin to its end, run_answer.cpp the backend's answer on its way to the client,
// run_wait.cpp what may end a wait, run_outlast.cpp and run_workers.cpp what holds the slot after
// an answer, tunnel.cpp what follows a 101. slot_hold has the state of the slot, response_writer
// the answer to the client. Owned by its own coroutine; one loop.
#pragma once

#include <memory>

#include "cluster/forward.hpp"
#include "proxy/request.hpp"
#include "proxy/response_writer.hpp"
#include "proxy/slot_hold.hpp"
#include "proxy/station.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {

struct StatusAnswer;
class StatusReader;

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
    result<Step> claim_backend();
    error_code send_on();
    void ask_for_rest() {
        if (!request_->body.complete) request_->reply.ask_for_body();
    }
    bool may_repeat(error_code failure) const;
    void tell(error_code failure) noexcept;
    void count_failure(error_code failure, int refusal) noexcept;
    void note_failure(std::string_view why);
    void leave_backend(error_code failure);
    void end(error_code failure) noexcept;

    // run_forward.cpp
    Body& body_to_send();
    std::optional<cluster::Place> told_place() const;
    bool keep_place();
    bool hear_place();
    bool hear_refusal();
    error_code of_keeper(error_code failure);
    bool goes_to_another_keeper(error_code failure) const;
    void tell_keeper(const std::string& why, const std::string& remedy);
    void tell_of_keeper(error_code failure, const std::string& why);
    std::string fault_of_keeper(error_code failure, const std::string& why) const;
    Duration keeper_silence(Duration backend) const;
    bool awaits_keeper() const;
    bool looks_for_keeper() const;
    bool was_never_started() const;
    Time unstarted_until() const;
    void arm_keeper();
    bool line_went_on() const;
    error_code look_for_keeper();
    void pass_end_on();

    // run_answer.cpp
    void forward_interim();
    ClientFacts client_facts(std::string_view added) const;
    void begin_reply();
    task<error_code> relay_body();
    bool rewrite_redirects(std::string& lines);
    void flush(bool ended);

    // run_outlast.cpp
    void answered(error_code failure) noexcept;
    bool outlasts() const noexcept;
    bool sends_on() const;
    bool watches_calls() const;
    void linger() noexcept;
    bool backlog_shrinks();
    void outlast() noexcept;
    void out_of_patience();
    void end_sending();
    void look_at_hold() noexcept;
    void retry_later() noexcept;
    Duration longest_pause(Duration usual) const;

    // run_workers.cpp
    bool asks_workers() const noexcept;
    std::shared_ptr<Upstream> upstream_to_ask() const noexcept;
    task<void> outlast_workers(error_code failure);
    void tell_readable();
    task<result<fcgi::Working>> ask_workers(Answered& request, fcgi::StatusAdvice& untold);
    task<result<fcgi::Working>> ask_scripts(std::shared_ptr<Upstream> upstream,
                                            const StatusAnswer& page, fcgi::StatusAdvice& untold);
    task<error_code> read_status(StatusReader& reader);

    // tunnel.cpp
    task<error_code> tunnel();
    result<Step> tunnel_up();
    void end_down();
    void arm_tunnel(bool down_ended);
    result<Step> tunnel_down(bool& moved);

    // run_wait.cpp
    task<error_code> wait();
    task<error_code> wait_for_room();
    Duration client_patience();
    void arm_patience();
    void client_is_slow();
    void give_up_client() noexcept;
    void arm_connecting();
    error_code timed_out();
    std::string release_remedy() const;
    void tell_held(std::string_view what, std::string_view why, std::string_view remedy);
    void tell_silence() noexcept;
    void tell_remarks();
    void note_backend_time() noexcept;
    error_code look_at_client();
    bool watches_on() const;
    bool serves_nobody() const;
    Duration silence() const;
    void arm_silence();

    const config::Settings& settings() const { return request_->route->settings; }

    static constexpr std::uint64_t most_backlog = ~std::uint64_t{0};
    /// The side whose silence `deadline_` limits.
    enum class Watch : std::uint8_t {
        backend,  ///< connect_timeout, then response_timeout or tunnel_timeout
        silent,   ///< a backend that was silent for too long: the client and the log were told
        client,   ///< it is slow: hold_back_timeout; without a slot, the session's write_timeout
        end,      ///< the answer is over, the work perhaps not: response_timeout, then a log line
        nobody    ///< that line was written
    };

    Station& station_;
    std::shared_ptr<Request> request_;
    const void* const gate_;  // that gave the slot; null: none did. For comparisons only
    Signal signal_;
    SlotHold hold_;
    Deadline deadline_;
    Deadline retry_;  // for a step after the exchange that an exception stopped
    ResponseWriter writer_;
    std::unique_ptr<Exchange> exchange_;
    Time sent_{};
    Duration held_back_{};              // by a slow client, since held_back_at_
    std::uint64_t held_back_at_ = 0;    // bytes of the backend
    Time patience_ends_ = Time::max();  // with a client that is too slow
    Time keeper_ends_ = Time::max();    // the longest silence of a keeper
    std::string_view complaint_;        // of the response head; a constant
    Watch watch_ = Watch::backend;
    std::uint64_t backlog_ = most_backlog;  // at the last expiry of deadline_
    std::unique_ptr<Body> no_body_yet_;     // for a replica that has not asked for the body
    bool streaming_ = false;                // the answer is an event stream
    bool all_sent_ = false;                 // nothing more of the request will be sent
    bool worker_gone_ = false;              // as far as its connection tells
    bool lingers_ = false;                  // counted in Commons::lingering
    bool stray_ = false;                    // ended here, while its backend may run it on
};

}  // namespace ticketgate

// One request of one client, from its head to its log line. session.cpp shows the life of a request
// from top to bottom. A session lives in its own coroutine, on the loop of its client, and ends
// before the next request of that connection begins.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cluster/forward.hpp"
#include "files/lookup.hpp"
#include "proxy/client_stream.hpp"
#include "proxy/file_answer.hpp"
#include "proxy/request.hpp"
#include "task/deadlines.hpp"

namespace ticketgate {

namespace disk {
class File;
class Task;
}  // namespace disk

struct FailureResponse;

class Session {
 public:
    struct Begin {
        error_code failure;  ///< of the head, or of the client's standing: only to be answered
        http::AsksFor asked = http::AsksFor::body;  ///< with a failure: what is known of the method
        bool may_stay = true;                       ///< the connection may serve another request
    };
    struct End {
        enum How : std::uint8_t { stays, closes, cut } how;
        bool body_read;  ///< to its end: bytes from here on are not of this request
    };
    /// Serves the request whose head is in the station's scratch. `closes`: the connection ends in
    /// good order. `cut`: at once, so that a part of a response does not pass for the whole.
    static task<End> serve(ClientStream& client, Begin begin);

 private:
    Session(ClientStream& client, const Begin& begin);

    // the stages, in order
    task<error_code> go_through();
    error_code enter();
    error_code begin();
    void begin_request(error_code failure);
    error_code route();
    void join_trace(Time received);
    void stamp();
    std::span<const std::string> stamp_trace_on(std::string& lines) const;
    error_code take_ticket();
    void note_ticket(const Pass& pass) const;
    RequestLabel label() const;
    error_code begin_body();
    task<void> go_home();
    task<error_code> read_body();
    task<error_code> wait_turn();
    error_code start();
    task<error_code> deliver();
    task<error_code> tunnel();
    task<void> answer(error_code failure);
    End finish(error_code failure);

    // session_files.cpp
    task<error_code> find_file();
    void look_now(const files::Query& query, files::Resolved& found);
    void use_kept(disk::File& file);
    task<error_code> look_on_disk(files::Query query, files::Resolved& found);
    task<error_code> wait_for(const std::string& root, std::shared_ptr<disk::Task> task);
    error_code take_found(files::Resolved& found);
    void answer_with(files::Resolved& found);
    error_code run_script(const files::Resolved& found);
    error_code queue_as(const std::string& script);
    task<error_code> send_file();
    task<error_code> read_file();
    error_code lose_file();
    void write_file_head();
    bool begun() const;

    // session_root.cpp
    task<error_code> find_script_root();
    task<error_code> look_for_root(const std::string& path, disk::Root& found);

    // session_cluster.cpp
    error_code hear_replica();
    error_code answer_replica(const cluster::Ask& asked) const;
    error_code check_told_queue() const;
    bool is_of(std::uint64_t epoch) const;
    const LineKeeper* keeper_for(const Whereabouts& at);
    bool calls_from_here() const;
    error_code find_line();
    void note_forward(error_code failure) const;
    void note_away(error_code failure) const;
    void stamp_forward(std::string& lines) const;
    void keep_own_head();
    void view_own_head();
    error_code meaning_of(error_code failure) const;
    bool may_go_again(error_code failure) const;
    void tell_place(const Pass& pass) const;
    void keep_place();
    bool is_refused() const;
    task<error_code> enter_again();
    error_code expire_again();
    error_code take_place_again();
    task<error_code> wait_a_moment();
    void add_fencing(const Slot& slot) const;
    void tell_end();
    std::uint32_t retry_after_lease() const;

    // session_inside.cpp
    void note_inside();
    bool may_be_awaited() const;
    bool names_caller() const;
    error_code refuse_within() const;
    error_code enter_within(Pass& pass, const queue::Queue::Entry& entry, queue::State& state);
    void tell_inside() const;
    std::string inside_remedy() const;
    bool may_accept();
    void tell_lost_call(error_code failure) const;
    task<void> accept_call();

    // parts of stages
    error_code refuse_untold() const;
    result<Read> read_more_body();
    error_code refused_body(error_code failure) const;
    void complete_body();
    error_code keep_next();
    error_code pass_upload_on();
    bool reads_since(std::uint64_t taken) const;
    bool answered() const;
    error_code expire();
    error_code taken_out();
    bool left() const;
    error_code read_tunnel();
    void give_up_place(error_code failure);
    error_code fault(const std::exception& e) noexcept;
    void note_refused_head(error_code failure) const;
    void tell_refused(error_code failure, std::string_view why) const;
    Outcome outcome(error_code failure) const;
    void count_refused(error_code failure) const;
    task<bool> finish_interim();
    task<std::uint64_t> send(FailureResponse& response);
    task<std::size_t> write_all(std::string_view bytes);
    void await_client();
    bool takes_nothing();
    bool gives_client_up();

    Station& station() const { return client_.station(); }
    net::Loop& loop() const { return station().loop; }
    const config::Settings& settings() const { return request_->route->settings; }
    const Peer& peer() const { return told_ ? told_->peer : client_.peer(); }
    /// All of the request body is spooled.
    bool whole() const { return request_->body.complete; }

    /// Bytes of an unqueued request body that may wait for a slow backend before we stop reading
    /// the client.
    static constexpr std::uint64_t upload_window = 64 << 10;

    /// How far the request came in line.
    enum class Turn : std::uint8_t {
        none,       ///< refused before the queue
        file,       ///< answered with a file
        bypass,     ///< it does not queue
        forwarded,  ///< to the replica that keeps the line
        full,       ///< max_waiting
        waits,      ///< it has a ticket, but no slot yet
        expired,    ///< wait_timeout
        had,        ///< its run has the slot
        revoked     ///< an operator took the slot before its run began
    };

    /// What another replica has told about the request that it forwards.
    struct Told {
        Peer peer;  ///< of its client
        std::string queue;
        std::optional<std::string> inside;  ///< as inside_
        std::uint64_t term = 0;             ///< of the line here, as the other replica knows it
    };

    ClientStream& client_;
    Signal& signal_;  // the client's
    const std::shared_ptr<Request> request_;
    BodyReader reader_;
    std::optional<Place> place_;  // while it waits
    Deadline deadline_;           // of the present stage
    Deadline wait_deadline_;      // wait_timeout, from the ticket
    Deadline client_deadline_;    // of a client that must take bytes: write_timeout
    std::uint64_t backlog_ = 0;   // of the client, when that deadline began
    const http::AsksFor asked_;   // what the method allows in the answer
    const bool may_stay_;         // the connection may serve another request
    Turn turn_ = Turn::none;
    bool queues_ = false;
    std::unique_ptr<FileAnswer> file_;           // that answers it
    std::unique_ptr<const std::string> inside_;  // a call from inside: the request id that it names
    std::unique_ptr<const Told> told_;           // null: it came from a client
    std::string own_head_;      // of a clustered request from a client: it may be stamped again
    bool gathers_ = false;      // no keeper was known when it took its ticket here
    bool only_within_ = false;  // the line is not here: at most the slot of its caller is
    bool asked_prior_ = false;  // the keeper before, whether its caller runs there
    bool accepted_ = false;     // that call has its 202: it gets no other answer
    bool granted_at_once_ = false;
    bool needs_length_ = false;  // the backend must be told the length of the body before it
};

}  // namespace ticketgate

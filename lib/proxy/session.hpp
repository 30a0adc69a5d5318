// One client connection, request after request. Read session.cpp: it is the life of a request from
// top to bottom. A session is owned by its own coroutine and lives on one loop at a time. It begins
// where connections are accepted, so that first requests are numbered in the order in which they
// came; to wait in a queue it moves to the queue's home loop and stays there.
#pragma once

#include <exception>
#include <memory>

#include "net/stream.hpp"
#include "proxy/admission.hpp"
#include "proxy/input.hpp"
#include "proxy/request.hpp"
#include "proxy/standing.hpp"
#include "proxy/station.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {

/// The other end, as it was judged when its connection began.
struct Caller {
    Peer peer;
    std::unique_ptr<const Claim> claim;  ///< null: there was no PROXY header
    std::string guests;                  ///< TlsServer::guests() of its handshake
    std::uint64_t judged_by = 0;         ///< the number of that snapshot
};

class Session final : public Resident, public IdleClient {
 public:
    /// Its first request is read on `station`; if that is not queued it goes on, and the connection
    /// stays, on `settle_on`.
    /// Not `admitted`: it is told that its client has too many connections, and ends.
    Session(Station& station, Station& settle_on, std::unique_ptr<net::Stream> client,
            Caller caller, Admission admission, bool admitted);
    ~Session();

    /// Serves the connection to its end.
    static Detached serve(std::unique_ptr<Session> self);

    void look_up() override { signal_.notify(); }
    bool make_room() override;

 private:
    task<bool> serve_one();
    task<error_code> try_serve(Request& request, std::shared_ptr<Request> shared);

    // the stages, in order
    task<error_code> read_head();
    std::shared_ptr<Request> begin(error_code failure);
    error_code route(Request& request);
    void stamp(Request& request);
    error_code take_ticket(Request& request);
    error_code begin_body(Request& request);
    task<void> go_home(Request& request);
    task<void> move_to(Station& station);
    task<error_code> read_body(Request& request);
    task<error_code> wait_turn(Request& request);
    task<error_code> deliver(Request& request);
    task<error_code> tunnel(Request& request);
    void give_up_place(error_code failure, Request& request);
    error_code fault(Request& request, const std::exception& e) noexcept;
    task<void> answer(error_code failure, Request& request);
    bool finish(Request& request, error_code failure);

    // parts of stages
    error_code accept_body(Request& request);
    static error_code spool(Request& request, std::string& joined);
    error_code read_more_body(Request& request);
    error_code keep_rest(Request& request);
    void forget_rest(Request& request);
    std::size_t skip_empty_lines();
    void consume_head();
    bool unread(const Request& request) const;
    void note_refused_head(error_code failure, const Record& record) const;
    error_code judge();
    bool must_shake_hands_again() const;
    void note_handshake();
    void note_failed_handshake(const net::IoResult& got);
    void body_complete(Request& request);
    error_code read_tunnel(Request& request);
    bool left(const Request& request) const;
    task<bool> finish_interim(Request& request);
    task<bool> write_all(std::string_view bytes);
    task<void> linger();
    net::Loop& loop() const { return station_->loop; }

    Station* station_;
    Station& settle_on_;
    std::unique_ptr<net::Stream> client_;
    Signal signal_;
    Deadline deadline_;       // of the stage at hand
    Deadline wait_deadline_;  // wait_timeout, from the ticket
    Input input_;
    Caller caller_;
    const Peer& peer_ = caller_.peer;
    Admission admission_;
    const bool admitted_;
    std::uint32_t requests_ = 0;
    std::size_t head_size_ = 0;  // of the head at the front of input_; 0: used up
    http::AsksFor plainly_ = http::AsksFor::unknown;  // of plain HTTP on a port that speaks TLS
    bool lingers_ = false;                            // the last answer's client is still sending
    bool makes_room_ = false;                         // idle, and to be closed for a new client
    bool dropped_ = false;  // bytes behind the last request, for which there was no room
};

}  // namespace ticketgate

// One client connection, HTTP/1.1 with or without TLS, request after request: it reads heads, keeps
// pipelined bytes, judges its peer, moves between loops and lingers at its end. A session serves
// each request (session.cpp). Owned by its own coroutine; one loop at a time. It begins on the loop
// that accepts connections, so that first requests are numbered in the order of their arrival; to
// wait in a queue it moves to the queue's home loop and stays there.
#pragma once

#include <memory>

#include "http/parser.hpp"
#include "net/stream.hpp"
#include "proxy/admission.hpp"
#include "proxy/client_stream.hpp"
#include "proxy/input.hpp"
#include "proxy/session.hpp"
#include "proxy/standing.hpp"
#include "proxy/station.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {

/// The peer, as the snapshot `judged_by` judges it.
struct Caller {
    Peer peer;
    std::unique_ptr<const Claim> claim;  ///< null: there was no PROXY header
    std::string guests;                  ///< TlsServer::guests() of its handshake
    std::uint64_t judged_by = 0;         ///< the number of that snapshot
    Time arrived_after{};                ///< it connected after this time; Time{}: not known
};

class Connection final : public ClientStream, public Resident, public IdleClient {
 public:
    /// Reads the first request on `station`. If that is not queued, the connection moves to
    /// `settle_on` and stays there. Not `admitted`: answers that the client has too many
    /// connections, and ends.
    Connection(Station& station, Station& settle_on, std::unique_ptr<net::Stream> client,
               Caller caller, Admission admission, bool admitted);
    ~Connection();

    /// Serves the connection to its end.
    static Detached serve(std::unique_ptr<Connection> self);

    void look_up() override { signal_.notify(); }
    bool make_room() override;

    Station& station() const override { return *station_; }
    const Peer& peer() const override { return peer_; }
    Time arrived_after() const override { return requests_ > 1 ? Time{} : caller_.arrived_after; }
    Signal& signal() override { return signal_; }
    net::Stream& wire() override { return *wire_; }
    void consume_head() override;
    bool hold_head() override;
    void view_head_again() override;
    error_code take_body(BodyReader& reader, http::Spool& spool) override;
    result<Read> read_body(BodyReader& reader, http::Spool& spool) override;
    result<Read> read_tunnel(http::Spool& spool, std::uint64_t most, bool& ended) override;
    bool keep(Next whose) override;
    task<void> move_to(Station& station) override;
    Station* settles_on() const override;

 private:
    http::HeadLimits head_limits() const;
    task<error_code> read_head();
    Session::Begin begin_request(error_code failure);
    bool stays(Session::End end);
    void end_soon();
    bool goes_on();
    std::size_t skip_empty_lines();
    bool nothing_here() const { return input_.empty() || input_.view() == "\r"; }
    http::AsksFor asked(error_code failure) const;
    task<void> linger();
    net::Loop& loop() const { return station_->loop; }

    // connection_tls.cpp
    errc refuse(errc failure);
    error_code judge();
    bool must_shake_hands_again() const;
    void note_handshake();
    void note_cut_handshake();
    std::string_view why_cut() const;
    void tell_failed_handshake(const std::string& why);

    Station* station_;
    Station& settle_on_;
    std::unique_ptr<net::Stream> wire_;
    Signal signal_;
    Deadline deadline_;  // of a head, then of lingering in silence
    Input input_;
    Caller caller_;
    const Peer& peer_ = caller_.peer;
    Admission admission_;
    const bool admitted_;
    std::uint32_t requests_ = 0;
    std::size_t head_size_ = 0;  // of the head at the front of input_; 0: used up
    http::AsksFor plainly_ = http::AsksFor::unknown;  // the method of plain HTTP on a TLS port
    const char* cut_by_ = nullptr;  // what ended the handshake, where why_cut() cannot know
    bool lingers_ = false;          // the last answer's client is still sending
    bool makes_room_ = false;       // rests, and to be closed for a new client
    bool dropped_ = false;          // bytes after the last request were dropped for lack of room
};

}  // namespace ticketgate

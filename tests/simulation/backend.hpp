// The backend: like PHP it runs each request to its end, even if the connection ends, and it fails
// as its fates demand. Every connection serves one request after the other, in HTTP or in
// FastCGI; over FastCGI a request is over at END_REQUEST, or (works_on) some time after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulation/actor.hpp"
#include "simulation/answer.hpp"

namespace ticketgate::sim {

/// A connection of the backend's.
class FarEnd : public Actor {
 public:
    using Actor::Actor;
    /// Called from outside: the backend ends now.
    virtual void die(bool by_reset) = 0;
};

/// A worker as php-fpm's status shows it.
struct Worker {
    bool busy = false;
    std::string method, uri;
    Time since{};  ///< the request it has, or had last, began
};

/// A port of the backend: the queue of its requests, and its protocol.
struct Port {
    char queue = 0;  // 0: none
    Speech speech = Speech::http;
    bool outlives_end = false;  ///< a slot is kept while the worker works on (worker_idle)
};

class BackendConnection final : public FarEnd {
 public:
    BackendConnection(Stage& stage, const Plan& plan, Link& link, const Port& port, bool refuses,
                      Duration accepts_after);

    void act() override;
    void written(std::string_view bytes) override;
    void lost(std::string_view bytes) override;
    void taken(std::uint64_t total) override;
    void proxy_closed() override;
    void die(bool by_reset) override;
    bool fcgi() const { return port_.speech != Speech::http; }
    Worker worker() const;

 private:
    enum class Phase : std::uint8_t {
        accepting,
        idle,
        reading,
        working,
        answering,
        working_on,
        reading_on,  // the rest of the request, behind a whole answer
        unheard,     // works, and nobody hears of it
        given_up,    // works, and the server between has closed the connection
        dead
    };
    std::unique_ptr<Incoming> next_request() const;
    void look_at_request();
    void begin();
    void prepare_answer();
    void say();
    void say_behind();
    void feed_piece();
    void take_rest();
    void read_on();
    void gulp();
    void end_answer();
    void work_on();
    void end_work();
    void note_question();
    void answer_question();
    void work_unheard();
    void end_unheard();
    void wait_for_room();
    void end_given_up();
    void maybe_close();
    void maybe_close_idle();
    void occupy();
    void release();
    void note_unread();
    Story& story() { return stage_.judge.story(id_); }
    const Fate& fate() { return story().ask.fate; }
    bool faulty() { return attempt_ == 1 && fate().kind != Fate::Kind::answers; }

    const Plan& plan_;
    Link& link_;
    const Port port_;
    const bool refuses_;
    Phase phase_ = Phase::accepting;
    // The bytes that the proxy has written so far.
    std::unique_ptr<Incoming> tap_;
    std::uint64_t tap_bytes_ = 0, tapped_id_ = 0;
    char occupied_ = 0;
    bool is_occupied_ = false, is_unread_ = false;
    bool is_reused_ = false;
    std::string behind_;  // what its last answer leaves to say
    Time behind_at_{};
    bool was_asked_ = false;  // whether it is done
    // What the backend has read.
    std::unique_ptr<Incoming> request_;
    std::uint64_t id_ = 0;
    int attempt_ = 0;
    bool closes_ = false;             // when its work is over
    Time stuck_since_ = Time::max();  // no room for its answer
    Time ready_at_{}, close_at_ = Time::max(), writes_at_ = Time::max();
    Time waits_since_ = clock.now, since_{};
    std::string uri_, method_;  // of the last request
    Answer answer_;
    std::string held_;  // the end of an answer, held until the request is complete
};

class Backend {
 public:
    Backend(Stage& stage, const Plan& plan, Network& network)
        : stage_(stage), plan_(plan), network_(network) {}

    /// A net::Connect.
    std::unique_ptr<net::Stream> connect(net::Loop& loop, const net::Endpoint& to, int& error);
    const std::vector<std::unique_ptr<FarEnd>>& connections() const { return connections_; }
    std::vector<Worker> workers() const;
    void die(bool by_reset);

 private:
    Port port(std::uint16_t number) const;
    std::unique_ptr<net::Stream> connect_to_status(net::Loop& loop, int& error);

    Stage& stage_;
    const Plan& plan_;
    Network& network_;
    std::vector<std::unique_ptr<FarEnd>> connections_;
};

/// The port that stands for a route; one more has the workers' status.
std::uint16_t port_of(std::string_view route, bool queued);
inline constexpr std::uint16_t status_port = 8010;
Speech speech_at(const Plan& plan, std::uint16_t port);

}  // namespace ticketgate::sim

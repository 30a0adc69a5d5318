// The backend: like PHP it runs what it was sent to its end, even if the connection goes away, and
// it fails as its fates say. Every connection serves one request after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulation/actor.hpp"
#include "simulation/message.hpp"

namespace ticketgate::sim {

class Backend;

class BackendConnection final : public Actor {
 public:
    BackendConnection(Stage& stage, const Plan& plan, Link& link, char queue, bool refuses,
                      Duration accepts_after);

    void act() override;
    void written(std::string_view bytes) override;
    void lost(std::string_view bytes) override;
    void taken(std::uint64_t total) override;
    void proxy_closed() override;
    /// From outside: the backend goes away, now.
    void die(bool by_reset);

 private:
    enum class Phase : std::uint8_t { accepting, idle, reading, working, answering, dead };
    void look_at_request();
    void begin();
    void prepare_answer();
    void say();
    void end_request();
    void maybe_close_idle();
    void release();
    void note_unread();
    Story& story() { return stage_.judge.story(id_); }
    const Fate& fate() { return story().ask.fate; }
    bool faulty() { return attempt_ == 1 && fate().kind != Fate::Kind::answers; }

    const Plan& plan_;
    Link& link_;
    const char queue_;  // of the port; 0: none
    const bool refuses_;
    Phase phase_ = Phase::accepting;
    // What the proxy has written so far, the moment it was written.
    Message tap_{true};
    std::uint64_t tap_bytes_ = 0, tapped_id_ = 0, said_before_ = 0;
    char occupied_ = 0;
    bool is_occupied_ = false, is_unread_ = false;
    // What the backend has read.
    Message request_{true};
    std::uint64_t id_ = 0;
    int attempt_ = 0;
    Time ready_at_{}, close_at_ = Time::max();
    std::string out_;
    std::size_t pause_at_ = 0;
    bool dies_ = false, closes_ = false;
};

class Backend {
 public:
    Backend(Stage& stage, const Plan& plan, Network& network)
        : stage_(stage), plan_(plan), network_(network) {}

    /// A net::Connect.
    std::unique_ptr<net::Stream> connect(net::Loop& loop, const net::Endpoint& to, int& error);
    const std::vector<std::unique_ptr<BackendConnection>>& connections() const {
        return connections_;
    }
    void die(bool by_reset);

 private:
    Stage& stage_;
    const Plan& plan_;
    Network& network_;
    std::vector<std::unique_ptr<BackendConnection>> connections_;
};

/// The port that stands for a route; behind it the backend knows which line a request stood in.
std::uint16_t port_of(std::string_view route, bool queued);

}  // namespace ticketgate::sim

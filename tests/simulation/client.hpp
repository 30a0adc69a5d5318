// A client: sends its requests in pieces, reads the answers in pieces, and may leave at any point.
#pragma once

#include <string>
#include <vector>

#include "simulation/actor.hpp"
#include "simulation/message.hpp"

namespace ticketgate::sim {

class Client final : public Actor {
 public:
    Client(Stage& stage, const ClientPlan& plan, std::size_t index, std::uint64_t first_id);

    /// The connection is established.
    void start(Link& link);
    void act() override;
    void taken(std::uint64_t total) override { stage_.judge.read_by_proxy(index_, total); }
    void hear(Moment moment, std::uint64_t id);
    /// Leaves now, in this way, whatever the plan says.
    void leave(Leave::Way way);

    Time starts() const { return Clock::begin + plan_.starts; }
    std::uint32_t capacity() const { return plan_.capacity; }
    bool started() const { return link_ != nullptr; }
    bool done() const { return done_ || (plan_.of != 0 && !called_); }
    bool inside() const { return plan_.of != 0; }

 private:
    struct Text {
        std::string bytes;
        std::size_t head = 0;  // size of the head
    };
    Text text_of(const Ask& ask) const;
    const Ask& ask(std::size_t i) { return stage_.judge.story(first_id_ + i).ask; }
    bool mine(std::uint64_t id) const;
    bool can_send() const;
    bool can_read() const;
    void send_piece();
    void note_sent(std::uint64_t before);
    void read_piece();
    void take(std::string_view bytes);
    void answer_complete();
    void end_of_stream();
    void finish();
    void be_done();
    void hear_of_caller(Moment moment);
    void leave_if_due();
    void leave_in(Duration after) {
        if (plan_.leave.way != Leave::Way::never && !half_closed_)
            leave_at_ = std::min(leave_at_, clock.now + after);
    }
    std::size_t size() const { return plan_.asks.size(); }

    const ClientPlan& plan_;
    const std::size_t index_;
    const std::uint64_t first_id_;
    Link* link_ = nullptr;
    std::vector<Text> texts_;
    Message answer_{false};
    std::size_t sending_ = 0, answered_ = 0, offset_ = 0;
    std::uint64_t bytes_sent_ = 0, bytes_read_ = 0;
    std::uint32_t moments_ = 0;
    Duration behind_{};  // in reading this answer, in all
    Time behind_since_{};
    Time leave_at_ = Time::max(), continue_at_{}, stalls_until_{};
    bool called_ = false;  // its script has come to the call
    bool half_closed_ = false, stop_sending_ = false, done_ = false, waits_for_end_ = false;
};

}  // namespace ticketgate::sim

// One clustered queue at one replica: its keeper (the decisions), its gate (the tickets), and the
// permit that the gate asks. Owned by the Replica, and driven on its thread; the permit is asked by
// any thread.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cluster/contents.hpp"
#include "cluster/keeper.hpp"
#include "gate/local_gate.hpp"

namespace ticketgate::replica {

class Line final : public Permit {
 public:
    /// What the line wants of its replica. Called by any thread.
    struct Wants {
        std::function<void()> drive;  ///< a drive(); at most once until then for tickets that wait
        std::function<void()> look;   ///< a look at the store; at most once until the next
    };
    Line(std::string queue, const cluster::Instance& self,
         const cluster::Keeper::Settings& settings, Wants wants);
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    const std::string& queue() const { return queue_; }
    const cluster::Keeper& keeper() const { return keeper_; }
    void join(std::shared_ptr<LocalGate> gate) { gate_ = std::move(gate); }
    void drain() { keeper_.drain(); }
    void configure(const cluster::Keeper::Settings& settings) { keeper_.set(settings); }
    /// The gate grants nothing from now on. Any thread.
    void stop() { stopped_.store(true); }
    /// A slot is held. Any thread.
    bool holds_slots() const { return gate_ && gate_->look().holds != 0; }

    // `sure_until`: while the boot clock is before it, no other replica counts this one as lost.
    // That counts from the last look that the keeper has used: one that it has not may show that
    // another replica keeps the line.

    /// What look number `look` showed. Looks are counted as they begin.
    void saw(const cluster::Sight&, std::uint64_t look, BootTime sure_until);
    /// The write ended when this many looks had begun.
    void written(cluster::Written, std::uint64_t version, std::uint64_t looks, BootTime sure_until);
    /// Returns what to do next.
    cluster::Keeper::Next drive(BootTime sure_until);

    /// What the store's answers say about the whole of it; empty: it is in use.
    void store_away(bool away) { store_away_ = away; }
    /// It takes no writes.
    void store_full(bool full) { store_full_ = full; }

    bool holds() const override {
        return !stopped_ && boot_now().time_since_epoch().count() < until_.load();
    }
    void missed() override;
    Whereabouts where() const override;
    void doubted() override;
    bool give_word(std::string_view instance, std::uint64_t term, std::uint64_t by) override;
    /// The keeper of this term says that all of it is over, or the backend shows it.
    void over(cluster::Epoch term, cluster::Settled how = cluster::Settled::word) {
        keeper_.over(term, how);
    }
    /// A lost term for whose end php-fpm may be asked now; told once while the line waits for it.
    std::optional<cluster::Prior> take_lost_term();
    /// A term that another replica has ended, whose keeper may not know and is to be asked now for
    /// its word: one that is cut from the store keeps what waits there until then.
    std::optional<cluster::Prior> take_deposed(Time now);
    /// The replica that was asked about this term has answered.
    void answered(cluster::Epoch term) {
        if (deposed_ && deposed_->epoch == term) deposed_.reset();
    }
    struct Counts {
        std::uint64_t takeovers = 0;
        std::array<std::uint64_t, 4> settled{};  ///< by cluster::Settled
        std::uint64_t ended_pauses = 0;          ///< when another replica took the line over
    };
    const Counts& counts() const { return counts_; }
    /// For how long it waits for the end of an earlier term.
    Duration settling(Time now) const {
        return keeper_.role() == cluster::Role::settling ? now - settling_since_ : Duration{0};
    }
    /// True at most until the answer comes: one question at a time.
    bool asks = false;

 private:
    struct Question {
        cluster::Epoch term = 0, by = 0;
    };
    void publish();
    void answer();
    void note(cluster::Role before);
    void note_settled();
    void note_deposed(const std::optional<cluster::Line>& before);
    void note_replaced(const std::optional<cluster::Line>& before, std::uint64_t version);
    void tell_gate(BootTime sure_until);
    cluster::Keeper::Facts facts() const;

    const std::string queue_;
    cluster::Keeper keeper_;
    std::shared_ptr<LocalGate> gate_;
    const Wants wants_;
    std::atomic<bool> stopped_{false};
    std::atomic<bool> told_missed_{false}, told_doubt_{false};
    std::atomic<Duration::rep> until_{0};  // the gate may grant before this time of the boot clock
    std::atomic<Duration::rep> sure_until_{0};  // as told last
    std::atomic<bool> store_away_{false}, store_full_{false};
    BootTime used_until_{};    // `sure_until` of the last look that the keeper has used
    cluster::Epoch term_ = 0;  // of which the gate knows
    bool kept_ = false;        // as the gate was told last: the line is kept here
    cluster::Epoch told_lost_ = 0;
    std::optional<cluster::Prior> deposed_;
    Time ask_deposed_{}, ask_deposed_until_{};
    mutable std::mutex lock_;  // guards what follows: requests of any thread ask for it
    cluster::Where where_ = cluster::Where::nowhere;
    bool lost_ = false;    // the store does not list the keeper at_
    bool closes_ = false;  // `idle` is being written, or it is looked whether it was
    std::shared_ptr<const LineKeeper> at_, prior_;
    std::uint64_t replaced_idle_ = 0;
    cluster::Epoch epoch_ = 0;  // of this replica, while the line is kept here
    std::optional<Question> question_;
    cluster::Epoch over_ = 0;  // nothing of this term or an earlier one runs or will run here
    std::uint64_t looks_at_write_ = 0;
    cluster::Epoch settling_ = 0;  // waited for until a write whose end is not known; 0: none
    Counts counts_;
    Time settling_since_{};
};

}  // namespace ticketgate::replica

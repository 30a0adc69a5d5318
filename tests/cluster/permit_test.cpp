// What a line permits its gate, without a store.
#include <gtest/gtest.h>

#include "replica/line.hpp"

namespace ticketgate::test {
namespace {

using cluster::Written;

const cluster::Instance self{"me", "a", "10.0.0.1:1"}, other{"it", "b", "10.0.0.2:1"};

class LinePermit : public testing::Test {
 protected:
    LinePermit() {
        cluster::Keeper::Settings settings;
        settings.idle_after = Duration{};
        line_ = std::make_unique<replica::Line>("app", self, settings,
                                                replica::Line::Wants{[this] { ++driven_; }, [] {}});
        gate_ = std::make_shared<LocalGate>("app", GateSettings(), loop_, registry_, line_.get());
        line_->join(gate_);
    }
    static BootTime in_an_hour() { return boot_now() + 1h; }
    static BootTime an_hour_ago() { return boot_now() - 1h; }
    void write(BootTime sure_until) {
        ASSERT_TRUE(line_->drive(sure_until).write);
        line_->written(Written::done, ++version_, looks_, sure_until);
    }
    void open() {
        line_->saw({}, ++looks_, in_an_hour());
        write(in_an_hour());
        auto pass = std::make_shared<Pass>();
        gate_->take(*pass, queue::Queue::Entry(), loop_);
        Place waits(gate_, std::move(pass), loop_);
        write(in_an_hour());
        ASSERT_TRUE(line_->holds());
        waits.cancel(GivenUp::client_closed);
    }
    cluster::Sight sight(const cluster::Line& shown, bool listed = true) const {
        cluster::Sight out;
        out.version = version_;
        out.line = shown;
        out.keeper_listed = listed;
        return out;
    }

    // It takes the line of a lost keeper over. The word for that one comes, and the write that ends
    // the wait gets no answer. Returns what was to be written.
    cluster::Line settle_without_an_answer(bool word_of_operator) {
        version_ = 1;
        line_->saw(sight({1, other, cluster::LineState::open, {}}, false), ++looks_, in_an_hour());
        write(in_an_hour());
        EXPECT_EQ(line_->keeper().role(), cluster::Role::settling);
        cluster::Sight word = sight(*line_->keeper().line());
        word.word = true;
        word.word_of_operator = word_of_operator;
        line_->saw(word, ++looks_, in_an_hour());
        const auto settled = line_->drive(in_an_hour()).write;
        line_->written(Written::unknown, 0, looks_, in_an_hour());
        return settled.value().line.value();
    }
    std::uint64_t settled_by_operator() const {
        return line_->counts().settled[static_cast<std::size_t>(cluster::Settled::by_operator)];
    }

    metrics::Registry registry_;
    net::Loop loop_{0};
    std::unique_ptr<replica::Line> line_;
    std::shared_ptr<LocalGate> gate_;
    std::uint64_t version_ = 0, looks_ = 0;
    int driven_ = 0;  // by tickets that wait; this test calls drive() itself
};

// While a line may grant nothing, each drive of its keeper sees that a ticket waits.
TEST_F(LinePermit, ATicketThatWaitsDrivesTheKeeperOnce) {
    version_ = 1;
    line_->saw(sight({1, other, cluster::LineState::open, {}}, false), ++looks_, in_an_hour());
    write(in_an_hour());
    ASSERT_EQ(line_->keeper().role(), cluster::Role::settling);
    auto pass = std::make_shared<Pass>();
    gate_->take(*pass, queue::Queue::Entry(), loop_);
    Place waits(gate_, std::move(pass), loop_);
    EXPECT_EQ(driven_, 1);
    (void)line_->drive(in_an_hour());
    (void)line_->drive(in_an_hour());
    EXPECT_EQ(driven_, 1);
    waits.cancel(GivenUp::client_closed);
}

// The answer of the write that ends the wait is lost; a look shows that it has happened.
TEST_F(LinePermit, CountsAViolationWhoseWriteIsOnlySeenInALook) {
    const cluster::Line settled = settle_without_an_answer(true);
    EXPECT_EQ(gate_->counts().exclusion_violations, 0U);
    ++version_;
    line_->saw(sight(settled), ++looks_, in_an_hour());
    EXPECT_EQ(line_->keeper().role(), cluster::Role::idle);
    EXPECT_EQ(line_->counts().takeovers, 1U);
    EXPECT_EQ(settled_by_operator(), 1U);
    EXPECT_EQ(gate_->counts().exclusion_violations, 1U);
}

// Without the store it cannot see that another replica has the line; only the question tells it.
TEST_F(LinePermit, MovesWhoWaitsWhenAnotherReplicaAsksForItsWord) {
    open();
    line_->saw(sight(*line_->keeper().line()), ++looks_, an_hour_ago());
    auto pass = std::make_shared<Pass>();
    gate_->take(*pass, queue::Queue::Entry(), loop_);
    Place waits(gate_, std::move(pass), loop_);
    const std::uint64_t term = line_->keeper().epoch();
    ASSERT_EQ(waits.settle(), queue::State::waiting);
    EXPECT_FALSE(line_->give_word(self.id, term, term + 1));
    line_->drive(an_hour_ago());
    EXPECT_EQ(waits.settle(), queue::State::moved);
    EXPECT_TRUE(line_->give_word(self.id, term, term + 1));
}

// Another replica has taken the line over before the look, so nothing shows any more whether the
// write has happened. A violation that may be one counts.
TEST_F(LinePermit, CountsAViolationWhoseWriteIsNeverSeen) {
    const cluster::Line settled = settle_without_an_answer(true);
    version_ += 2;
    line_->saw(sight({settled.epoch + 1, other, cluster::LineState::idle, {}}), ++looks_,
               in_an_hour());
    EXPECT_EQ(line_->keeper().role(), cluster::Role::follower);
    EXPECT_EQ(settled_by_operator(), 1U);
    EXPECT_EQ(gate_->counts().exclusion_violations, 1U);
}

// The replica that took it over waits for the same earlier term: the write has not happened.
TEST_F(LinePermit, CountsNoViolationThatAnotherReplicaStillWaitsFor) {
    const cluster::Line settled = settle_without_an_answer(true);
    cluster::Line taken{settled.epoch + 1, other, cluster::LineState::settling, {}};
    taken.prior = cluster::Prior{1, other, true};
    ++version_;
    line_->saw(sight(taken), ++looks_, in_an_hour());
    taken.state = cluster::LineState::idle;
    taken.prior.reset();
    ++version_;
    line_->saw(sight(taken), ++looks_, in_an_hour());
    EXPECT_EQ(settled_by_operator(), 0U);
    EXPECT_EQ(gate_->counts().exclusion_violations, 0U);
}

TEST_F(LinePermit, CountsNoViolationWithTheWordOfTheKeeper) {
    const cluster::Line settled = settle_without_an_answer(false);
    version_ += 2;
    line_->saw(sight({settled.epoch + 1, other, cluster::LineState::idle, {}}), ++looks_,
               in_an_hour());
    EXPECT_EQ(gate_->counts().exclusion_violations, 0U);
}

// The keeper has not started a request that was sent there while its record said idle, if this
// replica has replaced that version of the record.
TEST_F(LinePermit, KnowsWhichIdleRecordItHasReplaced) {
    version_ = 7;
    line_->saw(sight({1, other, cluster::LineState::idle, {}}), ++looks_, in_an_hour());
    EXPECT_EQ(line_->where().keeper->idle_version, 7U);
    EXPECT_EQ(line_->where().replaced_idle, 0U);
    line_->saw(sight({1, other, cluster::LineState::idle, {}}, false), ++looks_, in_an_hour());
    write(in_an_hour());
    EXPECT_EQ(line_->where().where, Whereabouts::Where::here);
    EXPECT_EQ(line_->where().replaced_idle, 7U);
}

// Between the record that was idle and the one that is replaced, the keeper may have run requests.
TEST_F(LinePermit, KnowsNothingOfAnIdleRecordThatAnotherOneReplaced) {
    version_ = 7;
    line_->saw(sight({1, other, cluster::LineState::idle, {}}), ++looks_, in_an_hour());
    version_ = 9;
    line_->saw(sight({1, other, cluster::LineState::idle, {}}, false), ++looks_, in_an_hour());
    EXPECT_EQ(line_->where().keeper->idle_version, 9U);
    write(in_an_hour());
    EXPECT_EQ(line_->where().replaced_idle, 9U);
}

TEST_F(LinePermit, KnowsNothingOfALineThatWasOpen) {
    version_ = 7;
    line_->saw(sight({1, other, cluster::LineState::open, {}}), ++looks_, in_an_hour());
    EXPECT_EQ(line_->where().keeper->idle_version, 0U);
    line_->saw(sight({1, other, cluster::LineState::open, {}}, false), ++looks_, in_an_hour());
    write(in_an_hour());
    EXPECT_EQ(line_->where().replaced_idle, 0U);
}

// The write may have replaced another record than the one that was seen before it.
TEST_F(LinePermit, KnowsNothingOfARecordThatAWriteWithoutAnAnswerReplaced) {
    version_ = 7;
    line_->saw(sight({1, other, cluster::LineState::idle, {}}, false), ++looks_, in_an_hour());
    const auto taken = line_->drive(in_an_hour()).write;
    line_->written(Written::unknown, 0, looks_, in_an_hour());
    ++version_;
    line_->saw(sight(taken.value().line.value()), ++looks_, in_an_hour());
    EXPECT_EQ(line_->where().where, Whereabouts::Where::here);
    EXPECT_EQ(line_->where().replaced_idle, 0U);
}

// While a write is under way the keeper does not hear what looks show. One of them may show that
// the line is lost to another replica, so it must not prolong what an earlier one has proven.
TEST_F(LinePermit, EndsWithTheLastLookThatItsKeeperHasUsed) {
    open();
    const cluster::Line shown = *line_->keeper().line();
    line_->saw(sight(shown), ++looks_, an_hour_ago());
    EXPECT_FALSE(line_->holds());
    ASSERT_TRUE(line_->drive(an_hour_ago()).write) << "idle";
    cluster::Line lost{shown.epoch + 1, other, cluster::LineState::settling, {}};
    lost.prior = cluster::Prior{shown.epoch, self, true};
    ++version_;
    line_->saw(sight(lost), ++looks_, in_an_hour());
    line_->written(Written::failed, 0, looks_, in_an_hour());
    EXPECT_FALSE(line_->holds());
    line_->saw(sight(lost), ++looks_, in_an_hour());
    EXPECT_FALSE(line_->holds());
    EXPECT_EQ(line_->keeper().role(), cluster::Role::follower);
}

}  // namespace
}  // namespace ticketgate::test

// Judges artificial records and logs: every counter of the torture kit moves on a fault, and none
// moves without one.
#include "verdict.hpp"

#include <gtest/gtest.h>

namespace loadtest {
namespace {

constexpr Micros second = 1'000'000;

class Verdict : public testing::Test {
 protected:
    // Sent whole at `us`; returns its X-Seq.
    std::uint64_t sent(Micros us, Line line = Line::one, bool post = false) {
        Record record;
        record.head_us = record.whole_us = us;
        record.done_us = us + second;
        record.line = line;
        record.post = record.once = post;
        record.fate = Fate::answered;
        record.status = 200;
        world.records.push_back(record);
        return world.records.size();
    }
    // The same, made by the request `caller` and within its slot.
    std::uint64_t call(Micros us, std::uint64_t caller) {
        const auto seq = sent(us);
        world.record(seq).of = caller;
        return seq;
    }
    void start(Micros us, std::uint64_t seq) { line('S', us, ++runs, seq, us); }
    void end(Micros us, std::uint64_t run, std::uint64_t seq) { line('E', us, run, seq, us - 10); }
    Row judged() {
        Row row;
        judge(world, log, row);
        return row;
    }

    Loop loop;
    ProxyWatch watch{ProxyWatch::Names()};
    World world{loop, Settings(), watch};
    std::string log;
    std::uint64_t runs = 0;

 private:
    void line(char kind, Micros us, std::uint64_t run, std::uint64_t seq, Micros mark) {
        log += std::string(1, kind) + " " + std::to_string(us) + " run=" + std::to_string(run) +
               " seq=" + std::to_string(seq) + " in_flight=0 mark=" + std::to_string(mark) + "\n";
    }
};

TEST_F(Verdict, SerialRequestsBreakNothing) {
    const auto a = sent(1000), b = sent(2000);
    start(3000, a);
    end(50'000, 1, a);
    start(50'100, b);
    end(60'000, 2, b);
    const auto row = judged();
    EXPECT_TRUE(row.kept());
    EXPECT_EQ(row.requests, 2u);
    EXPECT_EQ(row.hand_overs, 1u);
    EXPECT_EQ(row.gap_max_us, 110u) << "from the last write's begin to the next first bytes";
}

TEST_F(Verdict, CountsAnOverlap) {
    const auto a = sent(1000), b = sent(2000);
    start(3000, a);
    start(4000, b);
    const auto row = judged();
    EXPECT_EQ(row.overlaps, 1u);
    EXPECT_EQ(row.early, 0u) << "its client still waits";
    EXPECT_FALSE(row.kept());
}

TEST_F(Verdict, EachLineHasItsOwnLimit) {
    start(3000, sent(1000));
    start(4000, sent(1000, Line::shared));
    start(5000, sent(1000, Line::two));
    start(6000, sent(1000, Line::two));
    start(7000, sent(1000, Line::free));
    start(8000, sent(1000, Line::free));
    EXPECT_EQ(judged().overlaps, 0u);
    start(9000, sent(1000, Line::two));
    EXPECT_EQ(judged().overlaps, 1u);
}

TEST_F(Verdict, ALimitHoldsFromItsTimeOn) {
    const auto a = sent(1000, Line::moving), b = sent(1000, Line::moving),
               c = sent(1000, Line::moving);
    world.allow(Line::moving, 3500, 2);
    world.allow(Line::moving, 4500, 1);
    start(3000, a);
    start(4000, b);
    EXPECT_EQ(judged().overlaps, 0u);
    end(5000, 1, a);
    start(6000, c);
    EXPECT_EQ(judged().overlaps, 1u) << "the other of the two still runs";
}

TEST_F(Verdict, AnOverlapWithOneWhoseClientLeftIsAnEarlyRelease) {
    const auto a = sent(1000), b = sent(2000);
    world.record(a).left_us = 3500;
    start(3000, a);
    start(4000, b);
    EXPECT_EQ(judged().early, 1u);
}

TEST_F(Verdict, AnOverlapWithOneThatWasAnsweredIsAnEarlyRelease) {
    const auto a = sent(1000), b = sent(2000);
    world.record(a).done_us = 3500;
    start(3000, a);
    start(4000, b);
    EXPECT_EQ(judged().early, 1u);
}

TEST_F(Verdict, CountsInversionsByTheirLead) {
    const auto a = sent(1000), b = sent(1500), c = sent(20'000);
    const auto first = sent(100);
    start(500, first);
    end(30'000, 1, first);
    start(30'100, c);
    end(30'200, 2, c);
    start(30'300, b);
    end(30'400, 3, b);
    start(30'500, a);
    const auto row = judged();
    EXPECT_EQ(row.inversions_strict, 3u);
    EXPECT_EQ(row.inversions, 2u) << "a and b were sent half a millisecond apart";
    EXPECT_EQ(row.inversions_sure, 2u);
    EXPECT_FALSE(row.kept());
}

TEST_F(Verdict, AnUnfinishedUploadMayBePassed) {
    const auto slow = sent(1000), quick = sent(50'000);
    world.record(slow).whole_us = 200'000;
    start(50'100, quick);
    end(50'200, 1, quick);
    start(200'100, slow);
    const auto row = judged();
    EXPECT_EQ(row.inversions_strict, 0u);
    EXPECT_TRUE(row.kept());
}

TEST_F(Verdict, ARequestThatLeftBeforeItsSlotWasFreeIsAGhost) {
    const auto a = sent(1000), b = sent(2000);
    world.record(b).left_us = 10'000;
    start(3000, a);
    end(50'000, 1, a);
    start(50'100, b);
    EXPECT_EQ(judged().ghosts, 1u);
    world.record(b).left_us = 49'000;
    EXPECT_EQ(judged().ghosts, 0u) << "within the grace, nobody can know";
}

TEST_F(Verdict, AnUploadThatWasNeverWholeIsAGhost) {
    const auto a = sent(1000);
    world.record(a).whole_us = 0;
    world.record(a).left_us = 2000;
    start(3000, a);
    EXPECT_EQ(judged().ghosts, 1u);
}

TEST_F(Verdict, APostThatStartsTwiceIsADuplicateAndAGetIsNot) {
    for (const bool post : {false, true}) {
        const auto a = sent(1000, Line::one, post);
        start(3000, a);
        end(4000, runs, a);
        start(5000, a);
        end(6000, runs, a);
    }
    const auto row = judged();
    EXPECT_EQ(row.duplicates, 1u);
    EXPECT_EQ(row.overlaps, 0u);
}

TEST_F(Verdict, ACallMayRunBesideItsCallersOnly) {
    const auto root = sent(1000), child = call(2000, root), grandchild = call(3000, child);
    start(1100, root);
    start(2100, child);
    start(3100, grandchild);
    EXPECT_EQ(judged().overlaps, 0u);
    start(4000, call(3500, root));
    EXPECT_EQ(judged().overlaps, 1u) << "two calls of one request";
    start(5000, sent(4500));
    EXPECT_EQ(judged().overlaps, 2u) << "a stranger";
    EXPECT_FALSE(judged().kept());
}

TEST_F(Verdict, CallsOfOneRequestMayRunOneAfterTheOtherAndOutliveIt) {
    const auto root = sent(1000), first = call(2000, root), next = call(2100, root);
    start(1100, root);
    start(2100, first);
    end(3000, 1, root);
    end(4000, 2, first);
    start(4100, next);
    EXPECT_EQ(judged().overlaps, 0u);
    start(5000, sent(4500));
    EXPECT_EQ(judged().overlaps, 1u) << "a stranger beside the call that was left behind";
}

TEST_F(Verdict, NoCallRunsBesideARequestThatDidNotMakeIt) {
    const auto root = sent(1000), other = sent(1500);
    start(1100, other);
    start(2100, call(2000, root));
    EXPECT_EQ(judged().overlaps, 1u);
}

TEST_F(Verdict, AnOverlapWithACallWhoseClientLeftIsAnEarlyRelease) {
    const auto root = sent(1000), child = call(2000, root), next = call(2100, root);
    world.record(child).left_us = 2500;
    start(1100, root);
    start(2100, child);
    start(3000, next);
    EXPECT_EQ(judged().early, 1u);
    EXPECT_EQ(judged().overlaps, 1u);
}

TEST_F(Verdict, CallsPassStrangersButNotEachOther) {
    const auto root = sent(1000), stranger = sent(2000), first = call(20'000, root),
               next = call(40'000, root);
    start(1100, root);
    start(50'000, next);
    end(51'000, 2, next);
    EXPECT_EQ(judged().inversions_strict, 0u);
    start(52'000, first);
    end(53'000, 3, first);
    end(54'000, 1, root);
    start(55'000, stranger);
    const auto row = judged();
    EXPECT_EQ(row.inversions_strict, 1u);
    EXPECT_EQ(row.inversions_sure, 1u);
    EXPECT_EQ(row.ghosts, 0u);
}

TEST_F(Verdict, ACallWhoseClientLeftTheLineMustRunOnce) {
    const auto ahead = sent(1000), left = sent(2000);
    world.record(left).left_us = 3000;
    world.record(left).fate = Fate::left;
    world.record(left).must = world.record(left).once = true;
    EXPECT_EQ(judged().lost, 1u) << "it never ran";
    start(1100, ahead);
    end(50'000, 1, ahead);
    start(50'100, left);
    end(51'000, 2, left);
    EXPECT_EQ(judged().lost, 0u);
    EXPECT_TRUE(judged().kept()) << "it is no ghost";
    start(52'000, left);
    EXPECT_EQ(judged().duplicates, 1u);
}

TEST_F(Verdict, CountsLostAndWrongAnswers) {
    world.record(sent(1000)).fate = Fate::sent;
    world.record(sent(1000)).fate = Fate::closed;
    world.record(sent(1000)).fate = Fate::broken;
    world.record(sent(1000)).wrong = true;
    world.record(sent(1000)).fate = Fate::left;
    auto& allowed = world.record(sent(1000));
    allowed.fate = Fate::closed;
    allowed.allowed = allow::closed;
    const auto row = judged();
    EXPECT_EQ(row.lost, 2u);
    EXPECT_EQ(row.wrong, 2u);
}

TEST_F(Verdict, AnIdleConnectionMayEndAsARequestIsSent) {
    const auto closed = [this] {
        auto& record = world.record(sent(1000));
        record.fate = Fate::closed;
        record.allowed = allow::idle_ended;
        return world.records.size();
    };
    (void)closed();
    EXPECT_EQ(judged().lost, 0u);
    start(3000, closed());
    EXPECT_EQ(judged().lost, 1u) << "its backend had it";
}

TEST_F(Verdict, ARowIsBrokenByFaultsThatNoLogShowsToo) {
    Row row;
    EXPECT_TRUE(row.kept());
    const auto broken = [](auto change) {
        Row changed;
        change(changed);
        return !changed.kept();
    };
    EXPECT_TRUE(broken([](Row& r) { r.stuck = 1; }));
    EXPECT_TRUE(broken([](Row& r) { r.violations = 1; }));
    EXPECT_TRUE(broken([](Row& r) { r.fds_before = 10, r.fds_after = 11; }));
    EXPECT_TRUE(broken([](Row& r) { r.complaints.push_back("late"); }));
    EXPECT_TRUE(broken([](Row& r) { r.must_overlap = true; })) << "the counters must move";
    EXPECT_FALSE(broken([](Row& r) { r.must_overlap = true, r.overlaps = r.violations = 1; }));
}

}  // namespace
}  // namespace loadtest

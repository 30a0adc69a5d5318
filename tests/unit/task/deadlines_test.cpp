// Deadlines without a clock: time is an argument.
#include "task/deadlines.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>

namespace ticketgate {
namespace {

constexpr Time start{5000s};

struct Limit final : Observer {
    void notify() override {
        ++notified;
        if (log != nullptr) *log += name;
    }
    char name = '?';
    std::string* log = nullptr;
    int notified = 0;
    Deadline deadline{*this};
};

struct Clock {
    Limit& limit(char name) {
        Limit& made = limits.emplace_back();
        made.name = name;
        made.log = &log;
        return made;
    }
    Limit& armed(char name, Duration after, Time from = start) {
        Limit& made = limit(name);
        deadlines.arm(made.deadline, after, from);
        return made;
    }
    std::string expired_at(Time now) {
        log.clear();
        deadlines.expire(now);
        return log;
    }

    Deadlines deadlines;
    std::string log;
    std::deque<Limit> limits;  // destroyed before the lists that link them
};

TEST(Deadlines, ExpireWhenTheirTimeHasCome) {
    Clock clock;
    Limit& a = clock.armed('a', 10s);
    EXPECT_EQ(a.deadline.at(), start + 10s);
    EXPECT_EQ(clock.expired_at(start + 10s - 1ns), "");
    EXPECT_TRUE(a.deadline.armed());
    EXPECT_FALSE(a.deadline.expired());
    EXPECT_EQ(clock.expired_at(start + 10s), "a");
    EXPECT_FALSE(a.deadline.armed());
    EXPECT_TRUE(a.deadline.expired());
}

TEST(Deadlines, ExpireOnce) {
    Clock clock;
    Limit& a = clock.armed('a', 1s);
    EXPECT_EQ(clock.expired_at(start + 1h), "a");
    EXPECT_EQ(clock.expired_at(start + 2h), "");
    EXPECT_EQ(a.notified, 1);
}

TEST(Deadlines, NextIsTheEarliestOfAllLists) {
    Clock clock;
    EXPECT_EQ(clock.deadlines.next(), std::nullopt);
    clock.armed('a', 10s);
    EXPECT_EQ(clock.deadlines.next(), start + 10s);
    Limit& b = clock.armed('b', 2s);
    EXPECT_EQ(clock.deadlines.next(), start + 2s);
    clock.armed('c', 5s);
    EXPECT_EQ(clock.deadlines.next(), start + 2s);
    b.deadline.disarm();
    EXPECT_EQ(clock.deadlines.next(), start + 5s);
    clock.expired_at(start + 5s);
    EXPECT_EQ(clock.deadlines.next(), start + 10s);
    clock.expired_at(start + 10s);
    EXPECT_EQ(clock.deadlines.next(), std::nullopt);
}

TEST(Deadlines, ExpireInOrderWithOneDuration) {
    Clock clock;
    clock.armed('a', 10s, start);
    clock.armed('b', 10s, start + 1s);
    clock.armed('c', 10s, start + 2s);
    EXPECT_EQ(clock.expired_at(start + 11s), "ab");
    EXPECT_EQ(clock.expired_at(start + 12s), "c");
}

TEST(Deadlines, AllExpireWithSeveralDurations) {
    Clock clock;
    clock.armed('a', 1s);
    clock.armed('b', 2s);
    clock.armed('c', 3s);
    clock.armed('d', 1s);
    EXPECT_EQ(clock.expired_at(start + 2s).size(), 3u);
    EXPECT_EQ(clock.expired_at(start + 3s), "c");
}

TEST(Deadlines, ExpireInOrderEvenIfArmedOutOfOrder) {
    Clock clock;
    clock.armed('b', 10s, start + 5s);
    clock.armed('d', 10s, start + 9s);
    clock.armed('a', 10s, start + 1s);
    clock.armed('c', 10s, start + 7s);
    EXPECT_EQ(clock.deadlines.next(), start + 11s);
    EXPECT_EQ(clock.expired_at(start + 11s), "a");
    EXPECT_EQ(clock.expired_at(start + 17s), "bc");
    EXPECT_EQ(clock.expired_at(start + 19s), "d");
}

TEST(Deadlines, ArmingAnewReplaces) {
    Clock clock;
    Limit& a = clock.armed('a', 10s);
    clock.deadlines.arm(a.deadline, 10s, start + 5s);
    EXPECT_EQ(clock.expired_at(start + 10s), "");
    clock.deadlines.arm(a.deadline, 1s, start + 12s);
    EXPECT_EQ(clock.deadlines.next(), start + 13s);
    EXPECT_EQ(clock.expired_at(start + 13s), "a");
    EXPECT_EQ(clock.expired_at(start + 15s), "");
}

TEST(Deadlines, ArmingAnExpiredOneBeginsAfresh) {
    Clock clock;
    Limit& a = clock.armed('a', 1s);
    clock.expired_at(start + 1s);
    clock.deadlines.arm(a.deadline, 1s, start + 2s);
    EXPECT_FALSE(a.deadline.expired());
    EXPECT_TRUE(a.deadline.armed());
    EXPECT_EQ(clock.expired_at(start + 3s), "a");
    EXPECT_EQ(a.notified, 2);
}

TEST(Deadlines, DisarmedDoNotNotify) {
    Clock clock;
    Limit& a = clock.armed('a', 1s);
    a.deadline.disarm();
    EXPECT_FALSE(a.deadline.armed());
    EXPECT_EQ(clock.expired_at(start + 1h), "");
    EXPECT_FALSE(a.deadline.expired());
    a.deadline.disarm();
}

TEST(Deadlines, DisarmingForgetsTheExpiry) {
    Clock clock;
    Limit& a = clock.armed('a', 1s);
    clock.expired_at(start + 1s);
    a.deadline.disarm();
    EXPECT_FALSE(a.deadline.expired());
}

TEST(Deadlines, NeverIsNotArmed) {
    Clock clock;
    Limit& a = clock.armed('a', never);
    EXPECT_FALSE(a.deadline.armed());
    EXPECT_EQ(clock.deadlines.next(), std::nullopt);
    clock.deadlines.arm(a.deadline, 1s, start);
    clock.deadlines.arm(a.deadline, never, start);
    EXPECT_FALSE(a.deadline.armed());
    EXPECT_EQ(clock.expired_at(start + 1h), "");
}

TEST(Deadlines, ATimePastTheRangeIsNever) {
    Clock clock;
    Limit& a = clock.armed('a', Duration::max());
    Limit& b = clock.armed('b', 24h * 365, Time::max() - 1h);
    EXPECT_FALSE(a.deadline.armed());
    EXPECT_FALSE(b.deadline.armed());
}

TEST(Deadlines, AMomentThatHasPassedExpiresAtOnce) {
    Clock clock;
    clock.armed('a', 0s);
    clock.armed('b', 1s, start - 10s);
    EXPECT_EQ(clock.expired_at(start).size(), 2u);
}

TEST(Deadlines, ADestroyedDeadlineDoesNotExpire) {
    Clock clock;
    Limit& b = clock.limit('b');
    {
        Limit gone;
        clock.deadlines.arm(gone.deadline, 1s, start);
        clock.deadlines.arm(b.deadline, 1s, start);
    }
    EXPECT_EQ(clock.expired_at(start + 1s), "b");
}

// A deadline that its own notify() arms again is not notified twice in one call.
struct Repeating final : Observer {
    explicit Repeating(Deadlines& d) : deadlines(d) {}
    void notify() override {
        ++notified;
        deadlines.arm(deadline, 1s, now);
    }
    Deadlines& deadlines;
    Time now = start;
    int notified = 0;
    Deadline deadline{*this};
};

TEST(Deadlines, MayBeArmedFromInsideTheirExpiry) {
    Deadlines deadlines;
    Repeating tick(deadlines);
    deadlines.arm(tick.deadline, 1s, start);
    for (int i = 1; i <= 5; ++i) {
        tick.now = start + i * 1s;
        deadlines.expire(tick.now);
        EXPECT_EQ(tick.notified, i);
    }
}

TEST(Deadlines, MayBeArmedForOtherDurationsFromInsideTheirExpiry) {
    struct Chain final : Observer {
        void notify() override {
            if (++heard < 50) deadlines.arm(own, milliseconds(heard), now);
        }
        Deadlines deadlines;
        Deadline own{*this};
        Time now = start;
        int heard = 0;
    } chain;
    chain.deadlines.arm(chain.own, milliseconds(100), start);
    for (; chain.heard < 50 && chain.now < start + 10s; chain.now += milliseconds(1))
        chain.deadlines.expire(chain.now);
    EXPECT_EQ(chain.heard, 50);
}

// Compares with a sorted map: the same deadlines expire, in order within each list.
TEST(Deadlines, AgreeWithASortedMap) {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        Deadlines deadlines;
        std::deque<Limit> limits(50);
        std::map<const Limit*, Time> due;
        Time now = start;
        for (int i = 0; i < 1000; ++i) {
            Limit& limit = limits[random() % limits.size()];
            const Duration after = milliseconds(1 + random() % 7 * 20);
            now += milliseconds(random() % 10);
            const Time from = now - milliseconds(random() % 5);
            deadlines.arm(limit.deadline, after, from);
            due[&limit] = from + after;
            Limit& other = limits[random() % limits.size()];
            other.deadline.disarm();
            due.erase(&other);
            deadlines.expire(now);
            std::erase_if(due, [&](const auto& one) { return one.second <= now; });
            for (const Limit& each : limits)
                ASSERT_EQ(each.deadline.armed(), due.contains(&each)) << "seed " << seed;
            std::optional<Time> next;
            for (const auto& one : due) next = std::min(next.value_or(one.second), one.second);
            ASSERT_EQ(deadlines.next(), next) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace ticketgate

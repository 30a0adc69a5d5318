// The cost of an operation must not depend on how many tickets wait. Each test compares a short and
// a long line in one run, so the machine's speed does not matter: a linear step would be a hundred
// times as slow in the long line. It measures CPU time, so other load does not matter either.
#include <time.h>

#include <algorithm>
#include <functional>

#include "line.hpp"

namespace ticketgate::queue {
namespace {

constexpr std::size_t short_line = 1'000, long_line = 100'000;
constexpr std::size_t batch = 400;
constexpr int runs = 5;
constexpr double most_ratio = 20;

// `count` tickets that wait behind one holder.
struct Crowd {
    explicit Crowd(std::size_t count, bool ready) : tickets(count + 1) {
        for (Ticket& ticket : tickets) queue.take(ticket, entry(ready), start, granted);
        granted.clear();
    }
    static Entry entry(bool ready) {
        return {.max_waiting = unlimited, .ready = ready, .deadline = start + 1s};
    }
    Ticket& middle(std::size_t i) { return tickets[tickets.size() / 2 + i]; }

    std::vector<Ticket> tickets;
    std::vector<Ticket> newcomers{batch};
    Tickets granted;
    Queue queue{Limits()};
};

using Work = std::function<void(Crowd&)>;

double processor_nanoseconds() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

double nanoseconds_each(std::size_t count, bool ready, const Work& work) {
    Crowd crowd(count, ready);
    const double begin = processor_nanoseconds();
    work(crowd);
    return (processor_nanoseconds() - begin) / batch;
}

double median_of_runs(std::size_t count, bool ready, const Work& work) {
    std::vector<double> each;
    for (int i = 0; i < runs; ++i) each.push_back(nanoseconds_each(count, ready, work));
    std::nth_element(each.begin(), each.begin() + runs / 2, each.end());
    return each[runs / 2];
}

void expect_no_dependence(bool ready, const Work& work) {
    const double few = median_of_runs(short_line, ready, work);
    const double many = median_of_runs(long_line, ready, work);
    EXPECT_LT(many / few, most_ratio) << few << " ns with few, " << many << " ns with many";
}

TEST(QueueScale, Take) {
    expect_no_dependence(true, [](Crowd& crowd) {
        for (Ticket& ticket : crowd.newcomers)
            crowd.queue.take(ticket, Crowd::entry(true), start, crowd.granted);
    });
}

TEST(QueueScale, CancelInTheMiddle) {
    expect_no_dependence(true, [](Crowd& crowd) {
        for (std::size_t i = 0; i < batch; ++i)
            crowd.queue.cancel(crowd.middle(i), start, crowd.granted);
    });
}

TEST(QueueScale, ExpireInTheMiddle) {
    expect_no_dependence(true, [](Crowd& crowd) {
        for (std::size_t i = 0; i < batch; ++i)
            crowd.queue.settle(crowd.middle(i), start + 1s, crowd.granted);
    });
}

void end(Crowd& crowd, Ticket& ticket) {
    (void)crowd.queue.begin(ticket);
    (void)crowd.queue.leave(ticket, start, crowd.granted);
}

TEST(QueueScale, Grant) {
    expect_no_dependence(true, [](Crowd& crowd) {
        for (std::size_t i = 0; i < batch; ++i) end(crowd, crowd.tickets[i]);
        EXPECT_EQ(crowd.granted.size(), batch);
    });
}

TEST(QueueScale, ReadyInTheMiddle) {
    expect_no_dependence(false, [](Crowd& crowd) {
        crowd.queue.ready(crowd.tickets.front(), start, crowd.granted);
        for (std::size_t i = 0; i < batch; ++i)
            crowd.queue.ready(crowd.middle(i), start, crowd.granted);
    });
}

TEST(QueueScale, CountsAndViews) {
    expect_no_dependence(true, [](Crowd& crowd) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < batch; ++i)
            sum += crowd.queue.waiting() + crowd.queue.retry_after(start) + crowd.queue.in_flight();
        EXPECT_GT(sum, batch);
    });
}

}  // namespace
}  // namespace ticketgate::queue

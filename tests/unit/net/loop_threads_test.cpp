// Work that crosses threads: posts, and coroutines that move between loops.
#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "sockets.hpp"
#include "task/task.hpp"

namespace ticketgate::net {
namespace {

struct Running {
    explicit Running(unsigned index) : loop(index), thread([this] { loop.run(); }) {}
    ~Running() { end(); }
    void end() {
        loop.stop();
        if (thread.joinable()) thread.join();
    }
    Loop loop;
    std::thread thread;
};

TEST(LoopThreads, PostsOfEachThreadRunInItsOrder) {
    constexpr int threads = 4, posts = 5'000;
    Running running(0);
    std::vector<int> seen[threads];  // on the loop only: no lock
    std::latch all(threads * posts);
    std::vector<std::thread> posters;
    for (int t = 0; t < threads; ++t) {
        posters.emplace_back([&, t] {
            for (int i = 0; i < posts; ++i) {
                running.loop.post([&, t, i] {
                    seen[t].push_back(i);
                    all.count_down();
                });
            }
        });
    }
    all.wait();
    for (auto& poster : posters) poster.join();
    for (const auto& of_thread : seen) {
        ASSERT_EQ(of_thread.size(), posts);
        for (int i = 0; i < posts; ++i) ASSERT_EQ(of_thread[static_cast<std::size_t>(i)], i);
    }
}

TEST(LoopThreads, JobsPostedBeforeStopRun) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ran{0};
        Running running(0);
        for (int i = 0; i < 20; ++i) running.loop.post([&] { ++ran; });
        running.end();
        EXPECT_EQ(ran, 20);
    }
}

TEST(LoopThreads, APostWakesASleepingLoop) {
    Running running(0);
    for (int i = 0; i < 200; ++i) {
        std::latch here(1);
        running.loop.post([&] { here.count_down(); });
        here.wait();  // without the wake-up the loop sleeps for ever and the test hangs
    }
}

// A counter for each loop that only its own thread may touch; TSan reports any other access.
struct Stop {
    explicit Stop(unsigned index) : running(index) {}
    Running running;
    int visits = 0;
};

Detached travel(std::vector<std::unique_ptr<Stop>>& stops, std::size_t at, int hops,
                std::latch& all) {
    for (int i = 0; i < hops; ++i) {
        Stop& here = *stops[at];
        EXPECT_EQ(std::this_thread::get_id(), here.running.thread.get_id());
        ++here.visits;
        const std::size_t next = (at + 1 + static_cast<std::size_t>(i) % 3) % stops.size();
        co_await here.running.loop.move_to(stops[next]->running.loop);
        at = next;
    }
    all.count_down();
}

TEST(LoopThreads, CoroutinesGoOnOnTheLoopTheyMoveTo) {
    constexpr int travellers = 32, hops = 300;
    std::vector<std::unique_ptr<Stop>> stops;
    for (unsigned i = 0; i < 4; ++i) stops.push_back(std::make_unique<Stop>(i));
    std::latch all(travellers);
    for (std::size_t t = 0; t < travellers; ++t) {
        const std::size_t at = t % stops.size();
        stops[at]->running.loop.post([&stops, &all, at] { travel(stops, at, hops, all); });
    }
    all.wait();
    int visits = 0;
    for (const auto& stop : stops) {
        stop->running.end();
        visits += stop->visits;
    }
    EXPECT_EQ(visits, travellers * hops);
}

// Reads a connection that changes loops after each byte; no byte may be missed.
Detached read_everywhere(SocketStream& stream, Loop& a, Loop& b, std::string& out,
                         std::latch& end) {
    Loop* here = &a;
    Signal signal(a.scheduler());
    stream.observe(&signal);
    for (IoResult got; got.status != Io::ended;) {
        char byte = 0;
        got = stream.read_some({&byte, 1});
        if (got.status == Io::failed) break;
        if (got.status == Io::blocked) {
            co_await signal;
            continue;
        }
        if (got.bytes == 1) out += byte;
        Loop& other = here == &a ? b : a;
        stream.observe(nullptr);
        stream.detach();
        co_await here->move_to(other);
        here = &other;
        signal.move_to(other.scheduler());
        stream.attach(other);
        stream.observe(&signal);
    }
    stream.observe(nullptr);
    stream.detach();
    end.count_down();
}

TEST(LoopThreads, AMovingConnectionMissesNothing) {
    Running a(0), b(1);
    const auto [near, far] = unix_pair();
    std::unique_ptr<SocketStream> stream;
    std::string out, sent;
    std::latch end(1);
    a.loop.post([&, near = near] {
        stream = std::make_unique<SocketStream>(a.loop, near);
        read_everywhere(*stream, a.loop, b.loop, out, end);
    });
    {
        const Peer peer(far);
        for (int i = 0; i < 300; ++i) {
            const std::string part(static_cast<std::size_t>(1 + i % 3), char('a' + i % 26));
            peer.send(part);
            sent += part;
        }
    }
    end.wait();
    a.end();
    b.end();
    EXPECT_EQ(out, sent);
}

}  // namespace
}  // namespace ticketgate::net

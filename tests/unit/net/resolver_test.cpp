// Look-ups that hang, as with a name server that does not answer.
#include "net/resolver.hpp"

#include <gtest/gtest.h>

#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace ticketgate::net {
namespace {

// Each name that begins with `slow` hangs until it is let go.
class Names {
 public:
    Resolver::Found look_up(const std::string& host) {
        std::unique_lock lock(mutex_);
        ++asked_[host];
        changed_.notify_all();
        if (host.starts_with("slow"))
            changed_.wait(lock, [this, &host] { return open_ || let_go_.contains(host); });
        ++ended_;
        changed_.notify_all();
        if (host == "nobody") return {boost::asio::error::host_not_found, {}};
        return {error_code(), {*Endpoint::from_ip("127.0.0.9", 0)}};
    }
    void let_go(const std::string& host) {
        const std::lock_guard lock(mutex_);
        let_go_.insert(host);
        changed_.notify_all();
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    int asked(const std::string& host) {
        const std::lock_guard lock(mutex_);
        return asked_[host];
    }
    void wait_for_asked(std::size_t names) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this, names] { return asked_.size() >= names; });
    }
    void wait_for_ended(int lookups) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this, lookups] { return ended_ >= lookups; });
    }

 private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, int> asked_;
    std::set<std::string> let_go_;
    bool open_ = false;
    int ended_ = 0;
};

struct Bench {
    ~Bench() { names->open(); }
    void ask(const std::string& host, std::uint16_t port = 80) {
        resolver->resolve(host, port, [this, host](const error_code& error, auto found) {
            answers[host].push_back(error ? error.message() : found.at(0).text());
        });
    }
    void run_until_answered(const std::string& host, std::size_t times = 1) {
        while (answers[host].size() < times) control.run_one();
    }

    // A thread that hangs outlives the resolver, and so do its names.
    const std::shared_ptr<Names> names = std::make_shared<Names>();
    boost::asio::io_context control{1};
    const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> goes_on{
        control.get_executor()};
    std::map<std::string, std::vector<std::string>> answers;
    std::optional<Resolver> resolver{
        std::in_place, control,
        [names = names](const std::string& host) { return names->look_up(host); }};
};

TEST(Resolver, ANameThatHangsKeepsNoOtherWaiting) {
    Bench bench;
    bench.ask("slow");
    bench.ask("quick");
    bench.run_until_answered("quick");
    EXPECT_TRUE(bench.answers["slow"].empty());
    bench.names->let_go("slow");
    bench.run_until_answered("slow");
}

TEST(Resolver, OneLookUpAnswersAllThatAskForAName) {
    Bench bench;
    bench.ask("slow", 80);
    bench.ask("slow", 81);
    bench.ask("quick");
    bench.run_until_answered("quick");  // both questions have arrived
    bench.names->let_go("slow");
    bench.run_until_answered("slow", 2);
    EXPECT_EQ(bench.answers["slow"], (std::vector<std::string>{"127.0.0.9:80", "127.0.0.9:81"}));
    EXPECT_EQ(bench.names->asked("slow"), 1);
    bench.ask("slow");
    bench.run_until_answered("slow", 3);
    EXPECT_EQ(bench.names->asked("slow"), 2);
}

TEST(Resolver, TellsAFailureToAll) {
    Bench bench;
    bench.ask("nobody");
    bench.run_until_answered("nobody");
    EXPECT_EQ(bench.answers["nobody"].front(),
              error_code(boost::asio::error::host_not_found).message());
}

TEST(Resolver, BehindTheLimitTheNextWaitsForTheFirstAnswer) {
    Bench bench;
    for (std::size_t i = 0; i < Resolver::most_lookups; ++i) bench.ask("slow" + std::to_string(i));
    bench.ask("next");
    bench.control.poll();
    bench.names->wait_for_asked(Resolver::most_lookups);
    EXPECT_EQ(bench.names->asked("next"), 0);
    bench.names->let_go("slow7");
    bench.run_until_answered("next");
    EXPECT_EQ(bench.answers["slow7"].size(), 1U);
    EXPECT_TRUE(bench.answers["slow0"].empty());
}

TEST(Resolver, ItsEndWaitsForNoLookUp) {
    Bench bench;
    bench.ask("slow");
    bench.control.poll();
    bench.names->wait_for_asked(1);
    bench.resolver.reset();
    bench.names->open();
    bench.names->wait_for_ended(1);
    bench.control.poll();
    EXPECT_TRUE(bench.answers["slow"].empty());
}

TEST(Resolver, KnowsLocalhost) {
    const auto found = Resolver::ask_system("localhost");
    EXPECT_FALSE(found.error);
    ASSERT_FALSE(found.endpoints.empty());
}

}  // namespace
}  // namespace ticketgate::net

#include "net/resolver.hpp"

#include <poll.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.hpp"

namespace ticketgate::net {
namespace {

// Between two tries to hand an answer in while memory is short.
constexpr int again_ms = 100;

// RFC 6761 6.3: localhost is loopback, also where no hosts file names it (a bare chroot).
std::vector<Endpoint> loopback() {
    return {*Endpoint::from_ip("127.0.0.1", 0), *Endpoint::from_ip("::1", 0)};
}

error_code no_memory() {
    return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
}

Resolver::Found found_with(const Resolver::LookUp& look_up, const std::string& host) try {
    return look_up(host);
} catch (const std::bad_alloc&) {
    return {no_memory(), {}};
}

}  // namespace

// Its members are used on the control thread, except where noted.
class Resolver::Work : public std::enable_shared_from_this<Work> {
 public:
    Work(boost::asio::io_context& control, LookUp look_up)
        : look_up_(std::move(look_up)), control_(&control) {}

    void ask(const std::string& host, std::uint16_t port, Done done) {
        if (closed_) return;
        auto& asking = questions_[host];
        if (asking.empty()) waiting_.push_back(host);
        asking.push_back({port, std::move(done)});
        start_next();
    }

    void close() {
        closed_ = true;
        questions_.clear();
        const std::lock_guard lock(mutex_);
        control_ = nullptr;
    }

 private:
    struct Question {
        std::uint16_t port;
        Done done;
    };

    void start_next() {
        while (running_ < most_lookups && !waiting_.empty()) {
            const std::string host = std::move(waiting_.front());
            waiting_.pop_front();
            start(host);
        }
    }

    void start(const std::string& host) try {
        const BlockedSignals for_the_thread;
        std::thread([self = shared_from_this(), host] {
            self->hand_in(host, found_with(self->look_up_, host));
        }).detach();
        ++running_;
    } catch (const std::bad_alloc&) {
        answer(host, {no_memory(), {}});
    } catch (const std::system_error& error) {  // no thread is free
        answer(host, {error_code(error.code().value(), boost::system::system_category()), {}});
    }

    // On the thread of the look-up. Without an answer its question would never be asked again.
    void hand_in(const std::string& host, const Found& found) {
        while (!posted(host, found)) (void)::poll(nullptr, 0, again_ms);
    }

    bool posted(const std::string& host, const Found& found) try {
        const std::lock_guard lock(mutex_);
        if (control_ == nullptr) return true;
        boost::asio::post(*control_, [self = shared_from_this(), host, found] {
            --self->running_;
            self->start_next();
            self->answer(host, found);
        });
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }

    void answer(const std::string& host, const Found& found) {
        const auto asked = questions_.extract(host);
        if (asked.empty()) return;
        for (const Question& one : asked.mapped()) tell(one, found);
    }

    static void tell(const Question& question, const Found& found) try {
        std::vector<Endpoint> endpoints;
        endpoints.reserve(found.endpoints.size());
        for (const Endpoint& one : found.endpoints)
            endpoints.push_back(one.with_port(question.port));
        question.done(found.error, std::move(endpoints));
    } catch (const std::bad_alloc&) {
        question.done(no_memory(), {});
    }

    const LookUp look_up_;  // any thread
    std::map<std::string, std::vector<Question>> questions_;
    std::deque<std::string> waiting_;  // at most one of each name
    std::size_t running_ = 0;
    bool closed_ = false;
    std::mutex mutex_;
    boost::asio::io_context* control_;  // under mutex_; null: closed
};

Resolver::Resolver(boost::asio::io_context& control, LookUp look_up)
    : control_(control), work_(std::make_shared<Work>(control, std::move(look_up))) {}

Resolver::~Resolver() {
    work_->close();
}

void Resolver::resolve(std::string host, std::uint16_t port, Done done) {
    struct Asked {
        std::string host;
        std::uint16_t port;
        Done done;
    };
    const auto asked = std::make_shared<Asked>(Asked{std::move(host), port, std::move(done)});
    boost::asio::post(control_, [work = work_, asked]() {
        try {
            work->ask(asked->host, asked->port, asked->done);
        } catch (const std::bad_alloc&) {
            asked->done(no_memory(), {});
        }
    });
}

// Asio's own asynchronous look-ups have one thread an io_context, which its end waits for.
Resolver::Found Resolver::ask_system(const std::string& host) {
    boost::asio::io_context io;
    Found found;
    const auto entries = boost::asio::ip::tcp::resolver(io).resolve(host, "", found.error);
    if (found.error && host == "localhost") return {error_code(), loopback()};
    for (const auto& entry : entries)
        found.endpoints.emplace_back(entry.endpoint().data(),
                                     static_cast<socklen_t>(entry.endpoint().size()));
    return found;
}

}  // namespace ticketgate::net

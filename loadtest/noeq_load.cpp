// Load on an id service: connections that each ask for a number of ids, wait for them, ask again.
// Checks every id: it must be greater than the one before on its connection. One thread.
//
//   tg_noeq_load HOST:PORT [--connections N] [--ids 1..255] [--seconds S] [--token T]
//
// Prints one line: ids and requests a second, and how long a request took (median, p99, longest).
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "net_lite.hpp"

namespace {

using loadtest::Micros;

struct Plan {
    std::string address;
    unsigned connections = 1, ids = 1;
    double seconds = 3;
    std::string token;
};

// Times of requests in microseconds; the last bucket holds what was longer.
struct Times {
    std::vector<std::uint64_t> buckets = std::vector<std::uint64_t>(1'000'000);
    std::uint64_t count = 0;

    void add(Micros us) {
        ++buckets[std::min<std::size_t>(us, buckets.size() - 1)];
        ++count;
    }
    std::size_t at(double share) const {
        auto left = static_cast<std::uint64_t>(share * static_cast<double>(count));
        for (std::size_t us = 0; us < buckets.size(); ++us) {
            if (buckets[us] > left) return us;
            left -= buckets[us];
        }
        return buckets.size();
    }
    std::size_t longest() const {
        for (std::size_t us = buckets.size(); us-- > 0;)
            if (buckets[us] != 0) return us;
        return 0;
    }
};

std::uint64_t id_at(const char* bytes) {
    std::uint64_t id = 0;
    std::memcpy(&id, bytes, sizeof id);
    return __builtin_bswap64(id);
}

class Asker {
 public:
    Asker(const Plan& plan, Times& times)
        : fd_(loadtest::connect_to(loadtest::resolve(plan.address))),
          request_(1, static_cast<char>(plan.ids)),
          answer_(plan.ids * sizeof(std::uint64_t)),
          times_(times) {}

    const loadtest::Fd& fd() const { return fd_; }

    void log_in(const std::string& token) {
        if (token.empty()) return;
        const std::string login = std::string(1, '\0') + static_cast<char>(token.size()) + token;
        send(login);
    }
    // From now on take() waits for the answer, a second at most.
    void block() {
        const timeval second{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
        ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK);
    }
    void ask() {
        asked_ = loadtest::now_us();
        send(request_);
    }
    // Reads what is there of the answer; once complete, checks it and asks again.
    void take() {
        for (;;) {
            const auto got = loadtest::receive(fd_, std::span(answer_).subspan(have_));
            if (got.state == loadtest::Io::closed) throw std::runtime_error("the service closed");
            if (got.state == loadtest::Io::again) return;
            have_ += got.size;
            if (have_ < answer_.size()) continue;
            have_ = 0;
            times_.add(loadtest::now_us() - asked_);
            for (std::size_t at = 0; at < answer_.size(); at += sizeof(std::uint64_t)) {
                const auto id = id_at(&answer_[at]);
                if (id <= last_) throw std::runtime_error("an id was not greater than the last");
                last_ = id;
            }
            return ask();
        }
    }

 private:
    void send(const std::string& bytes) {
        const auto sent = loadtest::transmit(fd_, bytes);
        if (sent.state != loadtest::Io::done || sent.size != bytes.size())
            throw std::runtime_error("a request could not be sent");
    }

    loadtest::Fd fd_;
    const std::string request_;
    std::vector<char> answer_;
    Times& times_;
    std::size_t have_ = 0;
    std::uint64_t last_ = 0;
    Micros asked_ = 0;
};

void run(const Plan& plan) {
    Times times;
    loadtest::Poller poller;
    std::vector<std::unique_ptr<Asker>> askers;
    for (unsigned i = 0; i < plan.connections; ++i) {
        askers.push_back(std::make_unique<Asker>(plan, times));
        loadtest::Poller connected;
        connected.add(askers.back()->fd(), EPOLLOUT, nullptr);
        if (connected.wait(5000).empty()) throw std::runtime_error("no connection");
        poller.add(askers.back()->fd(), EPOLLIN, askers.back().get());
    }
    for (auto& asker : askers) asker->log_in(plan.token);
    for (auto& asker : askers) asker->ask();
    const Micros begin = loadtest::now_us();
    const Micros end = begin + static_cast<Micros>(plan.seconds * 1e6);
    Micros now = begin;
    // One connection is asked as most programs do: send, then wait in the read.
    if (plan.connections == 1) askers[0]->block();
    while ((now = loadtest::now_us()) < end) {
        if (plan.connections == 1) {
            askers[0]->take();
            continue;
        }
        const auto events = poller.wait(1000);
        if (events.empty()) throw std::runtime_error("the service fell silent");
        for (const auto& event : events) static_cast<Asker*>(event.data.ptr)->take();
    }
    const double seconds = static_cast<double>(now - begin) / 1e6;
    const double requests = static_cast<double>(times.count) / seconds;
    std::printf(
        "connections %u ids_a_request %u ids_a_second %.0f requests_a_second %.0f "
        "p50_us %zu p99_us %zu longest_us %zu\n",
        plan.connections, plan.ids, requests * plan.ids, requests, times.at(0.5), times.at(0.99),
        times.longest());
}

Plan parsed(int argc, char** argv) {
    Plan plan;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (!name.starts_with("--")) {
            plan.address = name;
            continue;
        }
        const char* value = i + 1 < argc ? argv[++i] : "";
        if (name == "--connections")
            plan.connections = static_cast<unsigned>(std::atoi(value));
        else if (name == "--ids")
            plan.ids = static_cast<unsigned>(std::atoi(value));
        else if (name == "--seconds")
            plan.seconds = std::atof(value);
        else if (name == "--token")
            plan.token = value;
        else
            throw std::invalid_argument("unknown option " + name);
    }
    if (plan.address.empty() || plan.ids < 1 || plan.ids > 255 || plan.connections < 1)
        throw std::invalid_argument(
            "tg_noeq_load HOST:PORT [--connections N] [--ids 1..255] [--seconds S] [--token T]");
    return plan;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(parsed(argc, argv));
        return 0;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tg_noeq_load: %s\n", error.what());
        return 1;
    }
}

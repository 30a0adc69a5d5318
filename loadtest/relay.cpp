// A bare TCP relay: costs two sockets and a copy, which is the limit that any proxy can reach.
// One thread, one read buffer shared by all connections, no splice.

#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net_lite.hpp"
#include "options_lite.hpp"

namespace loadtest {

namespace {

constexpr const char* usage =
    "tg_relay --listen PORT|HOST:PORT|unix:PATH --to PORT|HOST:PORT|unix:PATH\n"
    "  --seconds N    ends by itself after this time (3600)";

std::array<char, 128UL * 1024> buffer;

struct Pair;

struct Side {
    Fd fd;
    Pair* pair = nullptr;
    Side* other = nullptr;
    std::string pending;  // read from the other side, not yet taken by this one
    std::uint32_t watched = 0;
};

struct Pair {
    Side client;
    Side server;
    bool finished = false;
};

class Relay {
 public:
    explicit Relay(const Options& options)
        : to_{resolve(options.text("--to"))},
          listener_{listen_on(resolve(options.text("--listen", "127.0.0.1:0")))} {
        poller_.add(listener_, EPOLLIN, &listener_);
    }

    void run() {
        std::printf("listening %s\n", bound_name(listener_).c_str());
        std::fflush(stdout);
        while (!ending()) {
            for (const auto& event : poller_.wait(1000)) {
                if (event.data.ptr == &listener_)
                    accept();
                else
                    handle(*static_cast<Side*>(event.data.ptr), event.events);
            }
            // Later events of the same batch may still point at a finished pair.
            for (auto* pair : finished_) pairs_.erase(pair);
            finished_.clear();
        }
    }

 private:
    void accept() {
        while (true) {
            auto fd = accept_from(listener_);
            if (!fd.open()) return;
            auto server = connect_to(to_);
            if (!server.open()) continue;
            auto pair = std::make_unique<Pair>();
            pair->client = {std::move(fd), pair.get(), &pair->server, {}, EPOLLIN};
            pair->server = {std::move(server), pair.get(), &pair->client, {}, EPOLLIN};
            poller_.add(pair->client.fd, EPOLLIN, &pair->client);
            poller_.add(pair->server.fd, EPOLLIN, &pair->server);
            pairs_.emplace(pair.get(), std::move(pair));
        }
    }

    void handle(Side& side, std::uint32_t events) {
        if (side.pair->finished) return;
        if ((events & EPOLLOUT) != 0) flush(side);
        if (side.pair->finished || (events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
        const auto got = receive(side.fd, buffer);
        if (got.state == Io::again) return;
        if (got.state == Io::closed) return finish(*side.pair);
        forward(*side.other, {buffer.data(), got.size});
    }

    void forward(Side& to, std::string_view bytes) {
        if (to.pending.empty()) {
            const auto sent = transmit(to.fd, bytes);
            if (sent.state == Io::closed) return finish(*to.pair);
            bytes.remove_prefix(sent.size);
        }
        if (bytes.empty()) return;
        to.pending.append(bytes);
        watch(to, EPOLLIN | EPOLLOUT);
        // Stops reading from one side while the other does not take the bytes.
        watch(*to.other, to.other->watched & ~static_cast<std::uint32_t>(EPOLLIN));
    }

    void flush(Side& side) {
        const auto sent = transmit(side.fd, side.pending);
        if (sent.state == Io::closed) return finish(*side.pair);
        side.pending.erase(0, sent.size);
        if (!side.pending.empty()) return;
        watch(side, side.watched & ~static_cast<std::uint32_t>(EPOLLOUT));
        watch(*side.other, side.other->watched | EPOLLIN);
    }

    void watch(Side& side, std::uint32_t events) {
        if (events == side.watched) return;
        side.watched = events;
        poller_.change(side.fd, events, &side);
    }

    void finish(Pair& pair) {
        pair.finished = true;
        pair.client.fd.reset();
        pair.server.fd.reset();
        finished_.push_back(&pair);
    }

    Endpoint to_;
    Poller poller_;
    Fd listener_;
    std::unordered_map<Pair*, std::unique_ptr<Pair>> pairs_;
    std::vector<Pair*> finished_;
};

}  // namespace

}  // namespace loadtest

int main(int argc, char** argv) {
    const loadtest::Options options{argc, argv, loadtest::usage};
    if (!options.given("--to")) options.stop("no --to");
    loadtest::end_after(static_cast<unsigned>(options.number("--seconds", 3600)));
    try {
        loadtest::Relay{options}.run();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "tg_relay: %s\n", failure.what());
        return 1;
    }
    return 0;
}

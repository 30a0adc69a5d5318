// An order-logging backend, HTTP/1.1 and (on a port of its own) FastCGI: answers after a service
// time, records the start and end of every request and counts overlaps, inversions, ghosts and
// hand-over gaps. One thread. `GET /__stats`, `/__reset?limit=N&slack_us=N`, `/__log`, `/__faults`
// and `/__overlapped` are its own pages, and so are `/__run?seq=N`, which tells when that request
// started and ended, `/__go?seq=N`, which ends the work of one that was sent with `hold=1`, and
// `/__id?seq=N`, which tells the X-Request-Id of such a one; `/__refuse?ms=N` closes the listener
// for a time, `/__restart?ms=N` every connection as well; over FastCGI `/__status` is php-fpm's
// status page.

#include <bit>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backend_connection.hpp"
#include "journal.hpp"
#include "net_lite.hpp"
#include "options_lite.hpp"

namespace loadtest {

namespace {

constexpr const char* usage =
    "tg_backend [--listen PORT|HOST:PORT|unix:PATH]  (port 0: any, see the first line printed)\n"
    "  --fastcgi PORT|HOST:PORT|unix:PATH  speaks FastCGI there as well\n"
    "  [--process]    to tg_workers: the end of a connection is the end of the process behind it\n"
    "  --us N         service time of a request without ?ms= or ?us= (0)\n"
    "  --size N       bytes of an answer without ?size= (1024)\n"
    "  --limit N      more in flight than this is an overlap (1)\n"
    "  --slack-us N   inversions count if the overtaken one was sent this much earlier (1000)\n"
    "  --log-lines N  lines kept for /__log (400000)\n"
    "  --seconds N    ends by itself after this time (3600)\n"
    "query of a request: ms= us= late_us= (work after a FastCGI answer)\n"
    "  hold=1 late_hold=1 (work until /__go?seq=N is asked for)\n"
    "  tunnel=release|hold (echoes after a 101) size= chunked=1 status= close=1\n"
    "  unbuffered=1 (X-Accel-Buffering: no) without=NAME,NAME (400 if such a field came)\n"
    "  fault= (fault.hpp has the names)";

class Backend : public Outage {
 public:
    explicit Backend(const Options& options)
        : service_{options.number("--us", 0), options.number("--size", 1024)},
          journal_{{options.number("--limit", 1), options.number("--slack-us", 1000),
                    options.number("--log-lines", 400'000)}},
          listener_{listen_on(resolve(options.text("--listen", "127.0.0.1:0")))},
          address_{resolve(bound_name(listener_))} {
        poller_.add(listener_, EPOLLIN, &listener_);
        if (options.given("--fastcgi")) {
            fcgi_address_ = resolve(options.text("--fastcgi"));
            if (options.given("--process")) fcgi_speech_ = Speech::process;
            listen_for_fcgi();
        }
        poller_.add(alarms_.fd(), EPOLLIN, &alarms_);
    }

    void run() {
        std::printf("listening %s\n", bound_name(listener_).c_str());
        std::fflush(stdout);
        while (!ending()) {
            for (const auto& event : poller_.wait(1000)) handle(event);
            bury();
        }
    }

 private:
    void handle(const epoll_event& event) {
        if (event.data.ptr == &listener_) return accept(listener_, Speech::http);
        if (event.data.ptr == &fcgi_listener_) return accept(fcgi_listener_, fcgi_speech_);
        if (event.data.ptr == &alarms_) return run_alarms();
        touch(static_cast<Connection*>(event.data.ptr),
              [&event](Connection& connection) { connection.on_events(event.events); });
    }

    void accept(const Fd& from, Speech speech) {
        while (true) {
            auto fd = accept_from(from);
            if (!fd.open()) return;
            auto connection = std::make_unique<Connection>(std::move(fd), service_, journal_,
                                                           alarms_, poller_, *this, speech);
            connections_.emplace(connection.get(), std::move(connection));
        }
    }

    void run_alarms() {
        std::uint64_t token = 0;
        while (alarms_.take_due(now_us(), token)) {
            if (token == listen_again) {
                listen();
                continue;
            }
            touch(std::bit_cast<Connection*>(token),
                  [](Connection& connection) { connection.on_alarm(); });
        }
        alarms_.rearm();
    }

    void refuse(Micros for_us, bool drop) override {
        listener_.reset();
        fcgi_listener_.reset();
        drop_ = drop;
        alarms_.set(now_us() + for_us, listen_again);
    }

    std::string workers() const override {
        std::string list;
        for (const auto& [pointer, connection] : connections_) {
            const auto entry = connection->worker(now_us());
            if (!entry.empty()) list += (list.empty() ? "" : ",") + entry;
        }
        return R"({"pool":"tg_backend","processes":[)" + list + "]}";
    }

    bool let_go(std::uint64_t seq) override {
        Connection* const holder = holder_of(seq);
        if (holder == nullptr) return false;
        touch(holder, [](Connection& one) { one.let_go(); });
        return true;
    }

    std::string id_of(std::uint64_t seq) override {
        const Connection* const holder = holder_of(seq);
        return holder == nullptr ? std::string() : holder->request_id();
    }

    Connection* holder_of(std::uint64_t seq) const {
        for (const auto& [pointer, connection] : connections_) {
            if (connection->holds(seq)) return pointer;
        }
        return nullptr;
    }

    void listen() {
        if (listener_.open()) return;
        listener_ = listen_on(address_);
        poller_.add(listener_, EPOLLIN, &listener_);
        if (fcgi_address_) listen_for_fcgi();
    }

    void listen_for_fcgi() {
        fcgi_listener_ = listen_on(*fcgi_address_);
        poller_.add(fcgi_listener_, EPOLLIN, &fcgi_listener_);
    }

    // Not while the page that asks for it is served: its answer must be sent first.
    void drop_all() {
        drop_ = false;
        for (auto& [pointer, connection] : connections_) {
            touch(pointer, [](Connection& one) { one.abort(); });
        }
    }

    template <class Call>
    void touch(Connection* connection, Call call) {
        const bool was_finished = connection->finished();
        call(*connection);
        if (!was_finished && connection->finished()) finished_.push_back(connection);
    }

    // Later events of the same batch may still point at a finished connection.
    void bury() {
        if (drop_) drop_all();
        for (auto* connection : finished_) connections_.erase(connection);
        finished_.clear();
    }

    static constexpr std::uint64_t listen_again = 1;  // no connection has this address

    Service service_;
    Journal journal_;
    Poller poller_;
    Alarms alarms_;
    Fd listener_;
    Endpoint address_;
    Fd fcgi_listener_;
    std::optional<Endpoint> fcgi_address_;
    Speech fcgi_speech_ = Speech::fastcgi;
    bool drop_ = false;
    std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
    std::vector<Connection*> finished_;
};

}  // namespace

}  // namespace loadtest

int main(int argc, char** argv) {
    const loadtest::Options options{argc, argv, loadtest::usage};
    if (!options.words().empty()) options.stop(options.words().front());
    loadtest::end_after(static_cast<unsigned>(options.number("--seconds", 3600)));
    try {
        loadtest::Backend{options}.run();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "tg_backend: %s\n", failure.what());
        return 1;
    }
    return 0;
}

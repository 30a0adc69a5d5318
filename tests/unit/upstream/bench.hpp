// Shared by the tests of upstream: a backend on the loopback whose bytes the test itself sends and
// reads, and a loop that the test turns. Like a run, it retries a blocked step only after its
// observer was notified, so a missing wake-up hangs the test and fails it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "../net/sockets.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {

using net::Ear;
using net::Peer;

struct Answer {
    std::vector<unsigned> interim;
    unsigned status = 0;
    std::string reason, body;
    std::size_t fields = 0;
    error_code failure;
};

/// The defaults with one setting changed.
template <class T>
UpstreamSettings with(T UpstreamSettings::*member, T value) {
    UpstreamSettings settings;
    settings.*member = std::move(value);
    return settings;
}

/// Settings that trust a backend after `answers` on reused connections, whatever their age.
inline UpstreamSettings proven_by(std::uint32_t answers) {
    return with(&UpstreamSettings::trust,
                KeepPolicy::Limits{.proven_by = answers, .outlived = std::chrono::hours(1)});
}

struct Bench {
    Bench() : Bench(UpstreamSettings()) {}
    explicit Bench(UpstreamSettings settings) {
        if (settings.host.empty() && settings.unix_path.empty()) {
            settings.host = "127.0.0.1";
            settings.port = door.at().port();
        }
        upstream = std::make_shared<HttpUpstream>(settings, resolver, 1);
    }

    std::unique_ptr<Exchange> open(bool fresh = false, bool careful = false) {
        auto exchange = upstream->open(loop, fresh, careful);
        exchange->observe(&ear);
        return exchange;
    }

    template <class Op>
    result<Step> drive(Op op) {
        const Time end = monotonic_now() + 20s;
        for (;;) {
            const result<Step> step = op();
            if (!step || *step != Step::blocked) return step;
            const int before = ear.heard;
            const bool told = run_until(loop, [&] { return ear.heard != before; });
            if (told && monotonic_now() < end) continue;
            ADD_FAILURE() << (told ? "told again and again" : "nobody was told to go on");
            return errc::idle;
        }
    }
    result<Step> send(Exchange& exchange, std::string_view head, Body& body) {
        return drive([&] { return exchange.send(head, body); });
    }
    result<Step> send(Exchange& exchange, std::string_view head = get) {
        Body none(budget);
        return send(exchange, head, none);
    }
    result<Step> read_head(Exchange& exchange, http::ResponseHead& head, bool to_head = false) {
        return drive([&] { return exchange.read_head(to_head, head); });
    }
    error_code read_body(Exchange& exchange, std::string& body) {
        for (;;) {
            std::string_view piece;
            const auto step = drive([&] { return exchange.read_body(piece); });
            if (!step) return step.error();
            if (piece.empty()) return {};
            body += piece;
        }
    }
    Answer read(Exchange& exchange, bool to_head = false) {
        Answer answer;
        for (;;) {
            http::ResponseHead head;
            const auto step = read_head(exchange, head, to_head);
            answer.failure = step ? error_code() : step.error();
            if (answer.failure) return answer;
            answer.status = head.status;
            answer.reason = head.reason;
            answer.fields = head.fields.size();
            if (!head.informational()) break;
            answer.interim.push_back(head.status);
        }
        answer.failure = read_body(exchange, answer.body);
        return answer;
    }
    void finish(std::unique_ptr<Exchange> exchange) {
        Exchange& self = *exchange;
        self.finish(std::move(exchange));
    }

    /// An exchange whose request, without a body, is sent, and the backend's end.
    struct Running {
        std::unique_ptr<Exchange> exchange;
        Peer backend;
    };
    /// Sends `head`; the backend gets `sent`.
    Running run(std::string_view head = get, std::string_view sent = get) {
        auto exchange = open();
        EXPECT_TRUE(send(*exchange, head));
        Peer backend = door.accept();
        EXPECT_EQ(backend.receive(), sent);
        return {std::move(exchange), std::move(backend)};
    }

    /// Runs a whole exchange over a new connection. Returns the backend's end.
    Peer exchange_once(std::string_view response) {
        auto exchange = open(true);
        EXPECT_TRUE(send(*exchange));
        Peer backend = door.accept();
        EXPECT_EQ(backend.receive(), get);
        backend.send(response);
        const Answer answer = read(*exchange);
        EXPECT_FALSE(answer.failure) << answer.failure.message();
        finish(std::move(exchange));
        return backend;
    }
    /// Tells whether the next request would use an existing connection.
    bool has_idle(bool careful = false) { return open(false, careful)->connected(); }

    static constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    static constexpr std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

    net::Loop loop{0};
    boost::asio::io_context control;
    net::Resolver resolver{control};
    net::Door door;
    http::SpoolBudget budget{http::SpoolBudget::Limits()};
    Ear ear;
    std::shared_ptr<PooledUpstream> upstream;
};

/// Tells whether we dropped the connection: the peer reads nothing more, then the end.
inline bool closed(Bench& bench, const Peer& peer) {
    char byte = 0;
    ssize_t n = -1;
    return run_until(bench.loop,
                     [&] {
                         n = ::recv(peer.descriptor(), &byte, 1, MSG_DONTWAIT);
                         return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
                     }) &&
           n <= 0;
}

inline bool still_open(const Peer& peer) {
    char byte = 0;
    return ::recv(peer.descriptor(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace ticketgate

#include "app/connect_check.hpp"

#include <boost/asio/io_context.hpp>
#include <optional>
#include <utility>

#include "app/workers.hpp"
#include "cluster/forward.hpp"
#include "http/spool.hpp"
#include "net/loop.hpp"
#include "net/resolver.hpp"
#include "proxy/peers.hpp"
#include "proxy/status_reader.hpp"
#include "proxy/upstream_registry.hpp"
#include "proxy/workers.hpp"

namespace ticketgate {
namespace {

// The default of connect_timeout, which an exchange has, too.
constexpr Duration patience = 5s;
constexpr Duration look_again = 10ms;

// FCGI_GET_VALUES (FastCGI 4.1): php-fpm answers it and runs no script. The second name is an end
// of lines for a server that speaks HTTP, which would wait for more.
std::string_view fcgi_question() {
    using namespace std::string_view_literals;
    return "\x01\x09\0\0\0\x17\0\0"
           "\x0f\0FCGI_MPXS_CONNS"
           "\x04\0\r\n\r\n"sv;
}

constexpr std::uint16_t no_word = 409;

struct Nobody final : Observer {
    void notify() override {}
};

std::string with_remedy(const std::string& text, const std::string& remedy) {
    return remedy.empty() ? text : text + ": " + remedy;
}

Tried bad(const std::string& about, const std::string& why, const std::string& remedy) {
    return {false, with_remedy(about + ": failed: " + why, remedy)};
}

std::string connected_to(const config::Upstream& upstream, const Exchange& exchange) {
    std::string text = "connected to " + exchange.address();
    if (exchange.passed_over() != 0)
        text += " (" + std::to_string(exchange.passed_over()) + " other address" +
                (exchange.passed_over() == 1 ? "" : "es") + " of " + upstream.host +
                " did not accept)";
    if (!upstream.https) return text;
    return text + (upstream.tls.verify ? " with TLS, its certificate is good"
                                       : " with TLS, its certificate is not verified "
                                         "(verify: false)");
}

class Trial {
 public:
    explicit Trial(const config::Config& config)
        : config_(config), registry_(resolver_, 1, net::SocketStream::connect, {}) {}

    std::vector<Tried> all() {
        std::vector<Tried> out;
        config::Config others = config_;
        for (const auto& [name, upstream] : config_.upstreams) {
            if (!upstream.workers) continue;
            out.push_back(look_at_workers("upstream " + name, upstream));
            others.upstreams.erase(name);
        }
        for (const auto& [name, known] : registry_.find_or_make(others)) {
            out.push_back(connect("upstream " + name, known));
            if (auto* const workers = known.upstream->worker_status())
                out.push_back(ask("status page of upstream " + name, *workers));
        }
        return out;
    }

    std::vector<Tried> replicas(const std::string& secret) {
        std::vector<Tried> out;
        for (const auto& [name, known] : registry_.find_or_make(config_))
            out.push_back(greet(name, secret, *known.upstream));
        return out;
    }

    // Asks for the word of a queue that no config has, as a replica asks another one. Changes
    // nothing.
    Tried greet(const std::string& about, const std::string& secret, Upstream& there) {
        const auto exchange = there.open(loop_, true, false);
        exchange->observe(&nobody_);
        const std::string question =
            "GET / HTTP/1.1\r\nHost: replica\r\n" + std::string(cluster::ask_header) + ": " +
            cluster::write_ask({.secret = secret, .queue = "-", .instance = "-", .term = 1}) +
            "\r\n\r\n";
        Body none(spool_);
        http::ResponseHead answer;
        auto failure = drive([&] { return exchange->send(question, none); });
        if (!failure) failure = drive([&] { return exchange->read_head(false, answer); });
        const std::string fault = exchange->fault();
        const std::string at = exchange->address() + ": ";
        if (failure) {
            const auto remedy = Peers::remedy(fault);
            return bad(about, at + (fault.empty() ? failure.message() : fault),
                       remedy.empty() ? exchange->remedy() : remedy);
        }
        if (answer.status == no_word) return {true, about + ": answers"};
        return bad(about, at + "it answers " + std::to_string(answer.status),
                   Peers::remedy(answer.status));
    }

 private:
    // `check` starts nothing.
    Tried look_at_workers(const std::string& about, const config::Upstream& upstream) const {
        try {
            const spawn::Command command = recipe_of(config_, *upstream.workers).command;
            const auto why = why_scripts_cannot_run(upstream, command);
            if (!why.empty()) return bad(about, why, {});
            return {true, about + ": its workers run " + command.program};
        } catch (const WorkersFault& fault) {
            return bad(about, fault.what(), {});
        }
    }

    Tried connect(const std::string& about, const UpstreamRegistry::Known& known) {
        const auto exchange = known.upstream->open(loop_, true, false);
        exchange->observe(&nobody_);
        Body none(spool_);
        none.complete = false;  // or FastCGI would send the records that end a request
        const auto failure = drive([&] { return exchange->send({}, none); });
        if (!failure) return look_at_protocol(about, known, *exchange);
        const std::string fault = exchange->fault();
        const std::string why = fault.empty() ? failure.message() : fault;
        return bad(about, exchange->address() + ": " + why, exchange->remedy());
    }

    // HTTP has no question that no application sees, so only FastCGI is asked.
    Tried look_at_protocol(const std::string& about, const UpstreamRegistry::Known& known,
                           Exchange& exchange) {
        const auto reached = about + ": " + connected_to(known.config, exchange);
        if (!known.config.fcgi) return {true, reached};
        Body none(spool_);
        none.complete = false;
        http::ResponseHead answer;
        (void)drive([&] { return exchange.send(fcgi_question(), none); });
        (void)drive([&] { return exchange.read_head(false, answer); });
        const auto remedy = exchange.remedy();
        if (!remedy.empty())
            return bad(about, exchange.address() + ": its answer is not FastCGI", remedy);
        return {true, reached + (exchange.received() != 0 ? ", it speaks FastCGI" : "")};
    }

    Tried ask(const std::string& about, WorkerStatus& workers) {
        std::optional<StatusReader> reader(std::in_place, workers, loop_, net::Endpoint(), spool_,
                                           nobody_);
        auto failure = drive([&] { return reader->advance(); });
        if (failure == errc::upstream_connect_timeout && reader->connected())
            failure = errc::upstream_timeout;
        if (!failure) failure = workers.readable(reader->answer());
        const auto found = reader->failure(failure);
        const StatusAnswer page = reader->told();
        reader.reset();  // the worker that gave it may be the only one
        if (!failure) return look_at_pool(about, workers, page);
        const auto advice = workers.advice(found);
        return bad(about, advice.why, advice.remedy);
    }

    // The listener of the scripts answers too, unless all its workers are busy.
    Tried look_at_pool(const std::string& about, WorkerStatus& workers, const StatusAnswer& page) {
        StatusReader scripts(StatusReader::Knock{}, workers, loop_, spool_, nobody_);
        (void)drive([&] { return scripts.advance(); });
        const Comparison compared = compare_pools(workers, page, scripts.told());
        if (compared.pools == Comparison::Pools::two)
            return bad(about, compared.why, workers.advice_for_other_pool().remedy);
        if (compared.pools == Comparison::Pools::one) return {true, about + ": answers"};
        return {true, about + ": answers; its pool is " + compared.words()};
    }

    // control_ resolves names. It has no thread of its own here, so it is polled.
    template <class Advance>
    error_code drive(Advance advance) {
        const Time end = monotonic_now() + patience;
        for (;;) {
            const result<Step> step = advance();
            if (!step) return step.error();
            if (*step != Step::blocked) return {};
            if (monotonic_now() > end) return errc::upstream_connect_timeout;
            control_.restart();
            control_.poll();
            loop_.run_once(look_again);
        }
    }

    const config::Config& config_;
    boost::asio::io_context control_;
    net::Loop loop_{0};
    net::Resolver resolver_{control_};
    http::SpoolBudget spool_{http::SpoolBudget::Limits()};
    Nobody nobody_;
    UpstreamRegistry registry_;
};

}  // namespace

std::vector<Tried> try_upstreams(const config::Config& config) {
    return Trial(config).all();
}

std::vector<Tried> try_replicas(const config::ClusterPeer& peer,
                                const std::vector<cluster::Replica>& listed) {
    config::Config replicas;
    for (const auto& one : listed)
        replicas.upstreams["replica " + one.self.name + " (" + one.self.address + ")"] =
            config::peer_upstream(peer, one.self.address);
    return Trial(replicas).replicas(peer.secret);
}

}  // namespace ticketgate

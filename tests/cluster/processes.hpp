// A cluster of real processes over a real etcd, in front of a backend of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "support/backend.hpp"
#include "support/client.hpp"

namespace ticketgate::test {

/// One replica: the program with a config file and ports of its own.
class Process {
 public:
    Process(const std::string& name, const std::string& store, const Backend& backend,
            const std::string& queue, const std::string& more, const std::string& peer,
            const std::string& lease)
        : ports_(free_ports(3)) {
        const auto local = [this](std::size_t i) {
            return "\"127.0.0.1:" + std::to_string(ports_[i]) + "\"";
        };
        // As long as the lease (whole seconds) allows: a busy machine keeps etcd waiting.
        const auto timeout = std::to_string(std::min(300 * std::stoi(lease), 3000)) + "ms";
        file_ = folder_.write(
            "c.yaml",
            "listen: [{address: " + local(0) + ", name: front}]\nadmin: {address: " + local(1) +
                "}\nupstreams: {app: {url: \"" + backend.url() +
                "\"}}\nqueues: {app: {cluster: true, " + queue + "}}\nlog: {access_file: \"" +
                folder_.file("access.log") + "\"}\ncluster:\n  name: shop\n  replica: " + name +
                "\n  lease: " + lease + "\n  idle_after: 200ms\n  store: {endpoints: [" + store +
                "], timeout: " + timeout + "}\n  peer: {listen: " + local(2) +
                ", advertise: " + local(2) + ", secret: 0123456789abcdef" + peer + "}\n" + more);
        start();
    }

    const std::string& file() const { return file_; }
    void start() { program_ = std::make_unique<Program>(std::vector<std::string>{"-c", file_}); }
    Program& program() { return *program_; }
    void crash() { program_->signal(SIGKILL), (void)program_->wait(); }
    net::Endpoint address(std::size_t which = 0) const {
        return *net::Endpoint::from_ip("127.0.0.1", ports_[which]);
    }
    Client client() const { return Client(address()); }
    Response get(const std::string& target, const std::string& lines = {}) const {
        Client one = client();
        one.get(target, lines);
        return one.read();
    }
    Response post(const std::string& target, const std::string& body,
                  const std::string& lines = {}) const {
        Client one = client();
        one.request("POST", target, lines, body);
        return one.read();
    }
    /// Waits until it accepts connections.
    bool serves() const { return program_->says(" admin address="); }
    boost::json::value queue() const {
        Client one(address(1));
        one.get("/api/v1/queues");
        return boost::json::parse(one.read().body).at("queues").at(0);
    }
    boost::json::value cluster() const {
        Client one(address(1));
        one.get("/api/v1/cluster");
        return boost::json::parse(one.read().body);
    }
    /// It may keep a line: the store has answered it lately.
    bool is_sure() const {
        const auto seen = cluster();
        const auto* const sure = seen.as_object().if_contains("sure_seconds");
        return sure != nullptr && sure->to_number<double>() > 0;
    }
    /// Its last look at the store showed the line in this state.
    bool sees_line(std::string_view state) const {
        const auto seen = cluster();
        const auto* const queues = seen.as_object().if_contains("queues");
        if (queues == nullptr || queues->as_array().empty()) return false;  // no look so far
        const auto* const found = queues->at(0).as_object().if_contains("state");
        return found != nullptr && found->as_string() == state;
    }
    /// The view of the line's tickets.
    boost::json::value tickets() const {
        Client one(address(1));
        one.get("/api/v1/queues/app");
        return boost::json::parse(one.read().body).at("tickets");
    }
    /// Waits until this request has a slot, and nothing of it was sent.
    bool wait_for_unsent(std::string_view target) const {
        return eventually([&] {
            const auto view = tickets();
            return std::ranges::any_of(view.at("in_flight").as_array(), [&](auto& holds) {
                return holds.at("target").as_string() == target &&
                       holds.as_object().contains("not_sent");
            });
        });
    }
    /// Waits until this many requests wait with the whole of their bodies.
    bool wait_for_ready(std::ptrdiff_t n) const {
        return eventually([&] {
            const auto view = tickets();
            return std::ranges::count_if(view.at("waiting").as_array(), [](auto& waits) {
                       return waits.at("ready").as_bool();
                   }) == n;
        });
    }
    /// The value of this line of the metrics, such as `name{label="value"}`; -1: there is none.
    double metric(const std::string& series) const {
        Client one(address(1));
        one.get("/metrics");
        std::istringstream text(one.read().body);
        for (std::string line; std::getline(text, line);)
            if (line.starts_with(series + ' ')) return std::stod(line.substr(series.size() + 1));
        return -1;
    }
    /// Asks the admin listener for an action.
    Response act(const std::string& target) const {
        Client one(address(1));
        one.send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        return one.read();
    }
    /// Changes a text of the config file that stands there once.
    void change(const std::string& from, const std::string& to) {
        std::string text = folder_.read("c.yaml");
        ASSERT_NE(text.find(from), std::string::npos);
        text.replace(text.find(from), from.size(), to);
        (void)folder_.write("c.yaml", text);
    }
    void reload(const std::string& from, const std::string& to) {
        change(from, to);
        program_->signal(SIGHUP);
    }
    std::uint64_t waiting() const { return queue().at("waiting").to_number<std::uint64_t>(); }
    bool wait_for_waiting(std::uint64_t n) const {
        return eventually([&] { return waiting() == n; });
    }
    std::vector<boost::json::object> log(std::size_t at_least) const {
        std::vector<boost::json::object> lines;
        eventually([&] {
            lines.clear();
            std::istringstream text(folder_.read("access.log"));
            for (std::string line; std::getline(text, line) && !text.eof();)
                lines.push_back(boost::json::parse(line).as_object());
            return lines.size() >= at_least;
        });
        return lines;
    }

 private:
    const std::vector<std::uint16_t> ports_;
    TemporaryFolder folder_;
    std::string file_;
    std::unique_ptr<Program> program_;
};

/// All requests stand in one line over all replicas.
class Cluster : public testing::Test {
 protected:
    Cluster() : Cluster(Etcd::Options()) {}
    explicit Cluster(const Etcd::Options& store) : store_(store) {
        const auto ran = Command(store_).run({"cluster", "init"});
        EXPECT_EQ(ran.code, 0) << ran.err;
    }
    static constexpr const char* all_queued = "routes: [{prefix: /, upstream: app, queue: app}]\n";
    /// A replica that is sure: before that it refuses requests. `peer`: further keys of
    /// cluster.peer, as `, tls: {…}`. The lease: as long as a test may wait for its end, since a
    /// replica or a store that a busy machine stops for so long loses the line.
    std::unique_ptr<Process> replica(const std::string& name,
                                     const std::string& queue = "hold_timeout: never",
                                     const std::string& more = all_queued,
                                     const std::string& peer = {}) const {
        return replica_at(store_.url(0), name, queue, more, peer);
    }
    std::unique_ptr<Process> replica_at(const std::string& store, const std::string& name,
                                        const std::string& queue = "hold_timeout: never",
                                        const std::string& more = all_queued,
                                        const std::string& peer = {},
                                        const std::string& lease = "5s") const {
        auto made = std::make_unique<Process>(name, "\"" + store + "\"", backend_, queue, more,
                                              peer, lease);
        EXPECT_TRUE(made->serves()) << made->program().err();
        EXPECT_TRUE(eventually([&] { return made->is_sure(); })) << made->program().err();
        return made;
    }
    /// Sends two POSTs, one without a body, and a GET: each is answered 200.
    static void expect_three_answered(const Process& via) {
        Client empty = via.client(), small = via.client(), get = via.client();
        empty.request("POST", "/empty");
        small.request("POST", "/small", {}, "body");
        get.get("/get");
        EXPECT_EQ(empty.read().status, 200);
        EXPECT_EQ(small.read().status, 200);
        EXPECT_EQ(get.read().status, 200);
    }
    /// The backend has run each of these three once, and nothing beside another request.
    void expect_each_ran_once() {
        EXPECT_EQ(backend_.of("/small").at(0).body, "body");
        for (const char* path : {"/empty", "/small", "/get"}) EXPECT_EQ(backend_.count(path), 1u);
        EXPECT_EQ(backend_.most_in_flight(), 1);
    }
    /// A replica that stood still looks at the store before it serves again.
    static void expect_serves_again(const Process& woken, const std::string& target) {
        EXPECT_TRUE(eventually([&] { return woken.get(target).status == 200; })) << target;
    }
    /// The two have one line, which the first keeps: it has served a request.
    void begin_line(const Process& keeper) const { ASSERT_EQ(keeper.get("/first").status, 200); }
    boost::json::value status() const {
        const auto ran = Command(store_).run({"cluster", "status", "--json"});
        EXPECT_EQ(ran.code, 0) << ran.err;
        return boost::json::parse(ran.out);
    }
    /// Waits until the store has the line in one of these states.
    bool is_stored(std::initializer_list<std::string_view> states) const {
        return eventually([&] {
            const auto all = status();
            const auto& queues = all.at("queues").as_array();
            if (queues.empty() || !queues[0].as_object().contains("state")) return false;
            return std::ranges::find(states, queues[0].at("state").as_string()) != states.end();
        });
    }

    Etcd store_;
    Backend backend_;
};

}  // namespace ticketgate::test

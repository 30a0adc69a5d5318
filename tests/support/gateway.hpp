// A whole ticketgate in this process, from the test's YAML: the real App on its own ports, with its
// access log in a file. Tests ask its admin listener for everything they wait for. The destructor
// stops it and fails the test if it does not end within seconds.
#pragma once

#include <boost/json/object.hpp>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/client.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {

class App;  // its header costs each test seconds to compile

}  // namespace ticketgate

namespace ticketgate::test {

/// The values of `${NAME}` in the YAML.
using Variables = std::map<std::string, std::string, std::less<>>;

struct Line {
    std::uint32_t waiting = 0, in_flight = 0, max_in_flight = 0;
};

class Gateway {
 public:
    /// Adds `listen`, `admin` and `log` where the text does not set them; ${TMP} is the test's own
    /// folder, which may hold body files.
    explicit Gateway(const std::string& yaml, Variables variables = {});
    ~Gateway();
    Gateway(const Gateway&) = delete;
    Gateway& operator=(const Gateway&) = delete;

    net::Endpoint address(std::size_t listener = 0) const;
    net::Endpoint admin_address() const;
    net::Endpoint id_service_address() const;
    std::size_t connections() const;
    Client client() const { return tls_ ? Client(address(), *tls_) : Client(address()); }
    /// A client with a small receive buffer. It takes several segments: with less, TCP makes pauses
    /// of its own, each twice as long as the one before.
    Client slow_reader() const {
        constexpr int buffer = 64 << 10;
        return tls_ ? Client(address(), *tls_, buffer) : Client(address(), buffer);
    }
    /// Makes all further clients speak TLS.
    void speak(TlsEnd tls) { tls_ = std::move(tls); }
    /// Sends one request on a new connection.
    Response get(std::string_view target, std::string_view lines = {}) const;
    Response post(std::string_view target, std::string_view body) const;

    Response admin(std::string_view target) const;
    Line line(const std::string& queue) const;
    /// What /api/v1/workers says of a backend; empty: nothing.
    boost::json::object upstream(std::string_view name) const;
    bool wait_for_waiting(const std::string& queue, std::uint32_t n) const;
    bool wait_for_in_flight(const std::string& queue, std::uint32_t n) const;
    /// The value of `name{label="x"}`, spelled as in /metrics; -1 if it is not there.
    double metric(const std::string& series) const;

    /// Waits for `at_least` lines of the access log and returns all.
    std::vector<boost::json::object> log(std::size_t at_least) const;

    /// Reloads; returns when the new file is in force on every loop, or false if it was refused.
    bool reload(const std::string& yaml);
    void drain();
    void stop();
    /// Waits for run() to return.
    bool ended(Clock::duration limit = patience) const;
    int exit_code();
    const TemporaryFolder& folder() const { return folder_; }

 private:
    std::string whole(const std::string& yaml) const;
    TemporaryFolder folder_;
    Variables variables_;
    std::optional<TlsEnd> tls_;
    std::unique_ptr<App> app_;
    std::shared_future<int> run_;
    std::thread thread_;
};

}  // namespace ticketgate::test

// A whole ticketgate in this process, from the YAML a test gives: the real App on ports of its own,
// its access log in a file, its admin listener asked for everything a test waits for. The end of
// the object stops it, and fails the test when it does not end within seconds.
#pragma once

#include <boost/json/object.hpp>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/app.hpp"
#include "support/client.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::test {

/// What `${NAME}` in the YAML stands for.
using Variables = std::map<std::string, std::string, std::less<>>;

struct Line {
    std::uint32_t waiting = 0, in_flight = 0, max_in_flight = 0;
};

class Gateway {
 public:
    /// `listen`, `admin` and `log` are added to the text where it does not set them; ${TMP} is a
    /// folder of the test's own, which may hold body files.
    explicit Gateway(const std::string& yaml, Variables variables = {});
    ~Gateway();
    Gateway(const Gateway&) = delete;
    Gateway& operator=(const Gateway&) = delete;

    net::Endpoint address(std::size_t listener = 0) const { return app_->addresses().at(listener); }
    Client client() const { return tls_ ? Client(address(), *tls_) : Client(address()); }
    /// A client that takes little at a time.
    Client slow_reader() const {
        return tls_ ? Client(address(), *tls_, 4 << 10) : Client(address(), 4 << 10);
    }
    /// From now on its clients speak TLS.
    void speak(TlsEnd tls) { tls_ = std::move(tls); }
    /// One request on a connection of its own.
    Response get(std::string_view target, std::string_view lines = {}) const;
    Response post(std::string_view target, std::string_view body) const;

    Response admin(std::string_view target) const;
    Line line(const std::string& queue) const;
    bool wait_for_waiting(const std::string& queue, std::uint32_t n) const;
    bool wait_for_in_flight(const std::string& queue, std::uint32_t n) const;
    /// `name{label="x"}` as /metrics spells it; -1 when it is not there.
    double metric(const std::string& series) const;

    /// Lines of the access log; waits until there are `at_least`.
    std::vector<boost::json::object> log(std::size_t at_least) const;

    /// Until the new file is in force on every loop. False: the gauge says that it was refused.
    bool reload(const std::string& yaml);
    void drain() { app_->drain(); }
    void stop() { app_->stop(); }
    /// Waits for run() to return.
    bool ended(Clock::duration limit = patience) const;
    int exit_code();
    App& app() { return *app_; }
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

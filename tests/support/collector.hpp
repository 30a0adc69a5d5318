// A collector of OpenTelemetry for the tests: takes OTLP over HTTP in JSON and reads it strictly.
// What OTLP does not allow is a fault here.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "support/backend.hpp"

namespace ticketgate::test {

struct CollectedSpan {
    std::string service, trace, id, parent, state, name;
    int kind = 0;  ///< 1 internal, 2 server, 3 client
    std::int64_t begin = 0, end = 0;
    std::map<std::string, std::string, std::less<>> attributes;  ///< values as text
    bool failed = false;

    std::string attribute(std::string_view key) const {
        const auto found = attributes.find(key);
        return found == attributes.end() ? std::string() : found->second;
    }
};

class Collector {
 public:
    Collector() { take(); }
    explicit Collector(TlsEnd tls) : backend_(std::move(tls)) { take(); }

    /// The endpoint for the config.
    std::string url() const { return backend_.url() + path; }
    /// Takes all spans from now on, which is the default.
    void take();
    /// Answers every post with this from now on, and keeps no span.
    void answer(int status, const std::string& body = {});
    /// Answers no post before the test's end.
    void hang() { backend_.hold(path); }
    void go_on() { backend_.release(path); }

    /// Waits for at least so many spans, in any order; returns all. Fails the test at a fault.
    std::vector<CollectedSpan> spans(std::size_t at_least) const;
    std::size_t posts() const { return backend_.count(path); }
    const Backend& backend() const { return backend_; }

 private:
    static constexpr const char* path = "/v1/traces";
    void read(const Seen& post);

    mutable std::mutex lock_;  // guards the two below
    std::vector<CollectedSpan> spans_;
    std::string fault_;
    Backend backend_;  // its threads use the rest
};

/// The only one of this name and kind in the list; fails the test if there is not exactly one.
CollectedSpan one_of(const std::vector<CollectedSpan>& spans, std::string_view name, int kind);

}  // namespace ticketgate::test

// A collector of OpenTelemetry: where it is, and how a batch of spans is posted to it. Runs on the
// io_context of its exporter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "etcd/node.hpp"
#include "trace/delivery.hpp"

namespace ticketgate::otlp {

template <class T>
using Awaitable = boost::asio::awaitable<T>;

struct Settings {
    etcd::Endpoint at;
    std::string path;
    std::vector<std::pair<std::string, std::string>> headers;
    net::TlsClientSettings tls;
    std::string service_name;
    milliseconds interval = 1s;  ///< between two batches that are not full
    milliseconds timeout = 5s;   ///< of one post
};

/// What came of one post.
struct Posted {
    trace::Reply reply = trace::Reply::none;
    Duration pause{0};  ///< that the collector asks for
    std::string why;    ///< it was not taken
    std::string body;   ///< of the answer, if it was
};

class Collector {
 public:
    /// Throws std::runtime_error that names a bad file.
    Collector(boost::asio::io_context& io, Settings settings);

    const Settings& settings() const { return settings_; }
    std::string url() const { return settings_.at.url() + settings_.path; }
    Awaitable<Posted> post(std::string body, Time deadline);

 private:
    etcd::HttpRequest request_with(std::string body) const;

    const Settings settings_;
    etcd::Node node_;
};

}  // namespace ticketgate::otlp

// The access log line of one request as a plain value. Filled during the request by its session and
// its run, both on one loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "ids/id.hpp"

namespace ticketgate {

enum class Outcome : std::uint8_t {
    bypass,         ///< not queued
    file,           ///< a static file, or the redirect to its folder; never queued
    admitted,       ///< got a slot
    forwarded,      ///< served by the replica that keeps its queue
    away,           ///< refused: no replica of the cluster may grant, or the line moved
    full,           ///< refused: max_waiting
    timeout,        ///< refused: wait_timeout
    client_closed,  ///< left while queued
    draining,       ///< refused: stopping
    released,       ///< refused: an operator or `hold_timeout` released it before it was sent
    refused,        ///< never reached routing or the line (4xx of our own)
};
std::string_view name(Outcome);

/// Two headers that only the format `combined` has.
struct SentBy {
    std::string referer, user_agent;
};

/// The part of a cluster in a request.
struct ClusterPart {
    std::string forwarded_to;  ///< the replica's address
    std::string forwarded_by;
    std::uint64_t token = 0;  ///< the fencing number; 0: none
};

struct Record {
    WallTime received;  ///< head complete
    ids::Id request_id, unique_id;
    std::vector<std::pair<std::string_view, ids::Id>>
        other_ids;  ///< in the config's order; names point into the Snapshot
    std::string client_ip;
    std::string_view method, target;  ///< as the client wrote them (of the Request)
    bool http_1_0 = false;
    std::string_view tls, tls_cipher;  ///< as OpenSSL names them (static text); empty: plain HTTP
    std::unique_ptr<const std::string> client_certificate;  ///< its subject; null: none
    std::unique_ptr<const SentBy> sent_by;                  ///< for `combined` only
    std::uint16_t status = 0;    ///< sent to the client; 499: it left before its answer
    std::uint64_t bytes = 0;     ///< body bytes of the response given to the client's connection
    Duration duration{0};        ///< head complete to last byte taken
    std::string_view queue;      ///< name; empty when not queued (points into the Snapshot)
    std::uint64_t number = 0;    ///< place in the queue's total order
    std::uint32_t position = 0;  ///< tickets waiting ahead at arrival
    Duration queue_wait{0};
    Duration upstream{0};  ///< request sent to response end
    Duration hold{0};      ///< slot granted to slot given back
    std::uint16_t upstream_status = 0;
    Outcome outcome = Outcome::refused;
    std::uint64_t blocked_by =
        0;                        ///< number of the ticket in flight when this one arrived; 0: none
    std::uint64_t inside_of = 0;  ///< number of the ticket whose hold it ran within; 0: none
    bool orphaned = false;        ///< the client left while its request was running
    bool cut = false;             ///< the answer had begun, and ended before its end
    std::string_view trace_id;    ///< empty: it is in no trace that is exported (of the Request)
    std::unique_ptr<ClusterPart> cluster;  ///< null: not of a clustered queue
};

}  // namespace ticketgate

// The messages of etcd's JSON gateway (etcd 3.4 and later, paths under /v3) as bytes: what is sent,
// and what the answers say. Pure. Keys and values are any bytes; the gateway has them in base64,
// and 64-bit numbers as strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::cluster::etcd {

using Revision = std::uint64_t;  ///< of the whole store; each write takes the next
using LeaseId = std::int64_t;    ///< 0: none

/// A POST with a JSON body.
struct Call {
    std::string_view path;
    std::string body;

    bool operator==(const Call&) const = default;
};

/// The key has this value; or, without a value, its last write has this revision (0: no such key).
struct Condition {
    std::string key;
    std::optional<std::string> value;
    Revision version = 0;
};

struct Put {
    std::string key, value;
    LeaseId lease = 0;
};

/// All of it happens, or nothing. No key may stand in it twice.
struct Transaction {
    std::vector<Condition> conditions;
    std::vector<Put> puts;
    std::vector<std::string> drops;
};

/// Linearizable: a node that has lost the others does not answer it.
Call read_all(std::string_view prefix);
Call write(const Transaction&);
Call grant_lease(seconds ttl);
/// Once. A stream of renewals does not work over the gateway (etcd issue 8237).
Call renew_lease(LeaseId);
Call end_lease(LeaseId);
Call log_in(std::string_view user, std::string_view password);

struct Entry {
    std::string key, value;
    Revision version = 0;  ///< of its last write

    bool operator==(const Entry&) const = default;
};

struct Snapshot {
    Revision revision = 0;
    std::vector<Entry> entries;
};

struct Outcome {
    bool done = false;  ///< false: a condition did not hold, and nothing was written
    Revision revision = 0;

    bool operator==(const Outcome&) const = default;
};

// Read the answers with status 200. Null: the text is no such answer.
std::optional<Snapshot> read_snapshot(std::string_view json);
std::optional<Outcome> read_outcome(std::string_view json);
std::optional<LeaseId> read_lease(std::string_view json);
/// The seconds that the lease lives from now on; 0: there is no such lease.
std::optional<seconds> read_renewal(std::string_view json);
std::optional<std::string> read_login(std::string_view json);

enum class Fault : std::uint8_t {
    other,
    not_etcd,  ///< another program, or an etcd before 3.4
    no_lease,  ///< the lease has ended
    no_space,  ///< the database is full: it takes no new keys until an operator has made room
    no_login,  ///< the token has ended, or there was none: log in
    refused,   ///< the user, the password or the permissions
    away       ///< no leader, or no majority
};

struct Failure {
    Fault fault = Fault::other;
    std::string message;  ///< etcd's own words

    bool operator==(const Failure&) const = default;
};

/// What an answer with another status says.
Failure read_failure(unsigned status, std::string_view body);

}  // namespace ticketgate::cluster::etcd

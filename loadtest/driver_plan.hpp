#pragma once
// The plan of a run of the driver, read from the command line, and the outcome of each request.

#include <string>
#include <vector>

#include "net_lite.hpp"
#include "options_lite.hpp"

namespace loadtest {

extern const char* const driver_usage;

struct Plan {
    explicit Plan(const Options& options);

    Endpoint proxy;
    Endpoint other_proxy;  // of every second connection
    std::string host;
    std::string path;
    std::string method;
    std::string backend;  // empty: no statistics are fetched
    std::uint64_t connections;
    std::uint64_t requests;  // 0: until `seconds` are over
    Micros seconds_us;
    Micros timeout_us;
    Micros ramp_us;
    std::uint64_t body_size;
    std::uint64_t answer_size;  // asked for and checked, if given
    bool size_given;
    Micros work_us;
    bool work_given;
    std::uint64_t limit;
    Micros slack_us;
    std::uint64_t leave_queued_percent;
    std::uint64_t leave_running_percent;
    std::uint64_t leave_ahead;
    Micros leave_running_work_us;
    std::uint64_t slow_readers;
    std::uint64_t slow_reader_bytes;
    std::uint64_t slow_reader_size;
    std::uint64_t slow_uploaders;
    std::uint64_t hold;
    int expected_status;
    bool strict;
    bool check;       // answers must be those of tg_backend
    Micros retry_us;  // pause after a refusal or another status; 0: none, and not for ever
    bool text;
};

enum class Fate {
    sent,  // not answered yet; at the end only with --hold
    answered,
    left_queued,
    left_running,
    lost,  // never answered, though its client stayed
};

struct Record {
    Micros sent_us = 0;
    Micros done_us = 0;  // answered, left or lost
    int status = 0;
    Fate fate = Fate::sent;
    bool wrong = false;  // another status, size or X-Seq than asked for
};

// One `X-Seq` a record: records[seq - 1].
using Records = std::vector<Record>;

}  // namespace loadtest

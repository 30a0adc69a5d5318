#pragma once
// The backend's /__log, read back: when each request started, and how long the backend was at
// work (as many requests as may run at once) up to a time.

#include <string>
#include <unordered_map>
#include <vector>

#include "net_lite.hpp"

namespace loadtest {

class WorkLog {
 public:
    // `limit`: the number of requests at work that leaves no slot free.
    WorkLog(const std::string& text, std::uint64_t limit);

    Micros started_us(std::uint64_t seq) const;  // 0: never
    Micros work_until(Micros when) const;

 private:
    struct Turn {
        Micros us;
        Micros work_us;  // done before this time
        bool working;    // from this time on
    };
    void turn(Micros us, bool working);

    std::unordered_map<std::uint64_t, Micros> starts_;
    std::vector<Turn> turns_;
};

}  // namespace loadtest

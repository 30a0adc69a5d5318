// What failed with one backend, for the operator. Owned by its upstream; any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate {

class Failures {
 public:
    struct Told {
        std::uint64_t count = 0;  ///< exchanges since the config in force named this backend
        WallTime last{};          ///< of the last one; WallTime{}: there was none
        std::string why = {};     ///< of the last one, cut to `longest`
    };
    static constexpr std::size_t longest = 200;

    void note(std::string_view why, WallTime now) {
        const std::scoped_lock lock(mutex_);
        ++told_.count;
        told_.last = now;
        told_.why = why.substr(0, longest);
    }
    Told told() const {
        const std::scoped_lock lock(mutex_);
        return told_;
    }

 private:
    mutable std::mutex mutex_;
    Told told_;
};

}  // namespace ticketgate

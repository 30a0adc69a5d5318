// A client connection's share of the limits on connections, from accept to close. Owned by whoever
// owns the connection; given back by its destructor, on any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "net/client_counts.hpp"

namespace ticketgate {

struct Commons;

class Admission {
 public:
    explicit Admission(Commons& commons);
    ~Admission() { leave(); }
    Admission(Admission&& other) noexcept
        : commons_(std::exchange(other.commons_, nullptr)),
          place_(std::exchange(other.place_, nullptr)) {}
    Admission& operator=(Admission&&) = delete;

    /// Gives it back now.
    void leave();
    /// Counts it as one of this client's. False: there are `limit` already.
    bool enter(std::string_view ip, std::uint32_t limit);
    /// It is counted as another client's from now on, or, with an empty `ip`, as nobody's. A limit
    /// is for those that come.
    void count_as(std::string_view ip);

 private:
    void leave_client();

    Commons* commons_;
    ClientCounts::Place place_ = nullptr;
};

}  // namespace ticketgate

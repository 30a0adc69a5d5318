// One client connection's share of the connection limits, from accept to close. Owned with the
// connection; its destructor gives the share back, on any thread.
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

    /// Gives the share back now.
    void leave();
    /// Counts the connection as one of this client's. False: the client has `limit` already.
    bool enter(std::string_view ip, std::uint32_t limit);
    /// Counts it as another client's from now on; with an empty `ip`, as no client's. Checks no
    /// limit: limits are for new connections.
    void count_as(std::string_view ip);

 private:
    void leave_client();

    Commons* commons_;
    ClientCounts::Place place_ = nullptr;
};

}  // namespace ticketgate

// A client connection's share of the limits on connections, from accept to close. Owned by whoever
// owns the connection; given back by its destructor, on any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ticketgate {

struct Commons;

/// Open connections by client. Any thread; one lock, taken when a connection begins and ends.
class ClientCounts {
 public:
    using Counts = std::unordered_map<std::string, std::uint32_t>;
    using Place = Counts::value_type*;

    /// One more connection of this client, unless it has `limit` already: then null.
    Place enter(std::string_view client, std::uint32_t limit);
    void leave(Place);
    std::size_t clients() const;

 private:
    mutable std::mutex lock_;  // guards counts_
    Counts counts_;            // nobody in it has zero; its elements stay where they are
};

/// Who counts as one client: an IPv4 address, or an IPv6 network of 64 bits, which is what one
/// subscriber has at least (RFC 6177).
std::string client_key(std::string_view ip);

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

 private:
    Commons* commons_;
    ClientCounts::Place place_ = nullptr;
};

}  // namespace ticketgate

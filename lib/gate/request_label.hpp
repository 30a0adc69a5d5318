// The request behind a ticket, as an operator sees it: a value of fixed size. A copy allocates
// nothing and takes the same time for every request, so a view may make it under a gate's lock.
// Invariant: id and address are whole; a method, upstream or target that does not fit is truncated
// and ends with "...".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ticketgate {

class RequestLabel {
 public:
    /// An id of 128 characters, an address of 45 and an upstream of 32, the maxima, leave 15 for
    /// the target; an id of 32 and an IPv4 address leave more than 130.
    static constexpr std::size_t capacity = 228;

    RequestLabel() = default;
    RequestLabel(std::string_view request_id, std::string_view client_ip, std::string_view method,
                 std::string_view target, std::string_view upstream = {});

    std::string_view request_id() const { return part(0); }
    std::string_view client_ip() const { return part(1); }
    std::string_view method() const { return part(2); }
    std::string_view upstream() const { return part(3); }
    std::string_view target() const { return part(4); }

 private:
    static constexpr std::size_t parts = 5;

    void append(std::size_t index, std::string_view text, std::size_t most);
    std::string_view part(std::size_t index) const {
        const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
        return {text_.data() + begin, ends_[index] - begin};
    }

    std::array<std::uint8_t, parts> ends_{};
    std::array<char, capacity> text_;  // only the parts in ends_ are read
};

}  // namespace ticketgate

// The text of one id: a value of fixed size, no allocation, cheap to copy into requests and
// records. Owned by its holder; any thread may read its own copy. Invariant: never longer than
// `capacity`, never truncated: a text that does not fit gives no Id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.hpp"

namespace ticketgate::ids {

class Id {
 public:
    static constexpr std::size_t capacity = 128;  // what a trusted proxy may send (CONTRACT 5.1)

    constexpr Id() = default;  // zeroing 128 characters would cost as much as making an id

    /// Empty when the text is too long.
    static constexpr std::optional<Id> from(std::string_view text) {
        if (text.size() > capacity) return std::nullopt;
        Id id;
        std::copy_n(text.data(), text.size(), id.write(text.size()));
        return id;
    }

    /// Room for exactly `size` characters, which the caller fills.
    constexpr char* write(std::size_t size) {
        TG_CHECK(size <= capacity);
        size_ = static_cast<std::uint8_t>(size);
        return text_;
    }

    constexpr std::string_view view() const { return {text_, size_}; }
    constexpr bool empty() const { return size_ == 0; }
    friend constexpr bool operator==(const Id& a, const Id& b) { return a.view() == b.view(); }
    friend constexpr auto operator<=>(const Id& a, const Id& b) { return a.view() <=> b.view(); }

 private:
    char text_[capacity];  // only the first size_ are ever read
    std::uint8_t size_ = 0;
};

}  // namespace ticketgate::ids

// Which request has written which part of what a worker writes. Offsets count the bytes of its pipe
// from its start. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ticketgate::spawn {

class Authors {
 public:
    /// Changes of the author in bytes that are not read yet. With more, some bytes have no author.
    static constexpr std::size_t most = 64;
    static constexpr std::size_t longest_id = 127;

    /// What comes from that offset on is by `id`; empty: by no request. Offsets never fall.
    void change(std::uint64_t at, std::string_view id) noexcept;
    /// What came from the last change on is by no request.
    void disown() noexcept;

    struct Part {
        std::string_view id;    ///< until the next call
        std::uint64_t end = 0;  ///< where the next author begins
        bool begins = false;    ///< the author before it has ended here
    };
    /// The author of the byte at that offset. Forgets those before: the offsets asked never fall.
    Part at(std::uint64_t offset) noexcept;
    /// A request writes now.
    bool some() const noexcept { return count_ != 0 && last().size != 0; }

 private:
    struct Mark {
        std::uint64_t from = 0;
        std::size_t size = 0;
        std::array<char, longest_id> id{};
    };
    Mark& mark(std::size_t i) noexcept { return marks_[(first_ + i) % most]; }
    const Mark& last() const noexcept { return marks_[(first_ + count_ - 1) % most]; }
    std::array<Mark, most> marks_{};
    std::size_t first_ = 0, count_ = 0;
};

}  // namespace ticketgate::spawn

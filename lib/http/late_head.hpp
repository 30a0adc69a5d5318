// Reads a response head that is not forwarded, of any length, in a fixed piece of memory: it keeps
// the status code and the fields that say where the answer ends. Owned by an exchange; one loop.
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace ticketgate::http {

class LateHead {
 public:
    /// The most bytes that it keeps. The fields of framing of a usual answer have less than 200.
    static constexpr std::size_t capacity = 1024;

    /// Takes the next bytes. Returns how many of them belong to the head: all, unless it is whole()
    /// then. Not to be called once it is. Error: upstream_bad_response if nothing can say where
    /// the answer ends: a line that does not end with CRLF, a folded line (RFC 9112 5.2), no status
    /// line, or more than `capacity` bytes to keep.
    result<std::size_t> take(std::string_view more) noexcept;

    bool whole() const { return part_ == Part::end; }

    /// A head for read_end(), once it is whole: without a reason phrase and other fields.
    std::string_view bytes() const { return {kept_.data(), size_}; }

    /// Begins another head. Does not touch the kept bytes: it is called after each answer.
    void reset() {
        size_ = line_ = 0;
        part_ = Part::status;
        last_ = 0;
    }

 private:
    /// The part of the head that the next byte belongs to.
    enum class Part : std::uint8_t { status, reason, name, value, other, end };

    bool take(char c) noexcept;
    bool take_status(char c) noexcept;
    bool take_name(char c) noexcept;
    bool end_line() noexcept;
    bool keep(char c) noexcept;
    void drop_line() noexcept;
    std::string_view line() const { return bytes().substr(line_); }

    std::size_t size_ = 0;
    std::size_t line_ = 0;  // where the current line begins in kept_
    Part part_ = Part::status;
    char last_ = 0;
    std::array<char, capacity> kept_;  // up to size_
};

}  // namespace ticketgate::http

// Apache's UNIQUE_ID. Each generation of httpd is an ApacheLayout: fields in packing order and an
// alphabet. A new generation is one more row. One Apache per generator, one thread.
// Invariant: within one second no counter value is used twice under one root (since 2.4.29) or one
// address and process (before). Past the counter's 65,536 values, or when the clock steps back, a
// layout with a root draws a fresh one; one without lets its stamp run ahead of the clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"
#include "ids/machine.hpp"

namespace ticketgate::ids {

enum class ApacheField : std::uint8_t { none, stamp, address, process, root, counter, thread };

struct ApacheLayout {
    std::string_view name;              ///< as spelled in the config
    std::array<ApacheField, 5> fields;  ///< big-endian, no padding between
    std::string_view alphabet;          ///< 64 characters, value 0 first

    bool has(ApacheField field) const;
};

extern const ApacheLayout layout_1_3;          ///< stamp, address, process, counter; 19 characters
extern const ApacheLayout layout_1_3_threads;  ///< the multithread build: 24
extern const ApacheLayout layout_2_0;          ///< to 2.4.28: 24
extern const ApacheLayout layout_2_4_29;       ///< to 2.4.46: 27, alphabet with @ and -
extern const ApacheLayout layout_2_4_47;       ///< and later: 27 of base64url

struct ApacheParts {
    std::uint32_t stamp = 0;    ///< unix seconds of the request
    std::uint32_t address = 0;  ///< IPv4, up to 2.4.28
    std::uint32_t process = 0;  ///< up to 2.4.28
    std::array<std::uint8_t, 10> root{};
    std::uint16_t counter = 0;
    std::uint32_t thread = 0;
    bool operator==(const ApacheParts&) const = default;
};

struct PackedApache {
    std::array<std::uint8_t, 20> bytes{};  ///< the largest layout
    std::size_t size = 0;
    std::size_t counter_at = 0;
};

PackedApache pack(const ApacheLayout& layout, const ApacheParts& parts);
Id encode_apache(const ApacheLayout& layout, const ApacheParts& parts);
/// Empty for anything that `encode_apache` cannot have made.
std::optional<ApacheParts> decode_apache(const ApacheLayout& layout, std::string_view text);

/// httpd since 2.4.49 takes its counter modulo 65535; `all` uses every value of the field.
enum class CounterRange : std::uint32_t { all = 65536, as_httpd = 65535 };

class Apache {
 public:
    Apache(const ApacheLayout& layout, const Machine& machine, Lane lane, Entropy& entropy,
           CounterRange range = CounterRange::all);
    /// Starts from a known state; for known-answer tests.
    Apache(const ApacheLayout& layout, const ApacheParts& parts, std::uint32_t counter,
           Entropy& entropy, CounterRange range = CounterRange::all);

    Id next(WallTime now);

 private:
    void enter(std::uint32_t stamp);
    void fresh_root();
    std::uint16_t counter_field() const;
    void write_all();
    void write_counter();

    const ApacheLayout* layout_;
    Entropy* entropy_;  // outlives this
    ApacheParts parts_;
    std::uint32_t counter_;  // 32 bits, as in httpd; the field is a remainder of it
    std::uint32_t range_;
    Lane lane_;                    // of the counter; {0, 1} where the layout has a thread field
    std::uint32_t room_;           // the most ids in one second under one root
    std::uint32_t in_second_ = 0;  // ids made so far in this second
    bool rooted_;
    PackedApache packed_;  // the previous id, and its text
    Id text_;
};

}  // namespace ticketgate::ids

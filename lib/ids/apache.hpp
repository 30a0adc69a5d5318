// Apache's UNIQUE_ID. A generation of httpd is a Layout: fields in packing order and an alphabet;
// to know another generation is to write another row. One Apache per generator, one thread.
// Invariant: under one root the stamp never goes back, and no second sees more ids than the counter
// field has values; a fresh root comes before either would break.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"

namespace ticketgate::ids {

enum class ApacheField : std::uint8_t { none, stamp, address, process, root, counter, thread };

struct ApacheLayout {
    std::string_view name;              ///< as spelled in the config
    std::array<ApacheField, 5> fields;  ///< big-endian, no padding between
    std::string_view alphabet;          ///< 64 characters, value 0 first
};

/// httpd 2.4.47 and later: stamp 32, root 80, counter 16, thread 32; 27 characters of base64url.
extern const ApacheLayout httpd_2_4_47;

struct ApacheParts {
    std::uint32_t stamp = 0;    ///< unix seconds of the request
    std::uint32_t address = 0;  ///< IPv4, up to 2.4.28
    std::uint32_t process = 0;  ///< up to 2.4.28
    std::array<std::uint8_t, 10> root{};
    std::uint16_t counter = 0;
    std::uint32_t thread = 0;
};

struct PackedApache {
    std::array<std::uint8_t, 20> bytes{};  ///< the largest layout
    std::size_t size = 0;
    std::size_t counter_at = 0;
};

PackedApache pack(const ApacheLayout& layout, const ApacheParts& parts);
Id encode_apache(const ApacheLayout& layout, const ApacheParts& parts);

/// httpd since 2.4.49 takes its counter modulo 65535; `all` uses every value of the field.
enum class CounterRange : std::uint32_t { all = 65536, as_httpd = 65535 };

class Apache {
 public:
    Apache(std::uint32_t thread_index, Entropy& entropy, CounterRange range = CounterRange::all);
    /// From a known state; for known-answer tests.
    Apache(const ApacheParts& parts, std::uint32_t counter, Entropy& entropy, CounterRange range);

    Id next(WallTime now);

 private:
    void fresh_root();
    void write_all();
    void write_counter();

    const ApacheLayout* layout_ = &httpd_2_4_47;
    Entropy* entropy_;  // outlives this
    ApacheParts parts_;
    std::uint32_t counter_;  // as httpd: 32 bits, of which the field shows a remainder
    std::uint32_t range_;
    std::uint32_t in_second_ = 0;  // ids made under this root and stamp
    PackedApache packed_;          // the id before, and its text
    Id text_;
};

}  // namespace ticketgate::ids

// Reads a client's Accept fields (RFC 9110 12.5.1). Pure, apart from the memory of AcceptMemo.
#pragma once

#include <array>
#include <span>
#include <string>

#include "http/head.hpp"

namespace ticketgate::http {

/// Returns whether the client gives `text/html; charset=utf-8` more weight than the JSON of a
/// problem document. A tie is false, so no Accept at all and `*/*` alone are a program's. A range
/// that is malformed counts as absent.
bool prefers_html(std::span<const Field> fields);

/// Remembers the result for the values that clients send again and again. One for each loop.
class AcceptMemo {
 public:
    bool prefers_html(std::span<const Field> fields);

 private:
    static constexpr std::size_t max_value = 512;  // bytes of a value that is remembered
    struct Entry {
        std::string value;
        bool html = false;
    };
    std::array<Entry, 8> entries_;  // by the length of the value
};

}  // namespace ticketgate::http

// The options in the Connection fields of a head (RFC 9110 7.6.1): names of fields that concern one
// hop only. Read once and sorted, so that each look-up takes a few comparisons: the cost of all
// fields must stay in proportion to their bytes. Views into the head.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "http/framing.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

class ConnectionOptions {
 public:
    explicit ConnectionOptions(std::span<const Field> fields);
    /// Does a Connection field name this field, which concerns one hop then?
    bool names(const Field& field) const;

 private:
    using Options = std::array<std::string_view, max_connection_options>;
    void add(std::string_view option);
    Options::iterator end() { return options_.begin() + count_; }
    Options::const_iterator end() const { return options_.begin() + count_; }

    Options options_;
    std::ptrdiff_t count_ = 0;
};

}  // namespace ticketgate::http

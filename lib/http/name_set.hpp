// A fixed set of field names, each in every spelling that CGI servers fold into one variable. Made
// once from a config; a look-up costs the same for any number of names. Immutable.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/cgi_name.hpp"

namespace ticketgate::http {

class NameSet {
 public:
    NameSet() = default;
    explicit NameSet(std::span<const std::string> names);

    // Nearly every look-up of another name ends with its slot: few different names share one.
    bool contains(std::string_view name) const {
        if (name.empty()) return false;
        const std::size_t slot = slot_of(name);
        return taken_[slot] && is_in(slot, name);
    }
    bool empty() const { return names_.empty(); }

 private:
    static constexpr std::size_t slots = 256;
    static std::size_t slot_of(std::string_view name) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(cgi_fold(name[i])); };
        const std::size_t size = name.size();
        return (size * 37 + at(0) * 5 + at(size / 2) * 17 + at(size - 1) * 3) % slots;
    }
    bool is_in(std::size_t slot, std::string_view name) const;

    std::bitset<slots> taken_;
    std::vector<std::string> names_;            // cgi_name()s, grouped by slot
    std::array<std::uint16_t, slots> begin_{};  // into names_
    std::array<std::uint16_t, slots> end_{};
};

}  // namespace ticketgate::http

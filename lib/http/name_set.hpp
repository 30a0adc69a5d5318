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

namespace ticketgate::http {

class NameSet {
 public:
    NameSet() = default;
    explicit NameSet(std::span<const std::string> names);

    bool contains(std::string_view name) const;
    bool empty() const { return names_.empty(); }

 private:
    static constexpr std::size_t slots = 256;
    std::bitset<slots> taken_;
    std::vector<std::string> names_;            // cgi_name()s, grouped by slot
    std::array<std::uint16_t, slots> begin_{};  // into names_
    std::array<std::uint16_t, slots> end_{};
};

}  // namespace ticketgate::http

#include "http/name_set.hpp"

#include <algorithm>

namespace ticketgate::http {

NameSet::NameSet(std::span<const std::string> names) {
    for (const auto& name : names)
        if (!name.empty()) names_.push_back(cgi_name(name));
    const auto by_slot = [](const std::string& a, const std::string& b) {
        const auto slot_a = slot_of(a), slot_b = slot_of(b);
        return slot_a != slot_b ? slot_a < slot_b : a < b;
    };
    std::sort(names_.begin(), names_.end(), by_slot);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const std::size_t slot = slot_of(names_[i]);
        if (!taken_[slot]) begin_[slot] = static_cast<std::uint16_t>(i);
        taken_.set(slot);
        end_[slot] = static_cast<std::uint16_t>(i + 1);
    }
}

bool NameSet::is_in(std::size_t slot, std::string_view name) const {
    for (std::size_t i = begin_[slot]; i < end_[slot]; ++i)
        if (same_cgi_name(name, names_[i])) return true;
    return false;
}

}  // namespace ticketgate::http

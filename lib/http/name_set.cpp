#include "http/name_set.hpp"

#include <algorithm>

#include "http/cgi_name.hpp"

namespace ticketgate::http {
namespace {

// Few different names share a slot. Below 256.
std::size_t slot_of(std::string_view name) {
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(cgi_fold(name[i])); };
    const std::size_t size = name.size();
    return (size * 37 + at(0) * 5 + at(size / 2) * 17 + at(size - 1) * 3) & 0xff;
}

}  // namespace

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

// Nearly every look-up of another name ends with its slot.
bool NameSet::contains(std::string_view name) const {
    if (name.empty()) return false;
    const std::size_t slot = slot_of(name);
    if (!taken_[slot]) return false;
    for (std::size_t i = begin_[slot]; i < end_[slot]; ++i)
        if (same_cgi_name(name, names_[i])) return true;
    return false;
}

}  // namespace ticketgate::http

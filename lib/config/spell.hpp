// Prints values of the model as the file spells them, for `explain` and for defaults.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/conditions.hpp"
#include "config/keys.hpp"
#include "config/model.hpp"
#include "config/model_tracing.hpp"

namespace ticketgate::config {

std::string spell(const Key& key, const std::string& value);
std::string spell(const Key& key, bool value);
std::string spell(const Key& key, std::uint16_t value);
std::string spell(const Key& key, std::uint32_t value);
std::string spell(const Key& key, Bytes value);
std::string spell(const Key& key, milliseconds value);
std::string spell(const Key& key, const Headers& value);
std::string spell(const Key& key, const std::vector<HeaderCondition>& value);
std::string spell(const Key& key, const Listen& value);
std::string spell(const Key& key, Share value);
std::string spell(const Key& key, const CollectorUrl& value);
std::string spell(const Key& key, const std::vector<std::string>& value);
std::string spell(const Key& key, const std::optional<std::string>& value);
std::string spell(const Key& key, const Page& value);
std::string spell(const Key& key, const std::optional<SharedText>& value);
std::string spell(const Key& key, const std::optional<Listen>& value);

/// Returns the word of the enumerator.
std::string spell_choice(const Key& key, int index);

template <class Enum>
requires std::is_enum_v<Enum> std::string spell(const Key& key, Enum value) {
    return spell_choice(key, static_cast<int>(value));
}

}  // namespace ticketgate::config

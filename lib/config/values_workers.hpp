// Values of `workers:`: variables of the environment and limits of processes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/values.hpp"

namespace ticketgate::config {

/// On failure, reports it and returns false.
bool check_environment(const Value& map, const Entry& entry);
bool check_rlimit(const Value& map, const Entry& entry);

/// A limit's number: `1024`, `1GiB`, `unlimited` (the greatest number); nullopt for other texts.
std::optional<std::uint64_t> rlimit_value(std::string_view text);

}  // namespace ticketgate::config

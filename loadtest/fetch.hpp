#pragma once
// One blocking request for one of the backend's own pages, or of the proxy's admin listener.
// Bounded: throws where nothing moves for thirty seconds.

#include <cstdint>
#include <string>
#include <string_view>

namespace loadtest {

std::string fetch(const std::string& address, std::string_view target,
                  std::string_view method = "GET");

// The number after "name": in a flat JSON object, or `otherwise`.
std::uint64_t json_number(std::string_view json, std::string_view name, std::uint64_t otherwise);

}  // namespace loadtest

#pragma once
// printf at the end of a string, for lines of bounded length.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace loadtest {

template <class... Args>
void print(std::string& to, const char* format, Args... args) {
    std::array<char, 512> line{};
    const int size = std::snprintf(line.data(), line.size(), format, args...);
    to.append(line.data(), std::min(line.size() - 1, static_cast<std::size_t>(size)));
}

}  // namespace loadtest

#include "base/secret.hpp"

#include <cstddef>

namespace ticketgate {

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
    unsigned different = given.size() != secret.size() || secret.empty();
    for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i)
        different |= static_cast<unsigned char>(given[i]) ^
                     static_cast<unsigned char>(secret[i % secret.size()]);
    return different == 0;
}

}  // namespace ticketgate

// Reads from an .htaccess file of Apache whether its usual rules keep files from clients. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace ticketgate {

enum class Guarded : std::uint8_t {
    nothing,
    some,  ///< some files of its folder, or below it
    all    ///< its folder
};

Guarded guarded_by(std::string rules);

}  // namespace ticketgate

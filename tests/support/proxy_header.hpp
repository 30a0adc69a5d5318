// Headers of the PROXY protocol, version 2.
#pragma once

#include <string>

namespace ticketgate::test {

/// `command`: 0x20 LOCAL, 0x21 PROXY; `family`: 0x11 TCP over IPv4, 0x12 datagrams.
inline std::string proxy_v2(char command, char family, const std::string& rest) {
    using namespace std::string_literals;
    return "\r\n\r\n\0\r\nQUIT\n"s + command + family + '\0' + static_cast<char>(rest.size()) +
           rest;
}

}  // namespace ticketgate::test

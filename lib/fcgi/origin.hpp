// What CGI variables need besides the request head: the addresses of client and listener, and the
// unique id. Views, valid for the call they are made for. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace ticketgate::fcgi {

struct Origin {
    std::string_view client_ip;     ///< as in the log: from a trusted proxy, else the peer
    std::uint16_t client_port = 0;  ///< 0: not known
    std::string_view server_ip;     ///< of our listener; empty for a unix socket
    std::uint16_t server_port = 0;
    std::string_view unique_id;  ///< empty: none
};

}  // namespace ticketgate::fcgi

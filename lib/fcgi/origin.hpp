// Where a request came in and what it is called: what a backend behind CGI variables is told apart
// from the head. Views, good for the call they are made for. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace ticketgate::fcgi {

struct Origin {
    std::string_view client_ip;     ///< as the log has it: a trusted proxy's word, else the peer
    std::uint16_t client_port = 0;  ///< 0: not known
    std::string_view server_ip;     ///< of our listener; empty for a unix socket
    std::uint16_t server_port = 0;
    bool port_told = false;  ///< a trusted proxy's X-Forwarded-Port names the port of the client
    std::string_view unique_id;  ///< empty: none
};

}  // namespace ticketgate::fcgi

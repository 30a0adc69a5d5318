// The error of an address that cannot be opened for listening, with its remedy in one line.
#pragma once

#include <string>
#include <system_error>

#include "net/endpoint.hpp"

namespace ticketgate::net {

/// Returns the remedy for this errno of bind() or listen(); empty if it explains itself. Pure.
std::string listen_remedy(const Endpoint& at, int error);

class ListenError : public std::system_error {
 public:
    ListenError(const Endpoint& at, int error);
    /// `cannot listen on 0.0.0.0:80: Permission denied: ports below 1024 need …`
    const char* what() const noexcept override { return text_.c_str(); }

 private:
    std::string text_;
};

}  // namespace ticketgate::net

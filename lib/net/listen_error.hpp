// Why an address cannot be listened on, and what to do about it, in one line for people.
#pragma once

#include <string>
#include <system_error>

#include "net/endpoint.hpp"

namespace ticketgate::net {

/// What to do about this errno of bind() or listen(); empty: the errno explains itself. Pure.
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

// What to tell people when php-fpm's status page cannot be read: why, and what to change. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace ticketgate::fcgi {

/// A question for the status page that brought no table of workers.
struct StatusFailure {
    error_code failure;        ///< of the exchange, or of reading the answer
    int refusal = 0;           ///< errno of the connection that could not be made; 0: it was made
    std::uint16_t status = 0;  ///< of the answer; 0: there was none
};

struct StatusAdvice {
    std::string why, remedy;
};

/// `address` as in the config, `fastcgi+unix:/path` or `fastcgi://host:port`.
StatusAdvice advice_for(const StatusFailure& failure, const std::string& address,
                        const std::string& path);

}  // namespace ticketgate::fcgi

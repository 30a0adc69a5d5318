// Advice for people if php-fpm's status page cannot be read: cause and remedy. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace ticketgate::fcgi {

/// The result of a status request that returned no table of workers.
struct StatusFailure {
    error_code failure;        ///< of the exchange, or of reading the answer
    int refusal = 0;           ///< errno of a failed connect; 0: it succeeded
    std::uint16_t status = 0;  ///< of the answer; 0: there was none
};

struct StatusAdvice {
    std::string why, remedy;
};

/// `address` is in the config's form: `fastcgi+unix:/path` or `fastcgi://host:port`.
StatusAdvice advice_for(const StatusFailure& failure, const std::string& address,
                        const std::string& path);

}  // namespace ticketgate::fcgi

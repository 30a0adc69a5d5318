// Advice for people if php-fpm's status page cannot be read: cause and remedy. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

/// Why a page that status: url gave is not of the pool that runs the scripts; empty: it is.
/// `at_scripts`: what the listener of the scripts answers to the same request.
std::string why_other_pool(std::string_view page, std::string_view at_scripts);
/// The same advice for both.
StatusAdvice advice_for_other_pool(const std::string& address);

}  // namespace ticketgate::fcgi

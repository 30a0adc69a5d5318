// The pool and the php-fpm of a status page. Advice for people if the page cannot be read: cause
// and remedy.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

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
/// `at_scripts`: what the listener of the scripts answers to the same request. Two pools of one
/// name are told apart if their php-fpms have not started within the same second.
std::string why_other_pool(std::string_view page, std::string_view at_scripts);
/// The same advice for both.
StatusAdvice advice_for_other_pool(const std::string& address);

/// The pool of a page and the start of its php-fpm, as the page spells them. A restart changes it:
/// from then on another pool may listen at either address. Empty: it is no page.
std::string_view run_of(std::string_view page);

/// The runs of php-fpm whose pool is that of the scripts: one for each machine of a name. Any
/// thread.
class ComparedRuns {
 public:
    void add(std::string_view run);
    void forget();
    bool has(std::string_view run) const;

 private:
    static constexpr std::size_t most = 16;  // more machines are compared more often
    mutable std::mutex lock_;
    std::vector<std::string> runs_;  // oldest first
};

}  // namespace ticketgate::fcgi

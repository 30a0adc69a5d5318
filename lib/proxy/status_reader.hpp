// Asks for php-fpm's status page and reads it, step by step. Owned by a coroutine that waits
// between the steps, and limits their time; one loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "upstream/exchange.hpp"

namespace ticketgate {

/// The longest wait for an answer. Its end is an alarm, so it is longer than a loaded machine
/// stands still: a pool of its own for the page answers at once.
constexpr Duration status_patience = std::chrono::seconds(5);

/// The answer of a listener. Its reader can end before it: php-fpm counts a worker as busy until
/// the connection is closed.
struct StatusAnswer {
    std::string address;
    /// Empty where the listener has no page at the path. None: the answer is incomplete, or an
    /// error of the server.
    std::optional<std::string> page;
};

class StatusReader {
 public:
    /// `sent_to`: as for WorkerStatus::ask(). `patience`: the caller waits for so long.
    StatusReader(WorkerStatus& workers, net::Loop& loop, const net::Endpoint& sent_to,
                 http::SpoolBudget& spool, Observer& observer, Duration patience = status_patience);

    /// As WorkerStatus::knock().
    struct Knock {};
    StatusReader(Knock, WorkerStatus& workers, net::Loop& loop, http::SpoolBudget& spool,
                 Observer& observer, Duration patience = status_patience);

    /// done: the answer is whole. Errors: those of an Exchange; upstream_bad_response also for an
    /// answer that is not a page.
    result<Step> advance();
    const std::string& answer() const { return answer_; }
    bool connected() const { return exchange_->connected(); }
    /// The address that was asked, as far as it is known.
    std::string address() const { return exchange_->address(); }
    /// The answer so far. It has a page once that is complete, and an empty one with a status 4xx.
    StatusAnswer told() const;
    /// Describes the failure for people.
    fcgi::StatusFailure failure(error_code error) const;

 private:
    result<Step> read_page();
    std::string head_, answer_;
    std::unique_ptr<Exchange> exchange_;
    Body none_;
    http::ResponseHead response_;
    bool sent_ = false, begun_ = false, whole_ = false;
};

/// As WorkerStatus::compare_pools(), for the page that was read and the answer of the scripts'
/// listener. Where they have two hosts, they count as one pool.
struct Comparison {
    enum class Pools : std::uint8_t {
        one,
        not_compared,  ///< they have two hosts
        two,
        not_known  ///< the scripts' listener has not told; nothing has changed
    };
    Pools pools;
    std::string why;  ///< two
    /// Describes `pools` for the log.
    const char* words() const;
    bool frees_slots() const { return pools == Pools::one || pools == Pools::not_compared; }
};
Comparison compare_pools(WorkerStatus& workers, const StatusAnswer& page,
                         const StatusAnswer& at_scripts);

}  // namespace ticketgate

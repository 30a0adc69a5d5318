// The one place that turns an error into a response: which status, which body, which headers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "http/parser.hpp"
#include "log/record.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

/// The values of the placeholders in an answer.
struct FailureFacts {
    const Record& record;
    std::uint32_t waiting = 0;      ///< tickets in line now
    std::uint32_t retry_after = 1;  ///< whole seconds
    bool html = false;              ///< the client prefers HTML to JSON
    bool safe = true;               ///< GET or HEAD: a link can ask again
    bool may_have_run = false;      ///< the backend may have received a part of it
};

/// The status of an error; a route's settings may change it. 499 when the client has left.
std::uint16_t status_of(error_code failure, const config::Settings* settings);

/// Whether the same request may succeed after `retry_after`.
bool passes_with_time(error_code failure);

/// The body of an answer, read piece by piece. A text of the config is never copied, as many
/// clients may read it slowly; it must outlive this.
class FailureBody {
 public:
    FailureBody() = default;
    explicit FailureBody(std::string made) : made_(std::move(made)), size_(made_.size()) {}
    /// Fills the placeholders in. With `escaped`, the values can stand in HTML.
    FailureBody(std::string_view text, const FailureFacts& facts, bool escaped);

    std::uint64_t size() const { return size_; }
    /// Valid until the next call. Empty: that was all.
    std::string_view next();

 private:
    std::string value_of(std::string_view name) const;

    std::string made_;       // for this answer; empty behind next()
    std::string_view rest_;  // of the config's text
    std::string_view after_;
    std::string value_;  // what next() has returned, if it is not of the config
    std::optional<FailureFacts> facts_;
    bool escaped_ = false;
    std::uint64_t size_ = 0;
};

struct FailureResponse {
    std::string head;
    FailureBody body;  ///< empty for HEAD
};

/// A whole HTTP/1.1 response, without the id and Via lines, which are in `added`. `settings` is
/// null where no route was found. A response to HEAD has the length but no body; while the method
/// is unknown there is no body at all, as it would be wrong for HEAD.
FailureResponse failure_response(error_code failure, const config::Settings* settings,
                                 const FailureFacts& facts, std::string_view added, bool keep_alive,
                                 http::AsksFor asked);

/// The standard reason phrase.
std::string_view reason_phrase(std::uint16_t status);

}  // namespace ticketgate

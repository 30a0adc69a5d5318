// Texts about the connection of an exchange, for log lines and the views.
#include <cerrno>
#include <cstring>

#include "upstream/connect_error.hpp"
#include "upstream/pool.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

std::string PooledExchange::fault() const {
    std::string of_tls = stream_ ? stream_->fault() : std::string();
    if (!of_tls.empty()) return of_tls;
    if (refusal_ != 0) return std::strerror(refusal_);
    if (!unresolved()) return {};
    const error_code failure = addresses().failure();
    return "the name " + settings().host +
           " cannot be resolved: " + (failure ? failure.message() : "no answer yet");
}

// A try that has neither failed nor succeeded took too long.
std::string PooledExchange::remedy() const {
    if (unresolved()) return resolve_remedy(settings().host);
    if (stream_ && !stream_->fault().empty()) return tls_remedy(stream_->fault(), to_.text());
    if (connected_ && (reused_ || (received_ == 0 && !over_ && !reset_))) return {};
    if (connected_)
        return protocol_remedy(is_fcgi(), received_ == 0 ? no_byte : first_byte_, to_.text());
    return connect_remedy(to_, refusal_ != 0 ? refusal_ : ETIMEDOUT);
}

std::string PooledExchange::trouble() const {
    const int stalled = stream_ ? stream_->stalled() : 0;
    const int error = stalled != 0 ? stalled : write_error_;
    if (error == 0) return {};
    return std::string("a call of this machine fails: ") + std::strerror(error);
}

std::string PooledExchange::address() const {
    return has_address() ? to_.text() : settings().host + ":" + std::to_string(settings().port);
}

}  // namespace ticketgate

// Moves a request body into the spool: decodes the framing of what the client has sent, within the
// route's limits. Owned by the session of its request; one loop; no socket, no clock.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "config/model.hpp"
#include "http/body.hpp"
#include "http/pace.hpp"
#include "proxy/input.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

class BodyReader {
 public:
    /// Reads the framing that the request head declares (RFC 9112 6).
    BodyReader(http::Framing framing, std::uint64_t content_length)
        : decoder_(framing, content_length) {}

    /// Applies the route's max_body, body_min_rate and body_timeout from `now` on.
    void begin(const config::Settings& settings, Time now);
    /// Moves what `input` has of the body into the spool. Errors: bad_request, body_too_large,
    /// spool_full. `joined` is scratch.
    error_code take(Input& input, http::Spool& spool, std::string& joined);
    /// Counts bytes from the client. False: on the whole the client is slower than body_min_rate.
    bool came(std::uint64_t bytes, Time now) { return pace_.took(bytes, now); }
    /// Stops the count while the session does not read: the client is not slow then.
    void pause() { pace_.pause(); }

    bool done() const { return decoder_.done(); }
    std::uint64_t bytes() const { return bytes_; }  ///< of payload so far
    /// Bytes of payload that are certain to come next.
    std::uint64_t expected() const { return decoder_.expected(); }

 private:
    http::BodyDecoder decoder_;
    http::Pace pace_;
    std::uint64_t bytes_ = 0, most_ = 0;
};

}  // namespace ticketgate

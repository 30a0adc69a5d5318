// A request body on its way into the spool: frame by frame out of what the client has sent, within
// the route's limits. Owned by the session of its request; one loop; no socket, no clock.
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
    /// Of the framing that the request head tells (RFC 9112 6).
    BodyReader(http::Framing framing, std::uint64_t content_length)
        : decoder_(framing, content_length) {}

    /// The route's max_body, body_min_rate and body_timeout hold from `now` on.
    void begin(const config::Settings& settings, Time now);
    /// Moves what `input` has of the body into the spool. Errors: bad_request, body_too_large,
    /// spool_full. `joined` is scratch.
    error_code take(Input& input, http::Spool& spool, std::string& joined);
    /// So many bytes came from the client. False: on the whole it is slower than body_min_rate.
    bool came(std::uint64_t bytes, Time now) { return pace_.took(bytes, now); }
    /// We do not read now; that is not the client's slowness.
    void pause() { pace_.pause(); }

    bool done() const { return decoder_.done(); }
    std::uint64_t bytes() const { return bytes_; }  ///< of payload so far
    /// Bytes of payload that surely come next.
    std::uint64_t expected() const { return decoder_.expected(); }

 private:
    http::BodyDecoder decoder_;
    http::Pace pace_;
    std::uint64_t bytes_ = 0, most_ = 0;
};

}  // namespace ticketgate

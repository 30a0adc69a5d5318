// The client of one request, as the session that serves the request sees it. Behind this face
// stands an HTTP/1.1 connection; a stream of HTTP/2 can be another. Owned by itself; it outlives
// the session. One loop at a time: move_to() changes it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "net/stream.hpp"
#include "proxy/body_reader.hpp"
#include "proxy/stamp.hpp"
#include "proxy/station.hpp"
#include "task/task.hpp"

namespace ticketgate {

/// What a read found.
enum class Read : std::uint8_t {
    some,
    nothing,  ///< it would block: signal() is notified
};

/// Whose are the bytes that follow what was used up?
enum class Next : std::uint8_t {
    body,     ///< this request's
    tunnel,   ///< the tunnel's that this request asks for
    request,  ///< the next request's
    nobody    ///< the connection ends with this request's answer: they are dropped
};

class ClientStream {
 public:
    /// Where the request lives now. Its scratch is good until the next suspension.
    virtual Station& station() const = 0;
    virtual const Peer& peer() const = 0;
    /// What the session waits on. Notified of bytes, of room to write, and of the client's end.
    virtual Signal& signal() = 0;
    /// Where the response goes, already in the client's framing; also tells whether the client has
    /// ended or broken the connection.
    virtual net::Stream& wire() = 0;

    /// The request head is used up: no view into it is good any more.
    virtual void consume_head() = 0;
    /// Takes what came with the head of the body.
    virtual error_code take_body(BodyReader& reader, http::Spool& spool) = 0;
    /// Reads once and takes it. Errors: client_closed, body_timeout for one that is too slow, and
    /// those of BodyReader::take().
    virtual result<Read> read_body(BodyReader& reader, http::Spool& spool) = 0;
    /// Reads once, without a frame, at most `most` bytes. `ended`: the client sends no more. Error:
    /// client_closed, spool_full.
    virtual result<Read> read_tunnel(http::Spool& spool, std::uint64_t most, bool& ended) = 0;

    /// Before any suspension: keeps what is here and not used. False: there is no room for it. What
    /// belongs to a next request was dropped then.
    virtual bool keep(Next whose) = 0;

    /// To another loop. Nothing is notified on the way.
    virtual task<void> move_to(Station& station) = 0;
    /// Where an unqueued request goes on, if that is elsewhere: its connection will stay there.
    virtual Station* settles_on() const = 0;

 protected:
    ~ClientStream() = default;
};

}  // namespace ticketgate

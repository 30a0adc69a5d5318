// The client of one request, as the session that serves the request sees it. The implementation is
// an HTTP/1.1 connection; an HTTP/2 stream could be another. Owned by itself; it outlives the
// session. One loop at a time: move_to() changes it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "net/stream.hpp"
#include "proxy/body_reader.hpp"
#include "proxy/stamp.hpp"
#include "proxy/station.hpp"
#include "task/task.hpp"

namespace ticketgate {

/// The result of a read.
enum class Read : std::uint8_t {
    some,
    nothing,  ///< it would block: signal() is notified
};

/// The owner of the bytes that follow those used up.
enum class Next : std::uint8_t {
    body,     ///< this request's
    tunnel,   ///< the tunnel's that this request asks for
    request,  ///< the next request's
    nobody    ///< none: the connection ends with this request's answer, and drops them
};

class ClientStream {
 public:
    /// The station of the request now. Its scratch is valid until the next suspension.
    virtual Station& station() const = 0;
    virtual const Peer& peer() const = 0;
    /// The present request came after this time; Time{}: not known, or not its connection's first.
    virtual Time arrived_after() const = 0;
    /// What the session waits on. Notified of bytes, of room to write, and of the client's end.
    virtual Signal& signal() = 0;
    /// The stream for the response, which is already in the client's framing; also tells whether
    /// the client has ended or broken the connection.
    virtual net::Stream& wire() = 0;

    /// Drops the request head: views into it are no longer valid.
    virtual void consume_head() = 0;
    /// Keeps the head's bytes over a suspension, after which view_head_again() reads the same head
    /// into the station's scratch. False: there is no room for them.
    virtual bool hold_head() = 0;
    virtual void view_head_again() = 0;
    /// Takes the part of the body that came with the head.
    virtual error_code take_body(BodyReader& reader, http::Spool& spool) = 0;
    /// Reads once and takes the bytes. Errors: client_closed, body_timeout for a client that is too
    /// slow, and those of BodyReader::take().
    virtual result<Read> read_body(BodyReader& reader, http::Spool& spool) = 0;
    /// Reads once, without framing, at most `most` bytes. `ended`: the client sends no more. Error:
    /// client_closed, spool_full.
    virtual result<Read> read_tunnel(http::Spool& spool, std::uint64_t most, bool& ended) = 0;

    /// Keeps the unused bytes; must be called before any suspension. False: there is no room for
    /// them; those of a next request were dropped.
    virtual bool keep(Next whose) = 0;

    /// Moves to another loop. No event is notified on the way.
    virtual task<void> move_to(Station& station) = 0;
    /// The station where an unqueued request and its connection go on; null: the present one.
    virtual Station* settles_on() const = 0;

 protected:
    ~ClientStream() = default;
};

}  // namespace ticketgate

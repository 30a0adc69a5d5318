// A parsed head: views into the bytes it was read from. Nothing is copied; a head is used up
// (routed, stamped, rewritten) before its buffer is read into again. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ticketgate::http {

/// Field names that the proxy itself acts on; everything else is `other`.
enum class FieldName : std::uint8_t {
    other,
    connection,
    keep_alive,
    proxy_connection,
    te,
    trailer,
    transfer_encoding,
    upgrade,
    content_length,
    content_type,
    expect,
    host,
    proxy,
    via,
    forwarded,
    x_forwarded_for,
    x_forwarded_proto,
    x_forwarded_host,
    x_forwarded_port,
    x_request_start,
    x_accel_buffering,
    server_timing,
    user_agent,
    referer,
    date,
    location,
    refresh,
    max_forwards,  ///< of OPTIONS only
    unusual,       ///< a name that we do not know, with a character that CGI servers fold
};

struct Field {
    FieldName id = FieldName::other;
    std::string_view name;   ///< as written
    std::string_view value;  ///< without surrounding whitespace
    std::string_view line;   ///< the whole line with its CRLF
};

/// How long a body is (RFC 9112 6.3).
enum class Framing : std::uint8_t { none, length, chunked, until_close };

struct RequestHead {
    std::string_view bytes;  ///< start line to empty line; bytes.size() is what to consume
    std::string_view method, target;
    std::string_view host;     ///< of Host, or of the target where HTTP/1.0 sent none; else empty
    std::string_view upgrade;  ///< what is asked for (RFC 9110 7.8); empty if nothing
    unsigned version = 11;     ///< 10 or 11
    std::vector<Field> fields;
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;
    bool keep_alive = true;         ///< the client wants the connection kept (RFC 9112 9.3)
    bool expects_continue = false;  ///< Expect: 100-continue (RFC 9110 10.1.1)
    bool names_hop_fields = false;  ///< Connection names fields beyond keep-alive and close
    /// Of a head that was refused: what is wrong with it, for people; lives for ever. Else empty.
    std::string_view complaint;
    /// How often OPTIONS may still be forwarded (RFC 9110 7.6.2).
    std::optional<std::uint32_t> max_forwards;

    /// Idempotent by RFC 9110 9.2.2.
    bool idempotent() const;
};

struct ResponseHead {
    std::string_view bytes;
    std::string_view reason;
    std::string_view upgrade;  ///< of a 101: the protocol that is switched to; of a 426: wanted
    unsigned version = 11;
    std::uint16_t status = 0;
    std::vector<Field> fields;
    Framing framing = Framing::none;  ///< already with regard to HEAD, 1xx, 204 and 304
    std::uint64_t content_length = 0;
    bool has_content_length =
        false;                     ///< also for HEAD and 304, where no body follows; not of a 204
    bool tells_content = false;    ///< a length above 0, or chunks, also where no body follows
    bool keep_alive = true;        ///< the backend keeps its connection
    bool announces_close = false;  ///< it says, or its version does, that it closes it
    bool unbuffered = false;       ///< X-Accel-Buffering: no, or an event stream
    bool event_stream = false;     ///< text/event-stream
    bool names_hop_fields = false;
    bool has_date = false;
    /// Not to be forwarded, though its framing is beyond doubt; it has no fields then.
    bool malformed = false;
    std::string_view complaint;  ///< a constant: why it is malformed or refused
    /// Keep-Alive: timeout=N; 0 when not told, and 1 where less than a second is told as 0.
    std::uint32_t keep_alive_timeout_s = 0;

    bool informational() const { return status < 200; }
};

}  // namespace ticketgate::http

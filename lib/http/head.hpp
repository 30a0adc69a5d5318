// A parsed head: views into the bytes it was read from. Nothing is copied, so the head is processed
// (routed, stamped, rewritten) before its buffer is read into again. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ticketgate::http {

/// Field names that the proxy acts on; all others are `other`.
enum class FieldName : std::uint8_t {
    other,
    accept,
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
    server_timing,
    user_agent,
    referer,
    date,
    location,
    refresh,
    max_forwards,  ///< of OPTIONS only
    unusual,       ///< an unknown name, with a character that CGI servers fold
};

struct Field {
    FieldName id = FieldName::other;
    std::string_view name;   ///< as written
    std::string_view value;  ///< without surrounding whitespace
    std::string_view line;   ///< the whole line with its CRLF
};

/// The kind of body length (RFC 9112 6.3).
enum class Framing : std::uint8_t { none, length, chunked, until_close };

struct RequestHead {
    std::string_view bytes;  ///< start line to empty line; consume bytes.size()
    std::string_view method, target;
    std::string_view host;     ///< of Host; in HTTP/1.0 without Host, of the target; else empty
    std::string_view upgrade;  ///< the requested protocol (RFC 9110 7.8); empty: none
    unsigned version = 11;     ///< 10 or 11
    std::vector<Field> fields;
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;
    bool keep_alive = true;         ///< the client wants the connection kept (RFC 9112 9.3)
    bool expects_continue = false;  ///< Expect: 100-continue (RFC 9110 10.1.1)
    bool names_hop_fields = false;  ///< Connection names fields beyond keep-alive and close
    /// Why the head was refused, as a constant text for people; else empty.
    std::string_view complaint;
    /// How many more times OPTIONS may be forwarded (RFC 9110 7.6.2).
    std::optional<std::uint32_t> max_forwards;

    /// Idempotent by RFC 9110 9.2.2.
    bool idempotent() const;
    /// Chunks may turn out to be empty.
    bool has_body() const { return framing == Framing::chunked || content_length > 0; }
};

struct ResponseHead {
    std::string_view bytes;
    std::string_view reason;
    std::string_view upgrade;  ///< of a 101: the new protocol; of a 426: the required one
    unsigned version = 11;
    std::uint16_t status = 0;
    std::vector<Field> fields;
    Framing framing = Framing::none;  ///< accounts for HEAD, 1xx, 204 and 304
    std::uint64_t content_length = 0;
    bool has_content_length = false;  ///< also for HEAD and 304, which have no body; not of a 204
    bool tells_content = false;       ///< a length above 0, or chunks, even if no body follows
    bool keep_alive = true;           ///< the backend keeps its connection
    bool announces_close = false;     ///< its fields or its version announce the close
    bool event_stream = false;        ///< text/event-stream
    bool names_hop_fields = false;
    bool has_date = false;
    /// Must not be forwarded, although its framing is certain; it has no fields then.
    bool malformed = false;
    std::string_view complaint;  ///< a constant: why it is malformed or refused
    /// Keep-Alive: timeout=N. 0: absent; a timeout of 0 seconds is stored as 1.
    std::uint32_t keep_alive_timeout_s = 0;

    bool informational() const { return status < 200; }
};

}  // namespace ticketgate::http

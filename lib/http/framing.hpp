// The rules that keep two parsers from reading one message differently (request smuggling): line
// ends, obs-fold, duplicates, Content-Length against Transfer-Encoding, Host and target. They are
// stricter than Beast's grammar; http/parser applies both. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

/// The most options in all Connection fields of a message; real messages have up to four.
inline constexpr unsigned max_connection_options = 64;

/// True for a character of a token (RFC 9110 5.6.2): methods, field names.
bool is_token_char(char c);

/// True for a character of a field value (RFC 9110 5.5): no control character but HT; obs-text too.
constexpr bool is_text_char(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

/// True if the name has only letters, digits and hyphens: CGI servers do not fold it into another's
/// variable (RFC 3875 4.1.18 turns `-` into `_`; servers differ on other characters).
bool is_usual_name(std::string_view name);

/// Returns the size of the empty lines at the front; a server skips them (RFC 9112 2.2).
std::size_t leading_empty_lines(std::string_view bytes);

/// Returns the offset after the empty line that ends the head at `begin`; 0: it is incomplete. The
/// first `scanned` bytes contain no end. Error: bad_request for a bare LF (a CRLF-only reader would
/// see one line instead of two, RFC 9112 2.2) and for obs-fold (RFC 9112 5.2).
result<std::size_t> find_head_end(std::string_view bytes, std::size_t begin, std::size_t scanned);

/// True for uri-host [ ":" port ] (RFC 9110 7.2), or empty.
bool valid_host(std::string_view host);

/// True for a target that a gateway serves: origin-form, absolute-form of http(s), `*` for OPTIONS;
/// visible ASCII without `#` (RFC 9112 3.2).
bool valid_target(std::string_view method, std::string_view target);

/// Collects what the fields say about body and connection.
class FieldRules {
 public:
    /// Notes one field. False: refuse the message.
    bool note(FieldName id, std::string_view value);

    /// After the last field: true if the fields are consistent (RFC 9112 6.1).
    bool consistent(unsigned version) const;

    /// The declared framing: none, length or chunked.
    Framing framing() const;
    bool has_length() const { return has_length_; }
    std::uint64_t length() const { return length_; }
    /// True if the head announces a body of at least one byte.
    bool declares_body() const { return chunked_ || length_ > 0; }
    /// RFC 9112 9.3: 1.1 persists unless told to close, 1.0 only when asked to.
    bool keep_alive(unsigned version) const { return !close_ && (version >= 11 || keep_alive_); }
    bool names_fields() const { return names_fields_; }
    /// Returns the value of Upgrade if Connection names it and it appears once (RFC 9110 7.8); else
    /// empty.
    std::string_view upgrade() const { return names_upgrade_ ? upgrade_ : std::string_view(); }
    /// The same, even if Connection does not name it.
    std::string_view upgrade_value() const { return upgrade_; }

 private:
    bool note_length(std::string_view value);
    bool note_coding(std::string_view value);
    bool note_connection(std::string_view value);
    bool note_upgrade(std::string_view value);

    std::uint64_t length_ = 0;
    unsigned options_ = 0;
    std::string_view upgrade_;
    bool has_length_ = false, chunked_ = false, close_ = false, keep_alive_ = false,
         names_fields_ = false, names_upgrade_ = false, has_upgrade_ = false;
};

}  // namespace ticketgate::http

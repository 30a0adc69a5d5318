// The rules that keep two parsers from reading one message differently (request smuggling): line
// ends, obs-fold, duplicates, Content-Length against Transfer-Encoding, Host and target. Beast's
// grammar is kinder than these; http/parser asks both. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

/// Options that the Connection fields of a message may have in all; real ones have up to four.
inline constexpr unsigned max_connection_options = 64;

/// A character of a token (RFC 9110 5.6.2): methods, field names.
bool is_token_char(char c);

/// A character of a field value (RFC 9110 5.5): no control character but HT; obs-text is fine.
constexpr bool is_text_char(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

/// Letters, digits and hyphens only: a field name that no CGI server folds into another's variable
/// (RFC 3875 4.1.18 has `-` become `_`; what becomes of other characters differs).
bool is_usual_name(std::string_view name);

/// The size of the empty lines at the front; a server skips them (RFC 9112 2.2).
std::size_t leading_empty_lines(std::string_view bytes);

/// The offset just past the empty line that ends the head which starts at `begin`; 0: not here yet.
/// `scanned` bytes are known to hold no end. Error: bad_request for a bare LF (a CRLF-only reader
/// would see one line where we see two, RFC 9112 2.2) and for obs-fold (RFC 9112 5.2).
result<std::size_t> find_head_end(std::string_view bytes, std::size_t begin, std::size_t scanned);

/// uri-host [ ":" port ] (RFC 9110 7.2), or empty.
bool valid_host(std::string_view host);

/// A target that a gateway serves: origin-form, absolute-form of http(s), `*` for OPTIONS; visible
/// ASCII without `#` (RFC 9112 3.2).
bool valid_target(std::string_view method, std::string_view target);

/// What the fields say about body and connection, collected field by field.
class FieldRules {
 public:
    /// Takes note of one field. False: the message is to be refused.
    bool note(FieldName id, std::string_view value);

    /// After the last field: do they go together (RFC 9112 6.1)?
    bool consistent(unsigned version) const;

    /// none, length or chunked, as declared.
    Framing framing() const;
    bool has_length() const { return has_length_; }
    std::uint64_t length() const { return length_; }
    /// Does it announce a body of at least one byte?
    bool declares_body() const { return chunked_ || length_ > 0; }
    /// RFC 9112 9.3: 1.1 persists unless told to close, 1.0 only when asked to.
    bool keep_alive(unsigned version) const { return !close_ && (version >= 11 || keep_alive_); }
    bool names_fields() const { return names_fields_; }
    /// What Upgrade says, if Connection names it and it stands there once (RFC 9110 7.8); else
    /// empty.
    std::string_view upgrade() const { return names_upgrade_ ? upgrade_ : std::string_view(); }
    /// The same, whether Connection names it or not.
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

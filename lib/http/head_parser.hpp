// The common part of the request and response parsers: Beast's grammar, with fields kept as views
// and the rules of http/framing applied. Only for the sources of this module. Any thread.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <string_view>
#include <utility>

#include "http/complaint.hpp"
#include "http/framing.hpp"
#include "http/parser.hpp"

namespace ticketgate::http {

namespace beast = boost::beast;

inline std::string_view to_std(beast::string_view text) {
    return {text.data(), text.size()};
}

/// Requires a head that is whole and without obs-fold: so the CRLF exists, and the views point into
/// the head.
Field make_field(beast::http::field theirs, std::string_view name, std::string_view value);

/// The same for a line that ticketgate has written, `Name: value` and CRLF, whose name nobody has
/// looked up yet. `colon`: where the name ends.
Field own_field(std::string_view line, std::size_t colon);

/// Keeps fields as views and applies the rules; does not use Beast's body parsing.
template <bool is_request, class Head>
class HeadParser : public beast::http::basic_parser<is_request> {
 public:
    HeadParser(Head& head, const HeadLimits& limits) : head_(head), limits_(limits) {
        this->eager(false);
        this->header_limit(std::numeric_limits<std::uint32_t>::max());
        this->body_limit(boost::none);
    }

 protected:
    void take_field(const Field& field, beast::error_code& ec) {
        if (head_.fields.size() >= limits_.max_headers)
            refuse(ec, errc::head_too_large, "more fields than max_headers");
        else if (!rules_.note(field.id, field.value))
            refuse(ec, errc::bad_request, complaint_of(field.id));
        else if (keeps_fields_)
            head_.fields.push_back(field);
    }

    // Needs no memory from then on.
    void keep_no_fields() { keeps_fields_ = false; }

    // Keeps only the first complaint.
    void refuse(beast::error_code& ec, errc why, std::string_view complaint) {
        if (ec) return;
        ec = why;
        head_.complaint = complaint;
    }

    Head& head_;
    const HeadLimits& limits_;
    FieldRules rules_;

 private:
    using Length = boost::optional<std::uint64_t>;
    using Text = beast::string_view;
    void on_body_init_impl(const Length&, beast::error_code&) final {}
    std::size_t on_body_impl(Text, beast::error_code&) final { return 0; }
    void on_chunk_header_impl(std::uint64_t, Text, beast::error_code&) final {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text, beast::error_code&) final { return 0; }
    void on_finish_impl(beast::error_code&) final {}

    bool keeps_fields_ = true;
};

/// Resets all but the capacity of the fields: no allocation per head in steady state.
template <class Head>
void reset(Head& head) {
    auto fields = std::move(head.fields);
    fields.clear();
    head = {};
    head.fields = std::move(fields);
}

/// Parses the rest of the head in one call. It is an error if Beast does not consume exactly all of
/// it: then we and Beast disagree.
template <class Parser>
error_code put_all(Parser& parser, std::string_view head) {
    error_code error;
    const std::size_t used = parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
    if (!error && (used != head.size() || !parser.is_header_done())) error = errc::bad_request;
    return error;
}

inline constexpr std::string_view unclear_length =
    "Transfer-Encoding with Content-Length, or in HTTP/1.0";
inline constexpr std::string_view no_head = "a bare LF, or a line that begins with a blank";

/// Refuses bytes that do not form a head.
template <class Head>
error_code refused(Head& head, error_code error, std::string_view complaint) {
    head.complaint = complaint;
    return error;
}

}  // namespace ticketgate::http

#include "http/complaint.hpp"

#include <array>
#include <boost/beast/http/error.hpp>

namespace ticketgate::http {
namespace {

namespace beast = boost::beast;

struct Grammar {
    beast::http::error broken;
    std::string_view complaint;
};

// Beast tells a field beside the other one as malformed.
constexpr std::string_view bad_length =
    "Content-Length malformed, twice, or beside Transfer-Encoding";
constexpr std::string_view bad_coding =
    "Transfer-Encoding other than one chunked, or beside Content-Length";

constexpr std::array grammar{
    Grammar{beast::http::error::bad_method, "a malformed method"},
    Grammar{beast::http::error::bad_target, "a malformed target"},
    Grammar{beast::http::error::bad_version, "a malformed or unknown version"},
    Grammar{beast::http::error::bad_field, "a malformed field name"},
    Grammar{beast::http::error::bad_value, "a malformed field value"},
    Grammar{beast::http::error::bad_content_length, bad_length},
    Grammar{beast::http::error::multiple_content_length, bad_length},
    Grammar{beast::http::error::bad_transfer_encoding, bad_coding},
    Grammar{beast::http::error::bad_line_ending, "a bare CR or LF"},
};

}  // namespace

std::string_view complaint_of(FieldName name) {
    if (name == FieldName::content_length) return bad_length;
    if (name == FieldName::transfer_encoding) return bad_coding;
    return "too many options in Connection";
}

std::string_view complaint_of(error_code error) {
    for (const Grammar& rule : grammar)
        if (error == rule.broken) return rule.complaint;
    return {};
}

}  // namespace ticketgate::http

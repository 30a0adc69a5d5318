#include "admin/reading.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

namespace ticketgate::admin {

namespace http = boost::beast::http;

Expects expects(const Parser& parser) {
    if (parser.is_done() || parser.get().count(http::field::expect) == 0) return Expects::nothing;
    const bool known = boost::beast::iequals(parser.get()[http::field::expect], "100-continue");
    return known ? Expects::go_on : Expects::other;
}

// Two Hosts are refused as clients' are (RFC 9112 3.2): access.hpp judges one.
http::status refusal_of(const Parser& parser) {
    if (expects(parser) == Expects::other) return http::status::expectation_failed;
    return parser.get().count(http::field::host) > 1 ? http::status::bad_request
                                                     : http::status::unknown;
}

http::status refusal_of(const error_code& error) {
    if (error == http::error::body_limit || error == boost::system::errc::message_size)
        return http::status::payload_too_large;
    if (error == http::error::header_limit) return http::status::request_header_fields_too_large;
    if (error == http::error::end_of_stream || error == http::error::partial_message)
        return http::status::unknown;
    const auto& of_http = http::make_error_code(http::error::bad_method).category();
    return error.category() == of_http ? http::status::bad_request : http::status::unknown;
}

std::string why(http::status refused) {
    switch (refused) {
        case http::status::payload_too_large:
            return "a request has at most " + std::to_string(most_body) +
                   " bytes of body here, and " + std::to_string(most_request) +
                   " with its head, its trailers and what stands between its chunks\n";
        case http::status::request_header_fields_too_large:
            return "a request has at most " + std::to_string(most_head) + " bytes of head here\n";
        case http::status::expectation_failed:
            return "only Expect: 100-continue is known here\n";
        default:
            return "the request is malformed\n";
    }
}

}  // namespace ticketgate::admin

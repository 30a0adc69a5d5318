#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "http/head_parser.hpp"
#include "http/target.hpp"

namespace ticketgate::http {
namespace {

using beast::http::field;

constexpr std::size_t max_method = 32;  // the longest registered one is 17 (UPDATEREDIRECTREF)

class RequestParser final : public HeadParser<true, RequestHead> {
 public:
    using HeadParser::HeadParser;

 private:
    void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                         int version, beast::error_code& ec) override {
        head_.method = to_std(method);
        head_.target = to_std(target);
        head_.version = static_cast<unsigned>(version);
        if (head_.method.size() > max_method)
            refuse(ec, errc::bad_request, "a method longer than any known one");
        else if (head_.method == "CONNECT" || head_.method == "TRACE")
            refuse(ec, errc::method_refused, "CONNECT or TRACE");
        else if (head_.target.size() > limits_.max_uri)
            refuse(ec, errc::uri_too_long, "a target longer than max_uri");
        else if (!valid_target(head_.method, head_.target))
            refuse(ec, errc::bad_request, "a malformed target");
    }

    void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}

    void on_field_impl(field theirs, beast::string_view name, beast::string_view value,
                       beast::error_code& ec) override {
        Field field = make_field(theirs, to_std(name), to_std(value));
        if (field.id == FieldName::max_forwards) take_max_forwards(field, ec);
        take_field(field, ec);
        if (field.id == FieldName::host) take_host(field.value, ec);
        if (field.id == FieldName::expect) take_expectation(field.value, ec);
    }

    // RFC 9112 3.2: exactly one Host in 1.1; a second or a malformed one is an attack on routing.
    void take_host(std::string_view value, beast::error_code& ec) {
        if (has_host_) refuse(ec, errc::bad_request, "two Host fields");
        if (!valid_host(value)) refuse(ec, errc::bad_request, "a malformed Host");
        has_host_ = true;
        head_.host = value;
    }

    void take_expectation(std::string_view value, beast::error_code& ec) {
        if (!iequals(value, "100-continue"))
            refuse(ec, errc::expectation_failed, "an Expect other than 100-continue");
        expects_continue_ = true;
    }

    // RFC 9110 7.6.2: only OPTIONS and TRACE must obey it. A number out of range becomes the
    // maximum.
    void take_max_forwards(Field& field, beast::error_code& ec) {
        if (head_.method != "OPTIONS") {
            field.id = FieldName::other;
            return;
        }
        const auto digit = [](char c) { return c >= '0' && c <= '9'; };
        if (head_.max_forwards || field.value.empty() || !std::ranges::all_of(field.value, digit))
            refuse(ec, errc::bad_request, "Max-Forwards twice or malformed");
        std::uint32_t hops = std::numeric_limits<std::uint32_t>::max();
        std::from_chars(field.value.data(), field.value.data() + field.value.size(), hops);
        head_.max_forwards = hops;
    }

    // RFC 9112 3.2.2: the authority of an absolute-form overrides Host, so both must be equal.
    bool host_fits() {
        const auto authority = authority_of(head_.target);
        if (has_host_) return authority.empty() || iequals(authority, head_.host);
        head_.host = authority;
        return head_.version < 11;
    }

    void on_header_impl(beast::error_code& ec) override {
        if (!rules_.consistent(head_.version)) refuse(ec, errc::bad_request, unclear_length);
        if (!host_fits())
            refuse(ec, errc::bad_request, "no Host, or one that differs from the target's");
        head_.framing = rules_.framing();
        head_.content_length = rules_.length();
        head_.keep_alive = rules_.keep_alive(head_.version);
        head_.names_hop_fields = rules_.names_fields();
        if (head_.version >= 11) head_.upgrade = rules_.upgrade();
        // RFC 9110 10.1.1: ignored in HTTP/1.0, and pointless without a body.
        head_.expects_continue = expects_continue_ && head_.version >= 11 && rules_.declares_body();
    }

    bool has_host_ = false, expects_continue_ = false;
};

// Refuses bytes that cannot begin a request (a TLS handshake on a plain port) without waiting for
// more.
bool may_begin_request(std::string_view bytes) {
    return bytes.empty() || bytes == "\r" || is_token_char(bytes[0]);
}

// RFC 9112 3: 414 for a target longer than we read, that is if the request line has not ended.
error_code too_large(std::string_view head) {
    const bool line_open = head.find('\n') == std::string_view::npos;
    const bool target_begun = head.substr(0, max_method + 1).find(' ') != std::string_view::npos;
    return line_open && target_begun ? errc::uri_too_long : errc::head_too_large;
}

// True if the request line ends in a valid version with another major number (RFC 9110 15.6.6).
bool other_major_version(std::string_view head) {
    const auto line = head.substr(0, head.find('\r'));
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (line.size() < 9) return false;
    const auto tail = line.substr(line.size() - 9);
    return tail.starts_with(" HTTP/") && digit(tail[6]) && tail[6] != '1' && tail[7] == '.' &&
           digit(tail[8]);
}

error_code refusal(error_code error, RequestHead& head, std::string_view message) {
    if (error.category() == category()) return error;
    head.complaint = complaint_of(error);
    if (error == beast::http::error::bad_version && other_major_version(message))
        return errc::version_refused;
    return errc::bad_request;
}

}  // namespace

bool RequestHead::idempotent() const {
    constexpr std::array<std::string_view, 6> methods{"GET",   "HEAD", "OPTIONS",
                                                      "TRACE", "PUT",  "DELETE"};
    return std::ranges::find(methods, method) != methods.end();
}

result<Progress> parse_request(std::string_view bytes, const HeadLimits& limits, RequestHead& head,
                               std::size_t scanned) {
    const auto window = bytes.substr(0, limits.max_head);
    const std::size_t begin = leading_empty_lines(window);
    if (!may_begin_request(window.substr(begin)))
        return refused(head, errc::bad_request, "a first byte that cannot begin a request");
    const auto end = find_head_end(window, begin, scanned);
    if (!end) return refused(head, end.error(), no_head);
    if (*end == 0) {
        if (bytes.size() < limits.max_head) return Progress::need_more;
        return refused(head, too_large(window.substr(begin)), "longer than max_head");
    }
    reset(head);
    head.bytes = bytes.substr(0, *end);
    RequestParser parser(head, limits);
    const auto message = head.bytes.substr(begin);
    if (const auto error = put_all(parser, message)) return refusal(error, head, message);
    return Progress::done;
}

AsksFor asks_for(std::string_view bytes) {
    constexpr std::string_view head = "HEAD ";
    bytes.remove_prefix(leading_empty_lines(bytes));
    if (bytes.starts_with(head)) return AsksFor::head;
    const bool open = head.starts_with(bytes) || bytes == "\r";
    return open ? AsksFor::unknown : AsksFor::body;
}

}  // namespace ticketgate::http

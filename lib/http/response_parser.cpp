#include <algorithm>
#include <array>
#include <charconv>
#include <new>

#include "base/text.hpp"
#include "http/head_parser.hpp"
#include "http/malformed.hpp"

namespace ticketgate::http {
namespace {

using beast::http::field;

constexpr int largest_status = 599, any_status = 999;

class ResponseParser final : public HeadParser<false, ResponseHead> {
 public:
    using HeadParser::keep_no_fields;

    ResponseParser(ResponseHead& head, const HeadLimits& limits, bool to_head,
                   int most_status = largest_status)
        : HeadParser(head, limits), to_head_(to_head), most_status_(most_status) {}

 private:
    void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int,
                         beast::error_code&) override {}

    void on_response_impl(int status, beast::string_view reason, int version,
                          beast::error_code& ec) override {
        if (status < 100 || status > most_status_)
            refuse(ec, errc::bad_request, "an invalid status");
        head_.status = static_cast<std::uint16_t>(status);
        head_.reason = to_std(reason);
        head_.version = static_cast<unsigned>(version);
    }

    void on_field_impl(field theirs, beast::string_view name, beast::string_view value,
                       beast::error_code& ec) override {
        const Field field = make_field(theirs, to_std(name), to_std(value));
        take_field(field, ec);
        switch (field.id) {
            case FieldName::keep_alive:
                take_timeout(field.value);
                break;
            case FieldName::date:
                head_.has_date = true;
                break;
            case FieldName::content_type:
                head_.event_stream = iequals(trim(field.value.substr(0, field.value.find(';'))),
                                             "text/event-stream");
                break;
            default:
                break;
        }
    }

    void take_timeout(std::string_view value) {
        for_each_element(value, [this](std::string_view parameter) {
            if (parameter.size() < 8 || !iequals(parameter.substr(0, 8), "timeout=")) return;
            const auto number = parameter.substr(8);
            std::uint32_t seconds = 0;
            if (std::from_chars(number.data(), number.data() + number.size(), seconds).ec ==
                std::errc{})
                head_.keep_alive_timeout_s = std::max(seconds, 1u);
        });
    }

    void on_header_impl(beast::error_code& ec) override {
        if (!rules_.consistent(head_.version)) refuse(ec, errc::bad_request, unclear_length);
        if (head_.informational() && rules_.declares_body())
            refuse(ec, errc::bad_request, "an interim response with a body");
        // RFC 9110 15.2.2: a 101 names the new protocol.
        if (head_.status == 101) head_.upgrade = rules_.upgrade();
        if (head_.status == 101 && head_.upgrade.empty())
            refuse(ec, errc::bad_request, "a 101 that names no protocol in Upgrade");
        // RFC 9110 15.5.22: a 426 names the required protocol.
        if (head_.status == 426) head_.upgrade = rules_.upgrade_value();
        head_.framing = framing();
        head_.content_length = rules_.length();
        head_.has_content_length = rules_.has_length() && head_.status != 204;
        head_.tells_content = rules_.framing() == Framing::chunked || rules_.length() != 0;
        head_.names_hop_fields = rules_.names_fields();
        // A 204 that declares a body (RFC 9110 8.6 forbids it) leaves its bytes on the connection.
        head_.announces_close = !rules_.keep_alive(head_.version);
        head_.keep_alive = !head_.announces_close && head_.framing != Framing::until_close &&
                           !(head_.status == 204 && rules_.declares_body());
    }

    // In the order of RFC 9112 6.3.
    Framing framing() const {
        if (to_head_ || head_.informational() || head_.status == 204 || head_.status == 304)
            return Framing::none;
        const Framing declared = rules_.framing();
        return declared == Framing::none ? Framing::until_close : declared;
    }

    bool to_head_;
    int most_status_;
};

// The size of `HTTP/1.1 200` and CRLF. RFC 9112 4 requires a blank after the code even without a
// reason phrase. Some servers omit it; nginx, HAProxy and Go accept that, but Beast does not.
constexpr std::size_t bare_status_line_size = 14;

bool has_bare_status_line(std::string_view head) {
    return head.find("\r\n") == bare_status_line_size - 2;
}

// Passes a corrected status line, then the fields. After the line Beast wants more bytes; the
// second call reports an error in the line.
error_code put_response(ResponseParser& parser, ResponseHead& head, std::string_view bytes) {
    if (!has_bare_status_line(bytes)) return put_all(parser, bytes);
    std::array<char, bare_status_line_size + 1> line;
    std::ranges::copy(std::string_view(" \r\n"), line.end() - 3);
    std::ranges::copy(bytes.substr(0, bare_status_line_size - 2), line.begin());
    error_code error;
    const std::size_t used = parser.put(boost::asio::const_buffer(line.data(), line.size()), error);
    if (error != beast::http::error::need_more || used != line.size())
        return errc::upstream_bad_response;
    head.reason = {};
    return put_all(parser, bytes.substr(bare_status_line_size));
}

// CONTRACT 2.1: the end of such an answer must be known, although it is not forwarded. It may have
// malformed fields, too many, or an invalid status, as long as its framing is certain.
result<Progress> parse_malformed(ResponseHead& head, bool to_head) {
    static constexpr HeadLimits any{.max_headers = std::numeric_limits<std::size_t>::max()};
    const std::string_view bytes = head.bytes, complaint = head.complaint;
    const std::string rest = without_malformed_fields(bytes);
    reset(head);
    head.bytes = bytes;
    ResponseParser parser(head, any, to_head, any_status);
    const bool framed = !rest.empty() && !put_response(parser, head, rest) && head.status != 101;
    std::vector<Field>().swap(head.fields);  // they point into `rest`
    head.reason = head.upgrade = {};
    head.complaint = complaint;
    head.malformed = true;
    if (!framed) return error_code(errc::upstream_bad_response);
    return Progress::done;
}

}  // namespace

bool read_end(std::string_view bytes, bool to_head, ResponseHead& head) noexcept {
    static constexpr HeadLimits any;
    reset(head);
    head.bytes = bytes;
    ResponseParser parser(head, any, to_head, any_status);
    parser.keep_no_fields();
    const bool framed = !put_response(parser, head, bytes) && head.status != 101;
    head.reason = head.upgrade = {};
    head.malformed = true;
    return framed;
}

result<Progress> parse_response(std::string_view bytes, const HeadLimits& limits, bool to_head,
                                ResponseHead& head, std::size_t scanned) {
    const auto window = bytes.substr(0, limits.max_head);
    const auto end = find_head_end(window, 0, scanned);
    if (!end) return refused(head, errc::upstream_bad_response, no_head);
    // Refuses bytes that cannot begin a status line at once, without waiting for more.
    constexpr std::string_view begin = "HTTP/";
    if (*end == 0 && bytes.substr(0, begin.size()) != begin.substr(0, bytes.size()))
        return refused(head, errc::upstream_bad_response, "no status line");
    if (*end == 0) {
        if (bytes.size() < limits.max_head) return Progress::need_more;
        return refused(head, errc::upstream_bad_response, "a head longer than max_head");
    }
    reset(head);
    head.bytes = bytes.substr(0, *end);
    ResponseParser parser(head, limits, to_head);
    error_code error;
    try {
        error = put_response(parser, head, head.bytes);
    } catch (const std::bad_alloc&) {
        if (!read_end(head.bytes, to_head, head)) return error_code(errc::upstream_bad_response);
        head.complaint = "no memory for its fields";
        return Progress::done;
    }
    if (!error) return Progress::done;
    if (head.complaint.empty()) head.complaint = complaint_of(error);
    return parse_malformed(head, to_head);
}

}  // namespace ticketgate::http

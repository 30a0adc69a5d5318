#include "http/parser.hpp"

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <charconv>
#include <limits>

#include "base/text.hpp"
#include "http/complaint.hpp"
#include "http/framing.hpp"
#include "http/malformed.hpp"
#include "http/target.hpp"

namespace ticketgate::http {
namespace {

namespace beast = boost::beast;
using beast::http::field;

constexpr std::size_t max_method = 32;  // the longest registered one is 17 (UPDATEREDIRECTREF)

std::string_view to_std(beast::string_view text) {
    return {text.data(), text.size()};
}

// Beast has already hashed the name; its enum becomes ours by one look-up.
constexpr auto listed_names = [] {
    std::array<FieldName, 512> names{};
    const auto set = [&](field theirs, FieldName ours) {
        names[static_cast<std::size_t>(theirs)] = ours;
    };
    set(field::connection, FieldName::connection);
    set(field::keep_alive, FieldName::keep_alive);
    set(field::proxy_connection, FieldName::proxy_connection);
    set(field::te, FieldName::te);
    set(field::trailer, FieldName::trailer);
    set(field::transfer_encoding, FieldName::transfer_encoding);
    set(field::upgrade, FieldName::upgrade);
    set(field::content_length, FieldName::content_length);
    set(field::content_type, FieldName::content_type);
    set(field::expect, FieldName::expect);
    set(field::host, FieldName::host);
    set(field::via, FieldName::via);
    set(field::forwarded, FieldName::forwarded);
    set(field::user_agent, FieldName::user_agent);
    set(field::referer, FieldName::referer);
    set(field::date, FieldName::date);
    set(field::location, FieldName::location);
    set(field::max_forwards, FieldName::max_forwards);
    return names;
}();

struct Unlisted {
    std::string_view name;
    FieldName id;
};

constexpr std::array unlisted_names{
    Unlisted{"Proxy", FieldName::proxy},
    Unlisted{"Refresh", FieldName::refresh},
    Unlisted{"Server-Timing", FieldName::server_timing},
    Unlisted{"X-Forwarded-For", FieldName::x_forwarded_for},
    Unlisted{"X-Request-Start", FieldName::x_request_start},
    Unlisted{"X-Forwarded-Host", FieldName::x_forwarded_host},
    Unlisted{"X-Forwarded-Port", FieldName::x_forwarded_port},
    Unlisted{"X-Forwarded-Proto", FieldName::x_forwarded_proto},
    Unlisted{"X-Accel-Buffering", FieldName::x_accel_buffering},
};

FieldName field_name(field theirs, std::string_view name) {
    if (theirs != field::unknown) return listed_names[static_cast<std::size_t>(theirs)];
    for (const Unlisted& known : unlisted_names)
        if (known.name.size() == name.size() && iequals(known.name, name)) return known.id;
    return is_usual_name(name) ? FieldName::other : FieldName::unusual;
}

// Only ever called for a head that is whole and without obs-fold, so the CRLF is there and the
// views are into it.
Field make_field(field theirs, std::string_view name, std::string_view value) {
    const char* end = value.data() + value.size();
    while (*end != '\r') ++end;  // whitespace behind the value
    const auto length = static_cast<std::size_t>(end + 2 - name.data());
    return {field_name(theirs, name), name, value, {name.data(), length}};
}

// What requests and responses share: fields kept as views, rules asked, Beast's body machinery
// unused.
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
        else
            head_.fields.push_back(field);
    }

    // The first complaint counts.
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
};

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
            refuse(ec, errc::bad_request, "a method longer than any");
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

    // RFC 9112 3.2: exactly one Host in 1.1; more than one, or a bad one, is an attack on routing.
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

    // RFC 9110 7.6.2: only OPTIONS and TRACE must heed it. What is beyond our count is lowered to
    // it.
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

    // RFC 9112 3.2.2: the authority of an absolute-form counts, so Host must say the same.
    bool host_fits() {
        const auto authority = authority_of(head_.target);
        if (has_host_) return authority.empty() || iequals(authority, head_.host);
        head_.host = authority;
        return head_.version < 11;
    }

    void on_header_impl(beast::error_code& ec) override {
        if (!rules_.consistent(head_.version))
            refuse(ec, errc::bad_request,
                   "Transfer-Encoding beside Content-Length, or in a version that has none");
        if (!host_fits())
            refuse(ec, errc::bad_request, "no Host, or one that differs from the target's");
        head_.framing = rules_.framing();
        head_.content_length = rules_.length();
        head_.keep_alive = rules_.keep_alive(head_.version);
        head_.names_hop_fields = rules_.names_fields();
        if (head_.version >= 11) head_.upgrade = rules_.upgrade();
        // RFC 9110 10.1.1: not from a 1.0 client, and pointless when no body follows.
        head_.expects_continue = expects_continue_ && head_.version >= 11 && rules_.declares_body();
    }

    bool has_host_ = false, expects_continue_ = false;
};

constexpr int largest_status = 599;

class ResponseParser final : public HeadParser<false, ResponseHead> {
 public:
    ResponseParser(ResponseHead& head, const HeadLimits& limits, bool to_head,
                   int most_status = largest_status)
        : HeadParser(head, limits), to_head_(to_head), most_status_(most_status) {}

 private:
    void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int,
                         beast::error_code&) override {}

    void on_response_impl(int status, beast::string_view reason, int version,
                          beast::error_code& ec) override {
        if (status < 100 || status > most_status_)
            refuse(ec, errc::bad_request, "a status that is none");
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
            case FieldName::x_accel_buffering:
                head_.unbuffered |= iequals(field.value, "no");
                break;
            case FieldName::content_type:
                head_.event_stream = iequals(trim(field.value.substr(0, field.value.find(';'))),
                                             "text/event-stream");
                head_.unbuffered |= head_.event_stream;
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
        if (!rules_.consistent(head_.version) || (head_.informational() && rules_.declares_body()))
            ec = errc::bad_request;
        // RFC 9110 15.2.2: a 101 says to what it switches.
        if (head_.status == 101) head_.upgrade = rules_.upgrade();
        if (head_.status == 101 && head_.upgrade.empty()) ec = errc::bad_request;
        // RFC 9110 15.5.22: so does a 426, of what it wants to be asked.
        if (head_.status == 426) head_.upgrade = rules_.upgrade_value();
        head_.framing = framing();
        head_.content_length = rules_.length();
        head_.has_content_length = rules_.has_length() && head_.status != 204;
        head_.tells_content = rules_.framing() == Framing::chunked || rules_.length() != 0;
        head_.names_hop_fields = rules_.names_fields();
        // A 204 with a body ahead (RFC 9110 8.6 forbids it) leaves its bytes on the connection.
        head_.announces_close = !rules_.keep_alive(head_.version);
        head_.keep_alive = !head_.announces_close && head_.framing != Framing::until_close &&
                           !(head_.status == 204 && rules_.declares_body());
    }

    // RFC 9112 6.3, in its order.
    Framing framing() const {
        if (to_head_ || head_.informational() || head_.status == 204 || head_.status == 304)
            return Framing::none;
        const Framing declared = rules_.framing();
        return declared == Framing::none ? Framing::until_close : declared;
    }

    bool to_head_;
    int most_status_;
};

// The fields keep their capacity: no allocation per head in steady state.
template <class Head>
void reset(Head& head) {
    auto fields = std::move(head.fields);
    fields.clear();
    head = {};
    head.fields = std::move(fields);
}

// One call over exactly the rest of the head; anything but all of it used up means that we and
// Beast disagree.
template <class Parser>
error_code put_all(Parser& parser, std::string_view head) {
    error_code error;
    const std::size_t used = parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
    if (!error && (used != head.size() || !parser.is_header_done())) error = errc::bad_request;
    return error;
}

// `HTTP/1.1 200` and its CRLF. RFC 9112 4 wants a blank behind the code even where no reason phrase
// follows; servers leave it out, and nginx, HAProxy and Go read on. Beast does not.
constexpr std::size_t bare_status_line_size = 14;

bool has_bare_status_line(std::string_view head) {
    return head.find("\r\n") == bare_status_line_size - 2;
}

// The line as it should be, then the fields. Beast says that it needs more behind the line; a fault
// in the line is found by the second call.
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

// Bytes that cannot begin a request (a TLS handshake on a plain port) are refused without waiting
// for more.
bool may_begin_request(std::string_view bytes) {
    return bytes.empty() || bytes == "\r" || is_token_char(bytes[0]);
}

// RFC 9112 3: a target longer than we read is 414. It is one if not even the request line has
// ended.
error_code too_large(std::string_view head) {
    const bool line_open = head.find('\n') == std::string_view::npos;
    const bool target_begun = head.substr(0, max_method + 1).find(' ') != std::string_view::npos;
    return line_open && target_begun ? errc::uri_too_long : errc::head_too_large;
}

// Does the request line end in a well-formed version of another major (RFC 9110 15.6.6)?
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

constexpr std::string_view no_head = "a bare LF, or a line that begins with a blank";

// Of what is no head as yet.
template <class Head>
error_code refused(Head& head, error_code error, std::string_view complaint) {
    head.complaint = complaint;
    return error;
}

// CONTRACT 2.1: where such an answer ends is known, though it is forwarded to nobody. Its fields
// may be malformed, or too many, or its status none, as long as its framing is beyond doubt.
result<Progress> parse_malformed(ResponseHead& head, bool to_head) {
    static constexpr HeadLimits any{.max_headers = std::numeric_limits<std::size_t>::max()};
    constexpr int any_status = 999;
    const std::string_view bytes = head.bytes, complaint = head.complaint;
    const std::string rest = without_malformed_fields(bytes);
    reset(head);
    head.bytes = bytes;
    ResponseParser parser(head, any, to_head, any_status);
    const bool framed = !rest.empty() && !put_response(parser, head, rest) && head.status != 101;
    std::vector<Field>().swap(head.fields);  // views of what goes now
    head.reason = head.upgrade = {};
    head.complaint = complaint;
    head.malformed = true;
    if (!framed) return error_code(errc::upstream_bad_response);
    return Progress::done;
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
        return refused(head, errc::bad_request, "a first byte that begins no request");
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

result<Progress> parse_response(std::string_view bytes, const HeadLimits& limits, bool to_head,
                                ResponseHead& head, std::size_t scanned) {
    const auto window = bytes.substr(0, limits.max_head);
    const auto end = find_head_end(window, 0, scanned);
    if (!end) return refused(head, errc::upstream_bad_response, no_head);
    if (*end == 0) {
        if (bytes.size() < limits.max_head) return Progress::need_more;
        return refused(head, errc::upstream_bad_response, "a head longer than max_head");
    }
    reset(head);
    head.bytes = bytes.substr(0, *end);
    ResponseParser parser(head, limits, to_head);
    const auto error = put_response(parser, head, head.bytes);
    if (!error) return Progress::done;
    if (head.complaint.empty()) head.complaint = complaint_of(error);
    return parse_malformed(head, to_head);
}

}  // namespace ticketgate::http

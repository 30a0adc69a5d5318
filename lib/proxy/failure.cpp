#include "proxy/failure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"
#include "config/body_text.hpp"
#include "log/escape.hpp"
#include "proxy/failure_page.hpp"

namespace ticketgate {
namespace {

struct Meaning {
    errc code;
    std::uint16_t status;
};

// 421 for an outdated handshake: the client may ask again on another connection.
constexpr std::array meanings{
    Meaning{errc::bad_request, 400},
    Meaning{errc::head_timeout, 408},
    Meaning{errc::body_timeout, 408},
    Meaning{errc::body_too_large, 413},
    Meaning{errc::uri_too_long, 414},
    Meaning{errc::head_too_large, 431},
    Meaning{errc::expectation_failed, 417},
    Meaning{errc::method_refused, 405},
    Meaning{errc::version_refused, 505},
    Meaning{errc::too_many_connections, 429},
    Meaning{errc::last_hop, 204},
    Meaning{errc::plain_http, 400},
    Meaning{errc::handshake_outdated, 421},
    Meaning{errc::no_route, 404},
    Meaning{errc::no_file, 404},
    Meaning{errc::queue_full, 503},
    Meaning{errc::wait_timeout, 503},
    Meaning{errc::call_accepted, 202},
    Meaning{errc::inside_call, 508},
    Meaning{errc::draining, 503},
    Meaning{errc::stopped, 502},
    Meaning{errc::slot_revoked, 503},
    Meaning{errc::not_a_replica, 403},
    Meaning{errc::line_moved, 503},
    Meaning{errc::cluster_away, 503},
    Meaning{errc::word_given, 204},
    Meaning{errc::no_word, 409},
    Meaning{errc::keeper_lost, 502},
    Meaning{errc::keeper_silent, 504},
    Meaning{errc::upstream_refused, 502},
    Meaning{errc::upstream_untrusted, 502},
    Meaning{errc::upstream_connect_timeout, 504},
    Meaning{errc::upstream_broke, 502},
    Meaning{errc::upstream_bad_response, 502},
    Meaning{errc::upstream_lost, 502},
    Meaning{errc::upstream_timeout, 504},
    Meaning{errc::upstream_overloaded, 503},
    Meaning{errc::spool_full, 503},
    Meaning{errc::spool_lost, 502},
    Meaning{errc::input_full, 503},
    Meaning{errc::files_busy, 503},
    Meaning{errc::file_late, 504},
    Meaning{errc::file_lost, 500},
    Meaning{errc::internal, 500},
    Meaning{errc::client_closed, 499},
    Meaning{errc::misdirected, 421},
};

constexpr std::array<std::pair<std::uint16_t, std::string_view>, 34> reasons{{
    {200, "OK"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {304, "Not Modified"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {425, "Too Early"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {508, "Loop Detected"},
}};

bool is(error_code failure, std::initializer_list<errc> codes) {
    return std::any_of(codes.begin(), codes.end(), [&](errc code) { return failure == code; });
}

bool of_backend(error_code failure) {
    return is(failure, {errc::upstream_refused, errc::upstream_untrusted,
                        errc::upstream_connect_timeout, errc::upstream_broke, errc::upstream_lost,
                        errc::upstream_bad_response, errc::upstream_timeout,
                        errc::upstream_overloaded, errc::keeper_lost, errc::keeper_silent});
}

const config::Answer* answer_of(error_code failure, const config::Settings* settings) {
    if (settings == nullptr) return nullptr;
    if (failure == errc::queue_full) return &settings->on_full;
    if (failure == errc::wait_timeout) return &settings->on_wait_timeout;
    if (is(failure, {errc::cluster_away, errc::line_moved})) return &settings->on_cluster_away;
    return of_backend(failure) ? &settings->on_backend_error : nullptr;
}

std::string json_text(std::string_view text) {
    std::string out = "\"";
    append_json(out, text);
    return out += '"';
}

std::string waited_ms(const FailureFacts& facts) {
    return std::to_string(
        std::chrono::duration_cast<milliseconds>(facts.record.queue_wait).count());
}

// RFC 9457, with the facts of the request as extension members.
std::string problem_document(error_code failure, std::uint16_t status, const FailureFacts& facts) {
    const Record& record = facts.record;
    std::string out = "{\"type\":\"about:blank\",\"title\":" + json_text(reason_phrase(status)) +
                      ",\"status\":" + std::to_string(status) +
                      ",\"detail\":" + json_text(failure.message()) +
                      ",\"request_id\":" + json_text(record.request_id.view()) +
                      ",\"unique_id\":" + json_text(record.unique_id.view());
    if (!record.queue.empty()) {
        out += ",\"queue\":" + json_text(record.queue) + ",\"waited_ms\":" + waited_ms(facts) +
               ",\"waiting\":" + std::to_string(facts.waiting);
    }
    if (passes_with_time(failure)) out += ",\"retry_after\":" + std::to_string(facts.retry_after);
    return out + "}\n";
}

std::string placeholder(std::string_view name, const FailureFacts& facts) {
    const Record& record = facts.record;
    if (name == "request_id") return std::string(record.request_id.view());
    if (name == "unique_id") return std::string(record.unique_id.view());
    if (name == "queue") return std::string(record.queue);
    if (name == "waited_ms") return waited_ms(facts);
    if (name == "waiting") return std::to_string(facts.waiting);
    return std::to_string(facts.retry_after);
}

// The body of an answer and what stands in its head because of it.
struct Content {
    std::string type;
    FailureBody body;
    std::string_view policy = {};
    bool varies = false;  // another Accept may get another
};

// A body of the config is for everybody, unless it has a page beside it.
bool has_page(const config::Answer* answer) {
    using Kind = config::Page::Kind;
    if (answer == nullptr) return true;
    if (answer->page.kind == Kind::automatic) return !answer->body;
    return answer->page.kind != Kind::off;
}

Content page_of(error_code failure, std::uint16_t status, const config::Answer* answer,
                const FailureFacts& facts) {
    const char* const type = "text/html; charset=utf-8";
    if (answer != nullptr && answer->page.kind == config::Page::Kind::own)
        return {type, FailureBody(answer->page.text, facts, true)};
    return {type, FailureBody(failure_page(failure, status, facts)), page_policy};
}

Content document_of(error_code failure, std::uint16_t status, const config::Answer* answer,
                    const FailureFacts& facts) {
    if (answer != nullptr && answer->body)
        return {answer->content_type, FailureBody(*answer->body, facts, false)};
    return {"application/problem+json", FailureBody(problem_document(failure, status, facts))};
}

Content content_of(error_code failure, std::uint16_t status, const config::Answer* answer,
                   const FailureFacts& facts) {
    const bool page = has_page(answer);
    Content content = page && facts.html ? page_of(failure, status, answer, facts)
                                         : document_of(failure, status, answer, facts);
    content.varies = page;
    return content;
}

// A Retry-After of the config in seconds (RFC 9110 10.2.3) counts for the text of the answer, too.
std::uint32_t retry_after_of(const config::Answer* answer, std::uint32_t computed) {
    if (answer == nullptr) return computed;
    for (const auto& [name, value] : answer->headers) {
        std::uint32_t set = 0;
        const char* const end = value.data() + value.size();
        if (iequals(name, "Retry-After") && std::from_chars(value.data(), end, set).ptr == end)
            return set;
    }
    return computed;
}

// Appends a header of ticketgate's own, unless the configured answer sets the same one.
void append_default(std::string& out, const config::Answer* answer, std::string_view name,
                    std::string_view value) {
    const auto says = [&](const auto& field) { return iequals(field.first, name); };
    if (answer != nullptr && std::ranges::any_of(answer->headers, says)) return;
    out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

FailureBody::FailureBody(std::string_view text, const FailureFacts& facts, bool escaped)
    : rest_(text), facts_(facts), escaped_(escaped) {
    config::for_each_piece(
        text, [this](std::string_view piece) { size_ += piece.size(); },
        [this](std::string_view name) { size_ += value_of(name).size(); });
}

std::string FailureBody::value_of(std::string_view name) const {
    auto value = placeholder(name, *facts_);
    if (!escaped_) return value;
    std::string out;
    append_html(out, value);
    return out;
}

std::string_view FailureBody::next() {
    if (!made_.empty()) return value_ = std::exchange(made_, {});
    while (after_.empty() && !rest_.empty()) {
        const auto piece = config::take_piece(rest_);
        value_ = piece.name.empty() ? std::string() : value_of(piece.name);
        after_ = piece.name.empty() ? piece.more_text : value_;
        if (!piece.text.empty()) return piece.text;
    }
    return std::exchange(after_, {});
}

std::uint16_t status_of(error_code failure, const config::Settings* settings) {
    const config::Answer* answer = answer_of(failure, settings);
    if (answer != nullptr && (!of_backend(failure) || settings->on_backend_error_status_set))
        return answer->status;
    for (const Meaning& meaning : meanings)
        if (failure == meaning.code) return meaning.status;
    return 500;
}

std::string_view reason_phrase(std::uint16_t status) {
    for (const auto& [code, phrase] : reasons)
        if (code == status) return phrase;
    return status < 500 ? "Client Error" : "Server Error";
}

bool passes_with_time(error_code failure) {
    return is(failure, {errc::queue_full, errc::wait_timeout, errc::draining, errc::slot_revoked,
                        errc::line_moved, errc::cluster_away, errc::spool_full, errc::input_full,
                        errc::files_busy, errc::file_late, errc::too_many_connections,
                        errc::upstream_overloaded});
}

FailureResponse failure_response(error_code failure, const config::Settings* settings,
                                 const FailureFacts& known, std::string_view added, bool keep_alive,
                                 http::AsksFor asked) {
    const std::uint16_t status = status_of(failure, settings);
    const config::Answer* answer = answer_of(failure, settings);
    FailureFacts facts = known;
    facts.retry_after = retry_after_of(answer, known.retry_after);
    const bool has_content = status != 204 && asked != http::AsksFor::unknown;
    Content content = has_content ? content_of(failure, status, answer, facts) : Content{};

    std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
    out.append(reason_phrase(status)).append("\r\n");
    if (!content.type.empty()) out.append("Content-Type: " + content.type + "\r\n");
    if (status != 204)
        out.append("Content-Length: " + std::to_string(content.body.size()) + "\r\n");
    if (content.varies) out.append("Vary: Accept\r\n");
    if (!content.policy.empty())
        append_default(out, answer, "Content-Security-Policy", content.policy);
    append_default(out, answer, "Cache-Control", "no-store");
    if (passes_with_time(failure))
        append_default(out, answer, "Retry-After", std::to_string(facts.retry_after));
    if (is(failure, {errc::method_refused, errc::last_hop}))
        append_default(out, answer, "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    if (answer != nullptr)
        for (const auto& [name, value] : answer->headers)
            out.append(name).append(": ").append(value).append("\r\n");
    out.append(added);
    if (!keep_alive) out.append("Connection: close\r\n");
    out.append("\r\n");
    if (asked == http::AsksFor::body) return {std::move(out), std::move(content.body)};
    return {std::move(out), {}};
}

}  // namespace ticketgate

#include "log/access.hpp"

#include "base/milliseconds.hpp"
#include "base/text.hpp"
#include "log/escape.hpp"
#include "log/timestamp.hpp"

namespace ticketgate {
namespace {

void append_number(std::string& out, std::uint64_t value) {
    out.append(std::string_view(Decimal(value)));
}

// Keys come with their punctuation, `,"key":`, so that each is one append.
void text(std::string& out, std::string_view key, std::string_view value) {
    out.append(key);
    out.push_back('"');
    append_json(out, value);
    out.push_back('"');
}

void number(std::string& out, std::string_view key, std::uint64_t value) {
    out.append(key);
    append_number(out, value);
}

void ms(std::string& out, std::string_view key, Duration value) {
    const Milliseconds number(value);
    append_all(out, key, number.whole(), number.places());
}

// Names have only A-Z a-z 0-9 _ . - (config/syntax) and stand under a key of their own, so none can
// pass for another field of the line.
void append_ids(const Record& r, std::string& out) {
    out.append(R"(,"ids":{)");
    for (const auto& [name, id] : r.other_ids) {
        if (out.back() != '{') out.push_back(',');
        out.append("\"").append(name).append("\":\"");
        append_json(out, id.view());
        out.push_back('"');
    }
    out.push_back('}');
}

void append_tls(const Record& r, std::string& out) {
    text(out, R"(,"tls":)", r.tls);
    text(out, R"(,"tls_cipher":)", r.tls_cipher);
    if (r.client_certificate) text(out, R"(,"client_certificate":)", *r.client_certificate);
}

void append_place(const Record& r, std::string& out) {
    if (r.queue.empty()) return;
    text(out, R"(,"queue":)", r.queue);
    if (r.number != 0) number(out, R"(,"number":)", r.number);
    number(out, R"(,"position":)", r.position);
    ms(out, R"(,"queue_wait_ms":)", r.queue_wait);
    if (r.outcome == Outcome::admitted || r.hold != Duration{0}) ms(out, R"(,"hold_ms":)", r.hold);
    if (r.blocked_by != 0) number(out, R"(,"blocked_by":)", r.blocked_by);
    if (r.inside_of != 0) number(out, R"(,"inside_of":)", r.inside_of);
}

void append_cluster(const ClusterPart& part, std::string& out) {
    if (part.token != 0) number(out, R"(,"token":)", part.token);
    if (!part.forwarded_to.empty()) text(out, R"(,"forwarded_to":)", part.forwarded_to);
    if (!part.forwarded_by.empty()) text(out, R"(,"forwarded_by":)", part.forwarded_by);
}

void append_upstream(const Record& r, std::string& out) {
    if (r.upstream != Duration::zero() || r.upstream_status != 0)
        ms(out, R"(,"upstream_ms":)", r.upstream);
    if (r.upstream_status != 0) number(out, R"(,"upstream_status":)", r.upstream_status);
}

void quoted(std::string& out, std::string_view value) {
    out.append(" \"");
    append_quoted(out, value.empty() ? "-" : value);
    out.push_back('"');
}

}  // namespace

std::string_view name(Outcome outcome) {
    switch (outcome) {
        case Outcome::bypass:
            return "bypass";
        case Outcome::file:
            return "file";
        case Outcome::admitted:
            return "admitted";
        case Outcome::forwarded:
            return "forwarded";
        case Outcome::away:
            return "away";
        case Outcome::full:
            return "full";
        case Outcome::timeout:
            return "timeout";
        case Outcome::client_closed:
            return "client_closed";
        case Outcome::draining:
            return "draining";
        case Outcome::released:
            return "released";
        case Outcome::refused:
            return "refused";
    }
    return "unknown";
}

void format_json(const Record& r, std::string& out) {
    out.append(R"({"time":")");
    append_rfc3339(out, r.received);
    text(out, R"(","request_id":)", r.request_id.view());
    if (!r.unique_id.empty()) text(out, R"(,"unique_id":)", r.unique_id.view());
    if (!r.other_ids.empty()) append_ids(r, out);
    text(out, R"(,"client_ip":)", r.client_ip);
    if (!r.tls.empty()) append_tls(r, out);
    text(out, R"(,"method":)", r.method);
    text(out, R"(,"path":)", r.target);
    number(out, R"(,"status":)", r.status);
    number(out, R"(,"bytes":)", r.bytes);
    ms(out, R"(,"duration_ms":)", r.duration);
    text(out, R"(,"outcome":)", name(r.outcome));
    append_place(r, out);
    if (r.cluster) append_cluster(*r.cluster, out);
    append_upstream(r, out);
    if (r.orphaned) out.append(R"(,"orphaned":true)");
    if (r.cut) out.append(R"(,"cut":true)");
    if (!r.trace_id.empty()) text(out, R"(,"trace_id":)", r.trace_id);
    out.append("}\n");
}

// `-`, as httpd writes it, if the request line could not be read.
void append_request_line(const Record& r, std::string& out) {
    if (r.method.empty()) return out.push_back('-');
    append_quoted(out, r.method);
    out.push_back(' ');
    append_quoted(out, r.target);
    out.append(r.http_1_0 ? " HTTP/1.0" : " HTTP/1.1");
}

void format_combined(const Record& r, std::string& out) {
    append_quoted(out, r.client_ip.empty() ? "-" : r.client_ip);
    out.append(" - - [");
    append_clf(out, r.received);
    out.append("] \"");
    append_request_line(r, out);
    out.append("\" ");
    append_number(out, r.status);
    out.push_back(' ');
    if (r.bytes == 0)
        out.push_back('-');  // as httpd's %b
    else
        append_number(out, r.bytes);
    quoted(out, r.sent_by ? r.sent_by->referer : std::string_view());
    quoted(out, r.sent_by ? r.sent_by->user_agent : std::string_view());
    out.push_back(' ');
    append_quoted(out, r.request_id.empty() ? "-" : r.request_id.view());
    out.push_back(' ');
    append_quoted(out, r.unique_id.empty() ? "-" : r.unique_id.view());
    out.push_back('\n');
}

}  // namespace ticketgate

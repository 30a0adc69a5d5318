#include "trace/spans.hpp"

#include <algorithm>
#include <array>

namespace ticketgate::trace {
namespace {

// Any other method is data of a client, which may not become the name of a span.
bool is_known(std::string_view method) {
    constexpr std::array<std::string_view, 9> known{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS",
                                                    "PATCH",   "POST",   "PUT", "TRACE"};
    return std::ranges::find(known, method) != known.end();
}

void add(Span& span, std::string_view name, Span::Value value) {
    span.attributes.emplace_back(name, std::move(value));
}

void add_text(Span& span, std::string_view name, const std::string& text) {
    if (!text.empty()) add(span, name, text);
}

void add_method(Span& span, const std::string& method) {
    if (method.empty()) return;
    const bool known = is_known(method);
    add(span, "http.request.method", known ? method : "_OTHER");
    if (!known) add(span, "http.request.method_original", method);
}

void add_status(Span& span, std::uint16_t status, std::uint16_t first_error) {
    if (status != 0) add(span, "http.response.status_code", std::int64_t{status});
    span.failed = status == 0 || status >= first_error;
    if (status >= first_error) add(span, "error.type", std::to_string(status));
}

void add_place(Span& span, const Finished& request) {
    if (request.queue.empty()) return;
    add(span, "ticketgate.queue", request.queue);
    if (request.number != 0)
        add(span, "ticketgate.ticket", static_cast<std::int64_t>(request.number));
}

std::string name_of(const Finished& request) {
    return is_known(request.method) ? request.method : "HTTP";
}

void time(Span& span, const Finished& request, const Part& part) {
    span.begin_ns = request.received.unix_us * 1000 + part.from.count();
    span.end_ns = span.begin_ns + std::max(part.time, Duration(0)).count();
}

Span child(const Finished& request, const SpanId& id, const char* name, const Part& part) {
    Span span;
    span.trace = request.own.trace;
    span.id = id;
    span.parent = request.own.span;
    span.state = request.state;
    span.flags = request.own.flags;
    span.name = name;
    time(span, request, part);
    return span;
}

Span request_span(const Finished& request) {
    Span span = child(request, request.own.span, "", request.whole);
    span.parent = request.parent;
    span.remote_parent = request.parent.has_value();
    span.name = name_of(request);
    span.kind = SpanKind::server;
    add_method(span, request.method);
    add_text(span, "url.path", request.path);
    add(span, "url.scheme", std::string(request.https ? "https" : "http"));
    add_text(span, "client.address", request.client);
    add_status(span, request.status, 500);
    add_text(span, "ticketgate.request_id", request.request_id);
    add(span, "ticketgate.outcome", std::string(request.outcome));
    add_place(span, request);
    if (request.orphaned) add(span, "ticketgate.orphaned", true);
    return span;
}

Span wait_span(const Finished& request) {
    Span span = child(request, request.wait, "wait", *request.waited);
    add_place(span, request);
    add(span, "ticketgate.position", std::int64_t{request.position});
    return span;
}

Span hold_span(const Finished& request) {
    Span span = child(request, request.hold, "hold", *request.held);
    add_place(span, request);
    return span;
}

Span backend_span(const Finished& request) {
    Span span = child(request, request.backend_span, "", *request.backend);
    span.name = name_of(request);
    span.kind = SpanKind::client;
    add_method(span, request.method);
    add_text(span, "server.address", request.server);
    if (request.port != 0) add(span, "server.port", std::int64_t{request.port});
    add_status(span, request.backend_status, 400);
    add_text(span, "ticketgate.upstream", request.upstream);
    return span;
}

}  // namespace

std::vector<Span> spans_of(const Finished& request) {
    std::vector<Span> spans;
    spans.reserve(request.spans());
    spans.push_back(request_span(request));
    if (request.waited) spans.push_back(wait_span(request));
    if (request.held) spans.push_back(hold_span(request));
    if (request.backend) spans.push_back(backend_span(request));
    return spans;
}

}  // namespace ticketgate::trace

#include "proxy/tracing.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "http/target.hpp"
#include "proxy/request.hpp"

namespace ticketgate {
namespace {

using trace::Part;

struct Sent {
    std::optional<trace::Traceparent> parent;
    std::string state;
};

// Two parents are none: nobody could tell which is meant. Lines of `tracestate` are one list.
Sent sent_by(const http::RequestHead& head) {
    Sent sent;
    int parents = 0;
    for (const auto& field : head.fields) {
        if (iequals(field.name, "traceparent"))
            sent.parent = ++parents == 1 ? trace::read_traceparent(field.value) : std::nullopt;
        if (iequals(field.name, "tracestate") && !field.value.empty())
            sent.state.append(sent.state.empty() ? "" : ",").append(field.value);
    }
    return sent;
}

ids::Id random_id(ids::Generator& ids) {
    return ids.next(ids::Format::hex128, {});
}

trace::Traceparent new_trace(ids::Generator& ids, config::Share sampled) {
    trace::Traceparent own;
    own.trace = trace::trace_id(random_id(ids).view());
    own.flags = trace::random_flag;
    if (trace::is_in_sample(own.trace, sampled.millionths)) own.flags |= trace::sampled_flag;
    return own;
}

// The time in line. Where another replica has the line, that one tells it.
std::optional<Part> wait_of(const Request& request) {
    const Record& record = request.record;
    const trace::Begun& begun = *request.trace;
    if (record.number == 0 || request.peer) return std::nullopt;
    const Time end = begun.granted.value_or(request.started + record.queue_wait);
    return Part{Duration(0), end - begun.received};
}

std::optional<Part> part_from(const std::optional<Time>& from, Duration time,
                              const trace::Begun& begun) {
    if (!from) return std::nullopt;
    return Part{*from - begun.received, time};
}

void describe_backend(const Request& request, trace::Finished& out) {
    if (!out.backend || request.route == nullptr) return;
    out.upstream = request.route->settings.upstream;
    if (request.peer) {
        out.server = request.record.cluster->forwarded_to;
        return;
    }
    const auto& known = request.snapshot->config.upstreams;
    const auto found = known.find(out.upstream);
    if (found == known.end()) return;
    const config::Upstream& upstream = found->second;
    out.server = upstream.host.empty() ? upstream.unix_path : upstream.host;
    out.port = upstream.host.empty() ? std::uint16_t{0} : upstream.port;
}

void describe_request(const Request& request, trace::Finished& out) {
    const Record& record = request.record;
    out.method = request.method.substr(0, trace::most_method);
    out.path = http::path_of(request.target).substr(0, trace::most_path);
    out.client = request.trace->client;
    out.https = request.trace->https;
    out.request_id = record.request_id.view();
    out.queue = record.queue;
    out.number = record.number;
    out.position = record.position;
    out.status = record.status;
    out.backend_status = record.upstream_status;
    out.outcome = name(record.outcome);
    out.orphaned = record.orphaned;
}

}  // namespace

std::unique_ptr<trace::Begun> begin_trace(const http::RequestHead& head,
                                          const config::Tracing& tracing, ids::Generator& ids) {
    Sent sent = sent_by(head);
    const bool passes = sent.parent ? !sent.parent->sampled() : tracing.begin.millionths == 0;
    if (passes) return nullptr;
    auto begun = std::make_unique<trace::Begun>();
    begun->own = sent.parent ? *sent.parent : new_trace(ids, tracing.begin);
    if (sent.parent) begun->parent = sent.parent->span;
    if (sent.parent && sent.state.size() <= trace::most_state) begun->state = std::move(sent.state);
    const auto spans = trace::span_ids(random_id(ids).view());
    begun->own.span = spans[0];
    begun->backend = spans[1];
    return begun;
}

void stamp_trace(const trace::Begun& begun, std::string& lines) {
    lines.append("traceparent: ");
    trace::append_traceparent(lines, {begun.own.trace, begun.backend, begun.own.flags});
    lines.append("\r\n");
}

trace::Finished finish_trace(const Request& request, ids::Generator& ids) {
    const trace::Begun& begun = *request.trace;
    const Record& record = request.record;
    const auto spans = trace::span_ids(random_id(ids).view());
    trace::Finished out;
    out.own = begun.own;
    out.parent = begun.parent;
    out.wait = spans[0];
    out.hold = spans[1];
    out.backend_span = begun.backend;
    out.state = begun.state;
    out.received = record.received;
    out.whole = {Duration(0), request.started - begun.received + record.duration};
    out.waited = wait_of(request);
    out.held = part_from(begun.granted, record.hold, begun);
    out.backend = part_from(begun.sent, record.upstream, begun);
    describe_request(request, out);
    describe_backend(request, out);
    return out;
}

}  // namespace ticketgate

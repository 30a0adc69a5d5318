#include "trace/otlp.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <charconv>

#include "log/escape.hpp"

namespace ticketgate::trace {
namespace {

namespace json = boost::json;

void text(std::string& out, std::string_view key, std::string_view value) {
    out.append(key);
    out.push_back('"');
    append_json(out, value);
    out.push_back('"');
}

// Numbers of 64 bits are texts in protobuf's JSON.
void number(std::string& out, std::string_view key, std::int64_t value) {
    out.append(key).append("\"").append(std::to_string(value)).append("\"");
}

struct ValueWriter {
    std::string& out;
    void operator()(const std::string& value) const { text(out, R"({"stringValue":)", value); }
    void operator()(std::int64_t value) const { number(out, R"({"intValue":)", value); }
    void operator()(bool value) const {
        out.append(R"({"boolValue":)").append(value ? "true" : "false");
    }
};

void attribute(std::string& out, std::string_view name, const Span::Value& value) {
    if (out.back() != '[') out.push_back(',');
    text(out, R"({"key":)", name);
    out.append(R"(,"value":)");
    std::visit(ValueWriter{out}, value);
    out.append("}}");
}

void resource(std::string& out, const Service& service) {
    out.append(R"({"attributes":[)");
    attribute(out, "service.name", service.name);
    attribute(out, "service.version", service.version);
    attribute(out, "service.instance.id", service.instance);
    out.append("]}");
}

// Bits 8 and 9: whether the parent is of another process is known, and is so (opentelemetry-proto,
// SpanFlags).
std::uint32_t flags_of(const Span& span) {
    constexpr std::uint32_t known = 0x100, remote = 0x200;
    return span.flags | known | (span.remote_parent ? remote : 0);
}

void encode(std::string& out, const Span& span) {
    text(out, R"({"traceId":)", view(span.trace));
    text(out, R"(,"spanId":)", view(span.id));
    if (!span.state.empty()) text(out, R"(,"traceState":)", span.state);
    if (span.parent) text(out, R"(,"parentSpanId":)", view(*span.parent));
    out.append(R"(,"flags":)").append(std::to_string(flags_of(span)));
    text(out, R"(,"name":)", span.name);
    out.append(R"(,"kind":)").append(std::to_string(static_cast<int>(span.kind)));
    number(out, R"(,"startTimeUnixNano":)", span.begin_ns);
    number(out, R"(,"endTimeUnixNano":)", span.end_ns);
    out.append(R"(,"attributes":[)");
    for (const auto& [name, value] : span.attributes) attribute(out, name, value);
    out.append(span.failed ? R"(],"status":{"code":2}})" : R"(],"status":{}})");
}

std::optional<json::object> object_in(const json::object& in, json::string_view key) {
    const json::value* const found = in.if_contains(key);
    return found != nullptr && found->is_object() ? std::optional(found->get_object())
                                                  : std::nullopt;
}

// The number is a text, as written by us, or a number, as some collectors write it.
std::uint64_t count_in(const json::value& value) {
    if (const auto* const number = value.if_int64())
        return *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
    std::uint64_t count = 0;
    if (const auto* const text = value.if_string())
        std::from_chars(text->data(), text->data() + text->size(), count);
    return count;
}

}  // namespace

std::string encode(const Service& service, std::span<const Span> spans) {
    constexpr std::size_t usual_size = 640;
    std::string out;
    out.reserve(256 + spans.size() * usual_size);
    out.append(R"({"resourceSpans":[{"resource":)");
    resource(out, service);
    out.append(R"(,"scopeSpans":[{"scope":{"name":"ticketgate"},"spans":[)");
    for (const Span& span : spans) {
        if (out.back() != '[') out.push_back(',');
        encode(out, span);
    }
    out.append("]}]}]}");
    return out;
}

Partial read_partial(std::string_view body) {
    Partial out;
    boost::system::error_code bad;
    const json::value value = json::parse(json::string_view(body.data(), body.size()), bad);
    if (bad || !value.is_object()) return out;
    const auto partial = object_in(value.get_object(), "partialSuccess");
    if (!partial) return out;
    if (const auto* const rejected = partial->if_contains("rejectedSpans"))
        out.rejected = count_in(*rejected);
    const auto* const why = partial->if_contains("errorMessage");
    if (why != nullptr && why->is_string())
        out.why.assign(why->get_string().data(), why->get_string().size());
    return out;
}

}  // namespace ticketgate::trace

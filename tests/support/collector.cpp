#include "support/collector.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <stdexcept>

#include "support/patience.hpp"

namespace ticketgate::test {
namespace {

namespace json = boost::json;

void demand(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

std::string text_in(const json::object& in, const char* key) {
    const json::value* const found = in.if_contains(key);
    demand(found != nullptr && found->is_string(), std::string(key) + " is not a text");
    return std::string(found->get_string());
}

std::string id_in(const json::object& in, const char* key, std::size_t size) {
    const std::string id = text_in(in, key);
    const bool good = id.size() == size && id.find_first_not_of("0123456789abcdef") == id.npos &&
                      id.find_first_not_of('0') != id.npos;
    demand(good, std::string(key) + " is no id: " + id);
    return id;
}

std::int64_t number_in(const json::object& in, const char* key) {
    const std::string digits = text_in(in, key);
    demand(!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos,
           std::string(key) + " is no number: " + digits);
    return std::stoll(digits);
}

std::string value_of(const json::object& value) {
    demand(value.size() == 1, "an attribute has not exactly one value");
    const auto& [kind, held] = *value.begin();
    if (kind == "stringValue") return std::string(held.as_string());
    if (kind == "intValue") return std::to_string(std::stoll(std::string(held.as_string())));
    demand(kind == "boolValue", "unknown kind of value: " + std::string(kind));
    return held.as_bool() ? "true" : "false";
}

std::map<std::string, std::string, std::less<>> attributes_of(const json::object& in) {
    std::map<std::string, std::string, std::less<>> out;
    for (const auto& one : in.at("attributes").as_array()) {
        const auto& attribute = one.as_object();
        const bool fresh =
            out.emplace(text_in(attribute, "key"), value_of(attribute.at("value").as_object()))
                .second;
        demand(fresh, "an attribute stands twice: " + text_in(attribute, "key"));
    }
    return out;
}

CollectedSpan span_of(const json::object& in) {
    CollectedSpan out;
    out.trace = id_in(in, "traceId", 32);
    out.id = id_in(in, "spanId", 16);
    if (in.contains("parentSpanId")) out.parent = id_in(in, "parentSpanId", 16);
    if (in.contains("traceState")) out.state = text_in(in, "traceState");
    out.name = text_in(in, "name");
    out.kind = static_cast<int>(in.at("kind").as_int64());
    out.begin = number_in(in, "startTimeUnixNano");
    out.end = number_in(in, "endTimeUnixNano");
    out.attributes = attributes_of(in);
    out.failed = in.at("status").as_object().contains("code");
    demand(!out.name.empty() && out.kind >= 1 && out.kind <= 5, "no name, or an unknown kind");
    demand(out.begin > 1'600'000'000'000'000'000 && out.end >= out.begin, "times of no span");
    return out;
}

std::vector<CollectedSpan> spans_of(const json::object& request) {
    std::vector<CollectedSpan> out;
    for (const auto& resource : request.at("resourceSpans").as_array()) {
        const auto who = attributes_of(resource.at("resource").as_object());
        for (const auto& scope : resource.at("scopeSpans").as_array())
            for (const auto& one : scope.at("spans").as_array()) {
                out.push_back(span_of(one.as_object()));
                out.back().service = who.at("service.name");
            }
    }
    demand(!out.empty(), "a post without spans");
    return out;
}

}  // namespace

void Collector::take() {
    backend_.on(path, [this](Call& call) {
        read(call.seen());
        call.respond(200, "{}", "Content-Type: application/json\r\n");
    });
}

void Collector::answer(int status, const std::string& body) {
    backend_.on(path, [=](Call& call) {
        call.respond(status, body, "Content-Type: application/json\r\n");
    });
}

void Collector::read(const Seen& post) {
    const std::scoped_lock guard(lock_);
    try {
        demand(post.method == "POST", "not a POST");
        demand(post.header("Content-Type") == "application/json", "not JSON");
        for (auto& span : spans_of(json::parse(post.body).as_object())) spans_.push_back(span);
    } catch (const std::exception& why) {
        fault_ = std::string(why.what()) + " in: " + post.body.substr(0, 2000);
    }
}

std::vector<CollectedSpan> Collector::spans(std::size_t at_least) const {
    const auto seen = [&] {
        const std::scoped_lock guard(lock_);
        return spans_.size() >= at_least || !fault_.empty();
    };
    const bool came = eventually(seen);
    const std::scoped_lock guard(lock_);
    EXPECT_TRUE(came) << spans_.size() << " spans came, and not " << at_least;
    EXPECT_EQ(fault_, "");
    return spans_;
}

CollectedSpan one_of(const std::vector<CollectedSpan>& spans, std::string_view name, int kind) {
    std::vector<CollectedSpan> found;
    for (const auto& span : spans)
        if (span.name == name && span.kind == kind) found.push_back(span);
    EXPECT_EQ(found.size(), 1u) << name << " of kind " << kind;
    return found.empty() ? CollectedSpan() : found.front();
}

}  // namespace ticketgate::test

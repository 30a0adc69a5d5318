// A request: parsed, its body read, routed, written for the backend, and read again by another
// parser. That must see one request, the same as we did.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "fuzz/bodies.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/second_parser.hpp"
#include "http/parser.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"

namespace ticketgate::fuzz {
namespace {

constexpr http::HeadLimits limits{.max_head = 4096, .max_uri = 1024, .max_headers = 32};
const std::array<std::string, 2> id_names{"x-request-id", "unique-id"};
const std::string stamps =
    "X-Request-Id: ours\r\nUNIQUE_ID: ours\r\nX-Forwarded-For: 127.0.0.1\r\nVia: 1.1 t\r\n";

struct Outcome {
    bool known = false, refused = false;
    error_code why;
    bool operator==(const Outcome&) const = default;
};

Outcome parse(std::string_view bytes, http::RequestHead& head, std::size_t scanned) {
    const auto progress = http::parse_request(bytes, limits, head, scanned);
    if (!progress) return {true, true, progress.error()};
    return {*progress == http::Progress::done, false, {}};
}

// The result does not depend on how the bytes arrive. Only the reason of a refusal may differ,
// because an incomplete head cannot be judged in full.
Outcome parse_in_pieces(std::string_view bytes, std::uint32_t seed, http::RequestHead& head) {
    Cuts cuts(seed);
    Outcome outcome;
    for (std::size_t here = 0; here < bytes.size() && !outcome.known;) {
        const std::size_t before = here;
        here += cuts.next(bytes.size() - here);
        outcome = parse(bytes.substr(0, here), head, before);
    }
    return outcome;
}

std::string added_to(const http::RequestHead& head) {
    const bool has_host = std::ranges::any_of(
        head.fields, [](const auto& field) { return field.id == http::FieldName::host; });
    if (has_host) return stamps;
    return stamps + "Host: " + (head.host.empty() ? "localhost" : std::string(head.host)) + "\r\n";
}

// The edits of the session.
http::RequestEdits edits_of(const http::RequestHead& head, const Decoded& body, bool queued,
                            unsigned how, std::string_view added) {
    http::RequestEdits edits;
    edits.id_names = id_names;
    edits.added = added;
    edits.keep_forwarded = (how & 1) != 0;
    edits.keep_unusual = (how & 2) != 0;
    edits.framing = head.framing;
    edits.content_length = head.content_length;
    if (queued && head.framing == http::Framing::chunked) {
        edits.framing = http::Framing::length;
        edits.content_length = body.payload.size();
    }
    return edits;
}

// Writes the request like the session; empty if there is no body to write.
std::string forwarded(const http::RequestHead& head, const Decoded& body,
                      const http::RequestEdits& edits) {
    std::string out;
    http::rewrite_request(head, edits, out);
    return out +
           (edits.framing == http::Framing::chunked ? chunked(body.payload, 5) : body.payload);
}

// The other parser has a list of methods; we accept any token.
std::string with_known_method(std::string text, std::string_view method) {
    return text.replace(0, method.size(), method == "OPTIONS" ? method : "POST");
}

void check_forwarded(const http::RequestHead& head, const Decoded& body, const std::string& text) {
    const auto seen = read_request(with_known_method(text, head.method));
    if (!seen.whole) std::fprintf(stderr, "%s\n%s\n", seen.fault.c_str(), text.c_str());
    expect(seen.whole, "another parser sees one whole request");
    expect(seen.body == body.payload, "with the same body");
    const bool absolute = !head.target.starts_with('/') && head.target != "*";
    expect(absolute || seen.target == head.target, "the target's own bytes");
    expect(!absolute || seen.target.starts_with('/') || seen.target == "*", "in origin-form");
    expect(seen.count("host") == 1, "one Host");
    expect(head.host.empty() || iequals(trim(seen.get("host")), head.host), "the same");
    expect(seen.count("content-length") + seen.count("transfer-encoding") <= 1, "one framing");
    for (const char* name : {"connection", "te", "trailer", "upgrade", "keep-alive", "proxy",
                             "proxy-connection", "expect", "content_length", "transfer_encoding"})
        expect(seen.count(name) == 0, name);
    for (const char* name : {"x-request-id", "unique_id", "x-forwarded-for"})
        expect(seen.count(name) == 1, name);
    for (const auto& [name, value] : seen.fields)
        expect(!http::same_cgi_name(name, "x-request-id") || value == "ours", "no id but ours");
}

// FastCGI's variables are made from views of the edited head.
void check_views(const http::RequestHead& edited, const http::RequestHead& read) {
    expect(edited.method == read.method && edited.target == read.target, "the same request line");
    expect(edited.host == read.host, "the same host");
    expect(edited.framing == read.framing && edited.content_length == read.content_length,
           "the same length");
    auto views = edited.fields.begin();
    for (const auto& field : read.fields) {
        if (field.id == http::FieldName::content_length) continue;
        if (field.id == http::FieldName::transfer_encoding) continue;
        expect(views != edited.fields.end() && views->line == field.line, "the same fields");
        expect(views->id == field.id && views->name == field.name && views->value == field.value,
               "with the same parts");
        ++views;
    }
    expect(views == edited.fields.end(), "and no more");
}

void check_again(const std::string& text, const http::RequestHead& edited) {
    http::RequestHead again;
    http::HeadLimits wide{.max_head = 64 << 10, .max_uri = 4096, .max_headers = 64};
    const auto progress = http::parse_request(text, wide, again);
    expect(progress && *progress == http::Progress::done, "what we write we accept");
    expect(again.keep_alive && again.version == 11, "as a request that may be followed by others");
    check_views(edited, again);
}

void check(std::string_view bytes, unsigned how) {
    http::RequestHead head, other;
    const Outcome whole = parse(bytes, head, 0);
    const Outcome pieces = parse_in_pieces(bytes, how, other);
    expect(whole.refused == pieces.refused || whole.refused, "pieces are not stricter");
    expect(whole.known || !pieces.known, "nor sooner done");
    if (!whole.known || whole.refused) return;
    expect(pieces.known && !pieces.refused && other.bytes == head.bytes, "and as whole as all");
    const http::BodyDecoder decoder(head.framing, head.content_length);
    const auto rest = bytes.substr(head.bytes.size());
    const auto body = decode(decoder, rest, 0);
    const auto in_pieces = decode(decoder, rest, how + 1);
    expect(body.broken == in_pieces.broken && body.done == in_pieces.done, "bodies in pieces too");
    expect(body.broken || body == in_pieces, "to the byte");
    std::string path;
    if (!body.done || head.max_forwards == 0 || confuses_second_parser(head.fields)) return;
    if (!http::normalise_path(http::path_of(head.target), path)) return;
    for (const bool queued : {false, true}) {
        const std::string added = added_to(head);
        const auto edits = edits_of(head, body, queued, how, added);
        const auto text = forwarded(head, body, edits);
        check_forwarded(head, body, text);
        std::string written;
        check_again(text, http::edit_request(head, edits, written));
    }
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, size);
    const unsigned how = input.choice();
    ticketgate::fuzz::check(input.rest(), how);
    return 0;
}

// A response: parsed, its body read, written for the client, and read again by another parser. A
// body that is not whole must not be whole there either.
#include <array>

#include "fuzz/bodies.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/second_parser.hpp"
#include "http/parser.hpp"
#include "http/rewrite.hpp"

namespace ticketgate::fuzz {
namespace {

constexpr http::HeadLimits limits{.max_head = 4096, .max_uri = 0, .max_headers = 32};
const std::array<std::string, 2> id_names{"x-request-id", "unique-id"};

struct How {
    bool to_head, client_1_0, keep_alive;
    std::uint32_t seed;
};

// As begin_reply() and flush() write it.
struct Passed {
    std::string text;
    bool ends = false;  // with the connection
};

Passed passed_on(const http::ResponseHead& head, const Decoded& body, const How& how) {
    http::ResponseEdits edits;
    edits.id_names = id_names;
    edits.added = "X-Request-Id: ours\r\nVia: 1.1 t\r\n";
    edits.framing = head.framing;
    edits.content_length = head.content_length;
    edits.keep_content_length = head.framing == http::Framing::none && head.has_content_length;
    edits.client_1_0 = how.client_1_0;
    const bool unknown =
        head.framing == http::Framing::chunked || head.framing == http::Framing::until_close;
    if (unknown)
        edits.framing = how.client_1_0 ? http::Framing::until_close : http::Framing::chunked;
    edits.keep_alive = how.keep_alive && !(unknown && how.client_1_0);
    Passed passed;
    http::rewrite_response(head, edits, passed.text);
    passed.ends = edits.framing == http::Framing::until_close;
    std::string payload = body.payload;
    if (edits.framing == http::Framing::chunked) {
        payload = chunked(payload, 5);
        if (!body.done) payload.resize(payload.size() - 5);  // removes the last chunk
    }
    passed.text += payload;
    return passed;
}

void check_passed(const http::ResponseHead& head, const Decoded& body, const How& how) {
    const Passed passed = passed_on(head, body, how);
    const bool bodiless = how.to_head || head.status == 204 || head.status == 304;
    const auto seen = read_response(passed.text, bodiless, passed.ends);
    // A truncated body that ends with the connection shows as a reset, not in the bytes.
    if (passed.ends && !body.done) return;
    if (seen.whole != body.done)
        std::fprintf(stderr, "%s\n%s\n", seen.fault.c_str(), passed.text.c_str());
    expect(seen.whole == body.done, "another parser sees it whole exactly if it is");
    expect(seen.status == head.status, "the same status");
    expect(seen.body == body.payload, "the same body");
    expect(seen.count("content-length") + seen.count("transfer-encoding") <= 1, "one framing");
    for (const char* name : {"te", "trailer", "upgrade", "keep-alive", "proxy-connection"})
        expect(seen.count(name) == 0, name);
    expect(seen.count("x-request-id") == 1 && seen.get("x-request-id") == "ours", "our id only");
    expect(seen.count("connection") <= 1, "one Connection");
}

void check(std::string_view bytes, const How& how) {
    http::ResponseHead head, other;
    const auto whole = http::parse_response(bytes, limits, how.to_head, head);
    Cuts cuts(how.seed);
    auto pieces = result<http::Progress>(http::Progress::need_more);
    for (std::size_t here = 0;
         here < bytes.size() && pieces && *pieces == http::Progress::need_more;) {
        const std::size_t before = here;
        here += cuts.next(bytes.size() - here);
        pieces = http::parse_response(bytes.substr(0, here), limits, how.to_head, other, before);
    }
    if (!whole) expect(whole.error() == errc::upstream_bad_response, "one error");
    expect(!whole || pieces.has_value(), "pieces are not stricter");
    if (!whole || *whole != http::Progress::done) return;
    expect(*pieces == http::Progress::done && other.bytes == head.bytes, "and as whole as all");
    // The run deals with these before a reply begins.
    if (head.informational()) return;
    // A malformed head is not forwarded and keeps no fields for the second parser.
    if (head.malformed) return expect(head.fields.empty(), "no field of a malformed head");
    http::BodyDecoder decoder(head.framing, head.content_length);
    const auto rest = bytes.substr(head.bytes.size());
    auto body = decode(decoder, rest, 0);
    const auto in_pieces = decode(decoder, rest, how.seed + 1);
    expect(body.broken == in_pieces.broken && body.done == in_pieces.done, "bodies in pieces too");
    expect(body.broken || body == in_pieces, "to the byte");
    if (head.framing == http::Framing::until_close) body.done = true;  // by a FIN
    if (head.content_length >= largest_of_second_parser) return;
    if (!confuses_second_parser(head.fields)) check_passed(head, body, how);
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, size);
    const unsigned choice = input.choice();
    ticketgate::fuzz::check(input.rest(),
                            {(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0, choice >> 3});
    return 0;
}

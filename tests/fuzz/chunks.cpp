// Compares the chunk decoder with a simple one that reads all bytes at once.
#include "fuzz/bodies.hpp"
#include "fuzz/expect.hpp"

namespace ticketgate::fuzz {
namespace {

constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";

bool is_name(std::string_view text) {
    for (const char c : text) {
        const bool alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!alphanumeric && token_marks.find(c) == text.npos) return false;
    }
    return !text.empty();
}

bool is_content(std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte != '\t' && (byte < ' ' || byte == 0x7f)) return false;
    }
    return true;
}

struct Reference {
    std::string_view rest;
    Decoded out;

    // Returns a line without its CRLF; nothing if the line is incomplete.
    std::optional<std::string_view> line() {
        const auto end = rest.find("\r\n");
        if (end == rest.npos) return std::nullopt;
        const auto text = rest.substr(0, end);
        take(end + 2);
        return text;
    }
    void take(std::size_t n) {
        rest.remove_prefix(n);
        out.consumed += n;
    }
};

// RFC 9112 7.1.1: blanks may stand before an extension, and only there.
std::optional<std::uint64_t> size_of(std::string_view line) {
    const auto extension = line.find(';');
    auto digits = line.substr(0, extension);
    while (extension != line.npos && (digits.ends_with(' ') || digits.ends_with('\t')))
        digits.remove_suffix(1);
    if (digits.empty() || digits.size() > 16 || !is_content(line)) return std::nullopt;
    std::uint64_t size = 0;
    for (const char c : digits) {
        const auto value = std::string_view("0123456789abcdefABCDEF").find(c);
        if (value == line.npos) return std::nullopt;
        size = size * 16 + (value < 16 ? value : value - 6);
    }
    return size;
}

// Judges complete lines only; a line that is cut off is left to the decoder.
enum class Verdict { done, broken, open };

Verdict reference(std::string_view bytes, Decoded& out) {
    Reference in{bytes, {}};
    for (;;) {
        const auto head = in.line();
        if (!head) break;
        const auto size = size_of(*head);
        if (!size) return out = in.out, Verdict::broken;
        if (*size == 0) {
            for (;;) {
                const auto trailer = in.line();
                if (!trailer) return out = in.out, Verdict::open;
                if (trailer->empty()) return out = in.out, Verdict::done;
                const auto colon = trailer->find(':');
                if (colon == trailer->npos || !is_name(trailer->substr(0, colon)) ||
                    !is_content(trailer->substr(colon + 1)))
                    return out = in.out, Verdict::broken;
            }
        }
        const auto here = std::min<std::uint64_t>(*size, in.rest.size());
        in.out.payload += in.rest.substr(0, here);
        in.take(here);
        if (here < *size || in.rest.size() < 2) break;
        if (!in.rest.starts_with("\r\n")) return out = in.out, Verdict::broken;
        in.take(2);
    }
    return out = in.out, Verdict::open;
}

void check(std::string_view bytes, unsigned seed) {
    if (bytes.size() > 8192) return;  // below every bound on extensions and trailers
    const http::BodyDecoder decoder(http::Framing::chunked, 0);
    const auto ours = decode(decoder, bytes, 0);
    const auto pieces = decode(decoder, bytes, seed + 1);
    Decoded theirs;
    const auto verdict = reference(bytes, theirs);
    expect(ours.done == (verdict == Verdict::done), "done when the reference is");
    expect(verdict != Verdict::broken || ours.broken, "broken where the reference is");
    expect(pieces.broken == ours.broken && pieces.done == ours.done, "the same in pieces");
    // The reference cannot see errors inside a line that never ends.
    if (ours.broken) return;
    expect(ours.payload == theirs.payload && pieces.payload == ours.payload, "the same payload");
    if (ours.done) expect(ours.consumed == theirs.consumed, "and the same end");
    // The chunks that we write must read back unchanged.
    const auto written = chunked(bytes, 1 + seed);
    const auto again = decode(decoder, written, seed);
    expect(again.done && again.payload == bytes && again.consumed == written.size(), "read back");
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, size);
    const unsigned seed = input.choice();
    ticketgate::fuzz::check(input.rest(), seed);
    return 0;
}

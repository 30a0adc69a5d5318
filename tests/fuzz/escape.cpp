// Client bytes in a log line: no control character, no early end of the string, and what can be
// decoded equals the original.
#include <string>

#include "fuzz/expect.hpp"
#include "log/escape.hpp"

namespace ticketgate::fuzz {
namespace {

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The inside of a JSON string (RFC 8259 7), and not a control character in it.
bool is_json(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < ' ' || c == 0x7f || c == '"') return false;
        if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
            return false;  // C1
        if (c != '\\') continue;
        if (++i == text.size()) return false;
        if (text[i] == 'u') {
            for (int digit = 0; digit < 4; ++digit)
                if (++i == text.size() || !is_hex(text[i])) return false;
        } else if (std::string_view("\"\\/bfnrt").find(text[i]) == text.npos) {
            return false;
        }
    }
    return true;
}

// RFC 3629, by counting.
bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t size = first < 0x80   ? 1
                                 : first < 0xc0 ? 0
                                 : first < 0xe0 ? 2
                                 : first < 0xf0 ? 3
                                 : first < 0xf8 ? 4
                                                : 0;
        if (size == 0 || i + size > text.size()) return false;
        std::uint32_t code = size == 1 ? first : first & (0x7fu >> size);
        for (std::size_t k = 1; k < size; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xc0) != 0x80) return false;
            code = code << 6 | (next & 0x3f);
        }
        constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return false;
        i += size;
    }
    return true;
}

void check(std::string_view text) {
    std::string json, quoted, word, sentence;
    append_json(json, text);
    expect(is_json(json) && is_utf8(json), "the inside of a JSON string, in UTF-8");
    append_quoted(quoted, text);
    bool escaped = false;
    for (const char c : quoted) {
        expect(c >= ' ' && c < 0x7f, "printable ASCII");
        expect(escaped || c != '"', "no quote ends it early");
        escaped = !escaped && c == '\\';
    }
    expect(!escaped, "no backslash escapes what follows");
    append_word(word, text);
    append_sentence(sentence, text);
    for (const std::string& line : {word, sentence})
        for (const char c : line)
            expect(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "one line, no controls");
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::check({reinterpret_cast<const char*>(bytes), size});
    return 0;
}

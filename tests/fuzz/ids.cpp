// Ids from untrusted sources: decoding is safe and returns possible values only.
#include "fuzz/expect.hpp"
#include "ids/decode.hpp"
#include "ids/generator.hpp"

namespace ticketgate::fuzz {
namespace {

constexpr WallTime now{1'800'000'000'000'000};

void check(std::string_view text) {
    bool plausible = true;
    for (const auto& reading : ids::readings(text, now)) {
        expect(!reading.format.empty(), "a reading names its format");
        expect(plausible || !reading.plausible, "the plausible come first");
        plausible = reading.plausible;
        for (const auto& [name, value] : reading.fields)
            expect(!name.empty() && !value.empty(), "and what it found");
    }
    if (ids::readings(text, now).empty())
        expect(!ids::why_no_id(text).empty(), "or why there is none");
    expect(!ids::acceptable(text) || (text.size() >= 16 && text.size() <= 128), "CONTRACT 5.1");
    expect(!ids::acceptable(text) || ids::harmless(text), "what is kept is harmless");
    for (const char c : text)
        if (c <= ' ' || c > '~')
            expect(!ids::harmless(text), "nothing that ends a field or a line");
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::check({reinterpret_cast<const char*>(bytes), size});
    return 0;
}

// The id service's protocol: the same bytes mean the same wherever they are cut; no client gets ids
// without the token.
#include <string>
#include <vector>

#include "fuzz/expect.hpp"
#include "ids/noeq.hpp"

namespace ticketgate::fuzz {
namespace {

using Decoder = ids::NoeqDecoder;
using Steps = std::vector<Decoder::Next>;

bool is_bad(Decoder::Step step) {
    return step == Decoder::Step::bad_request || step == Decoder::Step::bad_token;
}

// All steps but those that wait. `seed` 0: all at once.
Steps steps(std::string_view token, std::string_view bytes, std::uint32_t seed) {
    Decoder decoder(token);
    Steps out;
    Cuts cuts(seed);
    while (!bytes.empty()) {
        const std::size_t size = seed == 0 ? bytes.size() : cuts.next(bytes.size());
        auto here = bytes.substr(0, size);
        bytes.remove_prefix(size);
        while (!here.empty()) {
            const std::size_t before = here.size();
            const auto next = decoder.next(here);
            if (next.step == Decoder::Step::more) {
                expect(here.empty(), "it waits when all is taken");
                break;
            }
            out.push_back(next);
            if (is_bad(next.step)) return out;
            expect(here.size() < before, "a request takes its byte");
            expect(decoder.logged_in() && next.count != 0, "ids are for who is let in");
        }
    }
    return out;
}

void check(std::string_view bytes, unsigned choice) {
    const std::string token = (choice & 1) != 0 ? "sekrit" : "";
    const auto all = steps(token, bytes, 0);
    expect(all == steps(token, bytes, choice + 1), "the same in pieces");
    const bool let_in = token.empty() || bytes.starts_with(std::string_view("\0\6sekrit", 8));
    if (!let_in)
        for (const auto& next : all) expect(is_bad(next.step), "without the token no ids");
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, size);
    const unsigned choice = input.choice();
    ticketgate::fuzz::check(input.rest(), choice);
    return 0;
}

// Bytes from php-fpm: records mean the same wherever they are cut; the strict parser of responses
// accepts every head that is passed on; the table of workers can be any text.
#include <string>

#include "fcgi/decoder.hpp"
#include "fcgi/response.hpp"
#include "fcgi/workers.hpp"
#include "fuzz/expect.hpp"

namespace ticketgate::fuzz {
namespace {

struct Output {
    std::string out, err;
    bool done = false, broken = false;
    std::uint32_t app_status = 0;
    bool operator==(const Output&) const = default;
};

// `seed` 0: all at once.
Output decoded(std::string_view bytes, std::uint32_t seed) {
    fcgi::Decoder decoder;
    Output output;
    Cuts cuts(seed);
    while (!bytes.empty() && !decoder.done()) {
        const std::size_t size = seed == 0 ? bytes.size() : cuts.next(bytes.size());
        auto here = bytes.substr(0, size);
        bytes.remove_prefix(size);
        while (!here.empty() && !decoder.done()) {
            const auto piece = decoder.next(here);
            output.broken = !piece;
            if (!piece) {
                expect(decoder.broken() && !decoder.next(here), "it stays at its first error");
                return output;
            }
            expect(piece->consumed > 0 && piece->consumed <= here.size(), "it goes on");
            if (piece->kind == fcgi::Decoder::Kind::out) output.out += piece->payload;
            if (piece->kind == fcgi::Decoder::Kind::err) output.err += piece->payload;
            here.remove_prefix(piece->consumed);
        }
    }
    output.done = decoder.done();
    output.app_status = decoder.end().app_status;
    return output;
}

void check_head(const std::string& out) {
    const std::size_t size = fcgi::head_block_size(out, 0);
    for (std::size_t here = 0; here < size; ++here)
        expect(fcgi::head_block_size(std::string_view(out).substr(0, here), 0) == 0,
               "a block ends at one place only");
    if (size == 0) return;
    std::string text, again_text;
    http::ResponseHead head, again;
    const http::HeadLimits limits{.max_head = 4096, .max_uri = 0, .max_headers = 50};
    if (fcgi::parse_head_block(std::string_view(out).substr(0, size), limits, false, text, head))
        return;
    expect(head.status >= 200 && head.status <= 599, "a script says how it went");
    const auto progress = http::parse_response(text, limits, false, again);
    expect(progress && *progress == http::Progress::done, "it is HTTP");
    expect(again.bytes.size() == text.size() && again.fields.size() == head.fields.size(),
           "and nothing else");
    for (const auto& field : head.fields)
        expect(field.id != http::FieldName::transfer_encoding &&
                   field.id != http::FieldName::connection,
               "the connection is not a script's");
}

void check(std::string_view bytes, unsigned choice) {
    if ((choice & 1) != 0) {
        const fcgi::Trace trace{"GET", {"/index.php", ""}, "a=1", Time{} + 1s, Time{} + 2s};
        (void)fcgi::still_runs(bytes, trace, {Time{} + 2s, Time{} + 3s});  // must not crash
        return;
    }
    const Output all = decoded(bytes, 0);
    expect(all == decoded(bytes, choice + 1), "the same in pieces");
    check_head(all.out);
    check_head(std::string(bytes));
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    ticketgate::fuzz::Input input(bytes, size);
    const unsigned choice = input.choice();
    ticketgate::fuzz::check(input.rest(), choice);
    return 0;
}

#include "fuzz/bodies.hpp"

#include "fuzz/expect.hpp"

namespace ticketgate::fuzz {

Decoded decode(http::BodyDecoder decoder, std::string_view bytes, std::uint32_t seed) {
    Decoded out;
    Cuts cuts(seed);
    while (!decoder.done()) {
        auto window = bytes.substr(out.consumed);
        if (seed != 0) window = window.substr(0, cuts.next(window.size()));
        const auto piece = decoder.next(window);
        if (!piece) {
            out.broken = true;
            expect(!decoder.next(window), "what is broken stays so");
            // The position of the error inside the window does not matter.
            out.consumed = 0;
            break;
        }
        expect(piece->consumed <= window.size(), "no more is consumed than is there");
        expect(piece->payload.size() <= piece->consumed, "payload is part of what is consumed");
        out.payload += piece->payload;
        out.consumed += piece->consumed;
        if (piece->consumed == 0) break;
    }
    out.done = decoder.done();
    return out;
}

std::string chunked(std::string_view payload, std::size_t most) {
    std::string out;
    while (!payload.empty()) {
        const auto part = payload.substr(0, most);
        char head[20];
        out.append(head, http::write_chunk_head(head, part.size())).append(part).append("\r\n");
        payload.remove_prefix(part.size());
    }
    return out += "0\r\n\r\n";
}

}  // namespace ticketgate::fuzz

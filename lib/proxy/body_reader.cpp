#include "proxy/body_reader.hpp"

#include <utility>

namespace ticketgate {
namespace {

// Smaller pieces of a body are joined before they are written: on disk each piece is one write.
constexpr std::size_t small_piece = 1 << 10;

error_code append(http::Spool& spool, std::string& joined) {
    if (joined.empty()) return {};
    const auto failure = spool.append(joined);
    joined.clear();
    return failure;
}

}  // namespace

void BodyReader::begin(const config::Settings& settings, Time now) {
    most_ = settings.max_body;
    pace_ = http::Pace(settings.body_min_rate, settings.body_timeout);
    pace_.start(now);
}

error_code BodyReader::take(Input& input, http::Spool& spool, std::string& joined) {
    joined.clear();
    while (!input.empty() && !decoder_.done()) {
        const auto piece = decoder_.next(input.view());
        if (!piece) return piece.error();
        bytes_ += piece->payload.size();
        // The head of a chunk tells the size before the bytes come.
        if (bytes_ > most_ || decoder_.expected() > most_ - bytes_) return errc::body_too_large;
        if (piece->payload.size() < small_piece) {
            joined += piece->payload;
        } else {
            if (const auto failure = append(spool, joined)) return failure;
            if (const auto failure = spool.append(piece->payload)) return failure;
        }
        if (piece->consumed == 0) break;
        input.consume(piece->consumed);
    }
    return append(spool, joined);
}

}  // namespace ticketgate

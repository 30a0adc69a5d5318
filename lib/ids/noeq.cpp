#include "ids/noeq.hpp"

#include "base/check.hpp"
#include "base/secret.hpp"

namespace ticketgate::ids {

NoeqDecoder::NoeqDecoder(std::string_view token)
    : token_(token), phase_(token.empty() ? Phase::requests : Phase::zero) {
    TG_CHECK(token.size() <= 255);
}

NoeqDecoder::Next NoeqDecoder::next(std::string_view& input) {
    if (phase_ != Phase::requests) {
        const auto login = log_in(input);
        if (login.step != Step::more || phase_ != Phase::requests) return login;
    }
    if (input.empty()) return {};
    const auto count = static_cast<std::uint8_t>(input.front());
    input.remove_prefix(1);
    return {count == 0 ? Step::bad_request : Step::request, count};
}

// As noeqd does, waits for two bytes before it checks either, and for the whole token.
NoeqDecoder::Next NoeqDecoder::log_in(std::string_view& input) {
    while (!input.empty()) {
        const char byte = input.front();
        if (phase_ == Phase::zero) {
            first_ = static_cast<std::uint8_t>(byte);
            phase_ = Phase::length;
        } else if (phase_ == Phase::length) {
            if (first_ != 0) return {Step::bad_request, 0};
            wanted_ = static_cast<std::uint8_t>(byte);
            phase_ = Phase::token;
        } else {
            given_ += byte;
        }
        input.remove_prefix(1);
        if (phase_ != Phase::token || given_.size() < wanted_) continue;
        if (!equal_in_constant_time(given_, token_)) return {Step::bad_token, 0};
        phase_ = Phase::requests;
        break;
    }
    return {};
}

NoeqSequence::NoeqSequence(std::uint32_t datacenter, std::uint32_t worker, std::int64_t last_ms,
                           std::uint32_t sequence)
    : parts_{last_ms, datacenter, worker, sequence} {}

NoeqSequence::Next NoeqSequence::next(std::int64_t unix_ms) {
    if (unix_ms < parts_.unix_ms) return {Step::behind, 0};
    const bool same = unix_ms == parts_.unix_ms;
    if (same && parts_.sequence + 1 == snowflake_sequences) return {Step::full, 0};
    parts_.sequence = same ? parts_.sequence + 1 : 0;
    parts_.unix_ms = unix_ms;
    return {Step::made, pack_snowflake(parts_)};
}

}  // namespace ticketgate::ids

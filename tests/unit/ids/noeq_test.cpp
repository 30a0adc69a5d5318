#include "ids/noeq.hpp"

#include <gtest/gtest.h>

#include <map>

#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

using Decode = NoeqDecoder::Step;
using Sequence = NoeqSequence::Step;

struct Outcome {
    std::size_t bytes = 0;  // sent by the server
    Decode last = Decode::more;
    bool operator==(const Outcome&) const = default;
};

// The recorded behaviour of the real server: bytes sent, whether it closed, and why.
const std::map<std::string, Outcome> outcomes{
    {"three ids, no token", {24, Decode::more}},
    {"pipelined requests", {24, Decode::more}},
    {"largest batch", {2040, Decode::more}},
    {"byte zero as a request", {0, Decode::bad_request}},
    {"auth sent to a server without token", {0, Decode::bad_request}},
    {"good auth then one id", {8, Decode::more}},
    {"good auth only", {0, Decode::more}},
    {"wrong token", {0, Decode::bad_token}},
    {"token shorter than its length byte", {0, Decode::more}},
    {"no auth, one byte", {0, Decode::more}},
    {"no auth, two bytes", {0, Decode::bad_request}},
    {"auth twice", {0, Decode::bad_request}}};

Outcome played(const std::string& token, std::string_view bytes, std::size_t piece) {
    NoeqDecoder decoder(token);
    Outcome outcome;
    while (!bytes.empty()) {
        auto part = bytes.substr(0, piece);
        bytes.remove_prefix(part.size());
        do {
            const auto next = decoder.next(part);
            outcome.last = next.step;
            if (next.step == Decode::request) outcome.bytes += 8u * next.count;
        } while (outcome.last == Decode::request);
        if (outcome.last != Decode::more) break;
    }
    return outcome;
}

TEST(NoeqDecoder, DoesAsTheRealServer) {
    const auto file = vectors("noeq.json");
    std::size_t count = 0;
    for (const auto& v : file.at("wire").as_array()) {
        const auto hex = from_hex(text(v, "client_hex"));
        const std::string bytes(hex.begin(), hex.end());
        for (const std::size_t piece : {bytes.size(), std::size_t{1}, std::size_t{3}})
            EXPECT_EQ(played(text(v, "token"), bytes, piece), outcomes.at(text(v, "name")))
                << text(v, "name") << " " << piece;
        const auto& said = text(v, "server");
        const bool closes = outcomes.at(text(v, "name")).last != Decode::more;
        EXPECT_EQ(said.find("closed") != std::string::npos, closes) << said;
        ++count;
    }
    EXPECT_EQ(count, outcomes.size());
}

TEST(NoeqDecoder, ATokenOfAnyBytesUpTo255) {
    for (const std::size_t size : {1u, 2u, 254u, 255u}) {
        std::string token(size, '\0');
        for (std::size_t i = 0; i < size; ++i) token[i] = static_cast<char>(i * 7);
        const std::string login = std::string(1, '\0') + static_cast<char>(size) + token + "\x05";
        EXPECT_EQ(played(token, login, login.size()), (Outcome{40, Decode::more}));
        EXPECT_EQ(played(token, login, 1), (Outcome{40, Decode::more}));
    }
    EXPECT_EQ(played("x", std::string_view("\0\0\1", 3), 3).last, Decode::bad_token);
}

TEST(NoeqSequence, DoesAsTheRealServer) {
    const auto file = vectors("noeq.json");
    for (const auto& v : file.at("generator_sequences").as_array()) {
        const auto start = v.as_object().contains("start_sequence")
                               ? number<std::uint32_t>(v, "start_sequence")
                               : 0u;
        NoeqSequence sequence(21, 7, number<std::int64_t>(v, "last_ms"), start);
        auto expected = v.at("result").as_array().begin();
        for (const auto& reading : v.at("clock").as_array()) {
            const auto next = sequence.next(reading.to_number<std::int64_t>());
            if (next.step == Sequence::full) continue;  // the original reads the clock again
            ASSERT_NE(expected, v.at("result").as_array().end());
            EXPECT_EQ(expected->is_string(), next.step == Sequence::behind) << text(v, "name");
            if (next.step == Sequence::made) {
                const auto& pair = expected->as_array();
                const SnowflakeParts parts{pair[0].to_number<std::int64_t>(), 21, 7,
                                           pair[1].to_number<std::uint32_t>()};
                EXPECT_EQ(next.id, pack_snowflake(parts)) << text(v, "name");
            }
            ++expected;
        }
        EXPECT_EQ(expected, v.at("result").as_array().end()) << text(v, "name");
    }
}

TEST(NoeqSequence, AFullMillisecondWaitsForTheNext) {
    NoeqSequence sequence(0, 0);
    std::uint64_t last = 0;
    for (int i = 0; i < 4096; ++i) {
        const auto next = sequence.next(snowflake_epoch_ms + 5);
        ASSERT_EQ(next.step, Sequence::made);
        ASSERT_GT(next.id, last);
        last = next.id;
    }
    EXPECT_EQ(sequence.next(snowflake_epoch_ms + 5).step, Sequence::full);
    EXPECT_EQ(sequence.next(snowflake_epoch_ms + 4).step, Sequence::behind);
    EXPECT_GT(sequence.next(snowflake_epoch_ms + 6).id, last);
}

}  // namespace
}  // namespace ticketgate::ids

#include "noeq/source.hpp"

#include <poll.h>

#include <ctime>
#include <utility>

#include "base/bytes.hpp"

namespace ticketgate::noeq {
namespace {

// How far ahead of the clock the state file reserves: a busy service syncs once in half of this
// time. A start after a crash may have to wait this long.
constexpr std::int64_t step_ms = 1000;
constexpr std::uint32_t last_sequence = ids::snowflake_sequences - 1;
// Ends the wait for a clock that stands still.
constexpr int most_waits = 100;

}  // namespace

Clocks system_clocks() {
    return {wall_now, [](Duration wait) {
                const timespec time{0, static_cast<long>(wait.count())};
                ::ppoll(nullptr, 0, &time, nullptr);  // only a sleep, of at most 1 ms
            }};
}

// Counts the last reserved millisecond as used up.
IdSource::IdSource(std::uint32_t datacenter, std::uint32_t worker, std::optional<StateFile> state,
                   Clocks clocks)
    : state_(std::move(state)),
      clocks_(std::move(clocks)),
      sequence_(datacenter, worker, state_ ? state_->reserved_ms() : -1,
                state_ && state_->reserved_ms() >= 0 ? last_sequence : 0) {}

IdSource::~IdSource() {
    if (state_ && made_any_) (void)state_->reserve(sequence_.last_ms());  // else the old one holds
}

IdSource::Made IdSource::make(std::uint32_t count, std::string& out) {
    const auto before = out.size();
    const auto give_up = [&](Made why) {
        out.resize(before);  // as noeqd: no part of a request that it cannot meet
        return why;
    };
    out.resize(before + count * sizeof(std::uint64_t));
    auto* at = reinterpret_cast<std::uint8_t*>(out.data() + before);
    auto now = clocks_.now();
    if (!reserve(now.unix_ms())) return give_up(Made::no_state);
    for (int waits = 0; count != 0;) {
        const auto next = sequence_.next(now.unix_ms());
        if (next.step == ids::NoeqSequence::Step::behind) return give_up(Made::behind);
        if (next.step == ids::NoeqSequence::Step::made) {
            at = store_be(at, next.id);
            --count;
            continue;
        }
        if (++waits > most_waits) return give_up(Made::behind);
        clocks_.pass(Duration((1000 - now.unix_us % 1000) * 1000));
        now = clocks_.now();
        if (!reserve(now.unix_ms())) return give_up(Made::no_state);
    }
    made_any_ = true;
    return Made::all;
}

bool IdSource::reserve(std::int64_t now_ms) {
    if (!state_ || now_ms + step_ms / 2 <= state_->reserved_ms()) return true;
    return state_->reserve(now_ms + step_ms) || now_ms <= state_->reserved_ms();
}

}  // namespace ticketgate::noeq

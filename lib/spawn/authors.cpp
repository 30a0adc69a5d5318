#include "spawn/authors.hpp"

#include <limits>

namespace ticketgate::spawn {

void Authors::change(std::uint64_t at, std::string_view id) noexcept {
    const bool wrote_nothing = count_ != 0 && last().from == at;
    // Two authors share the last place now, so neither may have the bytes of the other.
    if (!wrote_nothing && count_ == most) return disown();
    if (!wrote_nothing) ++count_;
    Mark& mine = mark(count_ - 1);
    mine.from = at;
    mine.size = id.copy(mine.id.data(), longest_id);
}

void Authors::disown() noexcept {
    if (count_ != 0) mark(count_ - 1).size = 0;
}

Authors::Part Authors::at(std::uint64_t offset) noexcept {
    while (count_ > 1 && mark(1).from <= offset) {
        first_ = (first_ + 1) % most;
        --count_;
    }
    constexpr auto never = std::numeric_limits<std::uint64_t>::max();
    if (count_ == 0) return {{}, never, false};
    const Mark& found = mark(0);
    if (offset < found.from) return {{}, found.from, false};
    return {{found.id.data(), found.size}, count_ > 1 ? mark(1).from : never, found.from == offset};
}

}  // namespace ticketgate::spawn

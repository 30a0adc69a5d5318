#include "disk/kept_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <limits>

namespace ticketgate::disk {
namespace {

// Short, as a file system of another machine may say late that a file was changed, and as a file
// that was removed takes space while it is open.
constexpr Duration file_stays = 1s;

// KeptFiles::wants_copy() says why.
constexpr std::int64_t settles_after_us = 2'000'000;

// A loop's share of the process's descriptors, beside those of file_io.max_open. A copy has two.
constexpr std::size_t most_kept = 128;

// A file may bear a date that 64 bits of nanoseconds do not reach: before 1677, or after 2262.
std::int64_t in_ns(const statx_timestamp& time) {
    constexpr std::int64_t per_s = 1'000'000'000;
    constexpr std::int64_t last_s = std::numeric_limits<std::int64_t>::max() / per_s - 1;
    const std::int64_t s = time.tv_sec;
    if (s > last_s || s < -last_s) return (s > 0 ? last_s : -last_s) * per_s;
    return s * per_s + time.tv_nsec;
}

Seen::Kind kind_of(unsigned mode) {
    if (S_ISREG(mode)) return Seen::Kind::file;
    return S_ISDIR(mode) ? Seen::Kind::folder : Seen::Kind::other;
}

}  // namespace

std::optional<Seen> look_at(int descriptor) {
    struct statx about {};
    if (::statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &about) != 0)
        return std::nullopt;
    const std::uint64_t device = ::makedev(about.stx_dev_major, about.stx_dev_minor);
    return Seen{
        kind_of(about.stx_mode),
        {device, about.stx_ino, about.stx_size, in_ns(about.stx_ctime), in_ns(about.stx_mtime)}};
}

KeptFiles::Entry* KeptFiles::entry_of(const Identity& identity, Time now) {
    const auto is = [&](const Entry& entry) {
        return entry.file.identity == identity && now < entry.until;
    };
    const auto found = std::ranges::find_if(entries_, is);
    return found == entries_.end() ? nullptr : &*found;
}

std::optional<OpenedFile> KeptFiles::find(const Identity& identity, Time now) {
    Entry* const entry = entry_of(identity, now);
    if (entry == nullptr) return std::nullopt;
    if (entry->copy == Entry::Copy::unwanted) entry->copy = Entry::Copy::wanted;
    return entry->file;
}

bool KeptFiles::wants_copy(const Identity& identity, Time now, WallTime today) {
    const std::int64_t changed_us = std::max(identity.changed_ns, identity.mtime_ns) / 1000;
    if (changed_us > today.unix_us - settles_after_us) return false;
    Entry* const entry = entry_of(identity, now);
    if (entry == nullptr || entry->copy != Entry::Copy::wanted) return false;
    entry->copy = Entry::Copy::asked;
    return true;
}

// The entry of the original may have gone meanwhile.
void KeptFiles::replace(OpenedFile copy, Time now) {
    Entry* const entry = entry_of(copy.identity, now);
    if (entry == nullptr) return keep(std::move(copy), now);
    entry->file = std::move(copy);
    close_beyond_limit();
}

void KeptFiles::close_beyond_limit() {
    const auto cost = [](const Entry& entry) {
        return entry.file.place == Place::memory ? std::size_t{2} : std::size_t{1};
    };
    std::size_t open = 0;
    for (const Entry& entry : entries_) open += cost(entry);
    for (; open > most_kept; entries_.pop_front()) open -= cost(entries_.front());
}

void KeptFiles::keep(OpenedFile file, Time now) {
    if (entry_of(file.identity, now) != nullptr) return;
    entries_.push_back({std::move(file), now + file_stays});
    close_beyond_limit();
}

Duration KeptFiles::forget(Time now) {
    while (!entries_.empty() && entries_.front().until <= now) entries_.pop_front();
    return entries_.empty() ? never : entries_.front().until - now;
}

}  // namespace ticketgate::disk

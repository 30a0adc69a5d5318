#include "disk/open_file.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

namespace ticketgate::disk {
namespace {

// cachestat(2), which the headers of Debian 12 do not have. Its number is the same everywhere but
// on alpha.
constexpr long cachestat_number = 451;
struct CacheRange {
    std::uint64_t from, size;
};
struct CacheState {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::atomic<bool> no_cachestat{false};

ReadResult result_of(ssize_t n) {
    if (n >= 0) return {static_cast<std::size_t>(n), 0};
    return {0, errno};
}

}  // namespace

std::uint64_t page_size() {
    static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

// One that cannot tell what is in memory may also be told of a close, and wait.
OpenedFile OpenFiles::share(Descriptor file, const Identity& identity) const {
    char byte = 0;
    const iovec piece{&byte, 1};
    const bool tells = ::preadv2(file.get(), &piece, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN;
    const Place place = tells ? Place::told : Place::untold;
    if (tells || !close_)
        return {identity, std::make_shared<const Descriptor>(std::move(file)), place};
    const auto close = [close = close_, device = identity.device](Descriptor* dropped) noexcept {
        const std::unique_ptr<Descriptor> own(dropped);
        try {
            close(std::move(*own), device);
        } catch (const std::exception&) {  // no memory: it is closed here
        }
    };
    return {identity, {new Descriptor(std::move(file)), close}, place};
}

ReadResult File::read_now(std::uint64_t from, std::span<char> into) const {
    if (file_.place == Place::untold) return {0, EAGAIN};
    const iovec piece{into.data(), into.size()};
    const int flags = file_.place == Place::memory ? 0 : RWF_NOWAIT;
    ReadResult out = result_of(::preadv2(descriptor(), &piece, 1, static_cast<off_t>(from), flags));
    if (out.error == EOPNOTSUPP || out.error == ENOSYS || out.error == EINTR) out.error = EAGAIN;
    return out;
}

ReadResult File::read(std::uint64_t from, std::span<char> into) const {
    ReadResult out;
    do {
        out = result_of(::pread(descriptor(), into.data(), into.size(), static_cast<off_t>(from)));
    } while (out.error == EINTR);
    return out;
}

bool File::in_memory(std::uint64_t from, std::uint64_t bytes) const {
    if (file_.place == Place::memory) return bytes != 0;
    if (file_.place == Place::untold || no_cachestat || bytes == 0) return false;
    const std::uint64_t page = page_size();
    CacheRange range{from, bytes};
    CacheState state{};
    if (::syscall(cachestat_number, descriptor(), &range, &state, 0u) != 0) {
        no_cachestat = errno == ENOSYS || errno == EPERM;
        return false;
    }
    const std::uint64_t pages = (from + bytes - 1) / page - from / page + 1;
    return state.cached >= pages;
}

}  // namespace ticketgate::disk

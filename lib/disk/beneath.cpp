#include "disk/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20  // Linux 5.12
#endif

namespace ticketgate::disk {
namespace {

constexpr std::uint64_t to_read = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
constexpr std::uint64_t to_begin_at = O_PATH | O_DIRECTORY | O_CLOEXEC;

// A rename at the same time can make the kernel unsure whether `..` leads out; it then asks to try
// again.
constexpr int most_tries = 16;

// What this kernel is known to lack.
std::atomic<bool> no_openat2{false}, no_cached{false};

int call(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = flags;
    how.resolve = resolve;
    return static_cast<int>(::syscall(SYS_openat2, at, path, &how, sizeof how));
}

Opened opened(int descriptor) {
    Opened out;
    out.error = descriptor < 0 ? errno : 0;
    out.descriptor = Descriptor(descriptor);
    return out;
}

Opened failed(int error) {
    Opened out;
    out.error = error;
    return out;
}

Opened open_cached(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) {
    if (no_openat2 || no_cached) return failed(EAGAIN);
    Opened out = opened(call(at, path, flags, resolve | RESOLVE_CACHED));
    if (out.error == EINVAL) no_cached = true;
    // A sandbox may forbid what it does not know.
    if (out.error == ENOSYS || out.error == EPERM) no_openat2 = true;
    if (no_cached || no_openat2) return failed(EAGAIN);
    return out;
}

// Without openat2: one segment after the other, and none of them a link.
Opened walk(int root, std::string_view path) {
    Descriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
    if (folder.get() < 0) return failed(errno);
    for (;;) {
        const auto slash = path.find('/');
        const std::string segment(path.substr(0, slash));
        if (segment == "..") return failed(EXDEV);
        if (slash == path.npos)
            return opened(::openat(folder.get(), segment.empty() ? "." : segment.c_str(),
                                   static_cast<int>(to_read) | O_NOFOLLOW));
        const int next =
            ::openat(folder.get(), segment.c_str(), static_cast<int>(to_begin_at) | O_NOFOLLOW);
        if (next < 0) return failed(errno);
        folder = Descriptor(next);
        path.remove_prefix(slash + 1);
    }
}

}  // namespace

Opened open_root(const std::string& path, Wait wait) {
    if (wait == Wait::no) return open_cached(AT_FDCWD, path.c_str(), to_begin_at, 0);
    return opened(::open(path.c_str(), static_cast<int>(to_begin_at)));
}

Opened open_beneath(int root, const std::string& path, Wait wait) {
    constexpr std::uint64_t beneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const auto begin = path.find_first_not_of('/');
    const char* const relative = begin == path.npos ? "." : path.c_str() + begin;
    if (wait == Wait::no) return open_cached(root, relative, to_read, beneath);
    for (int tries = 0; !no_openat2; ++tries) {
        Opened out = opened(call(root, relative, to_read, beneath));
        if (out.error == ENOSYS || out.error == EPERM) break;
        if (out.error != EAGAIN || tries == most_tries) return out;
    }
    return walk(root, relative);
}

}  // namespace ticketgate::disk

#include "disk/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/kept_descriptors.hpp"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20  // Linux 5.12
#endif

namespace ticketgate::disk {
namespace {

constexpr std::uint64_t to_read = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
// Nothing is opened: no device acts, no file system is asked, and no scanner (fanotify) is heard.
constexpr std::uint64_t to_find = O_PATH | O_CLOEXEC;
constexpr std::uint64_t to_begin_at = to_find | O_DIRECTORY;

// A rename at the same time can make the kernel unsure whether `..` leads out; it then asks to try
// again.
constexpr int most_tries = 16;

int call(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = flags;
    how.resolve = resolve;
    return static_cast<int>(::syscall(SYS_openat2, at, path, &how, sizeof how));
}

Opened opened(int descriptor) {
    Opened out;
    descriptor = unless_kept(descriptor);
    out.error = descriptor < 0 ? errno : 0;
    out.descriptor = Descriptor(descriptor);
    return out;
}

Opened failed(int error) {
    Opened out;
    out.error = error;
    return out;
}

// Tried once, on a folder that is always there: what a file of a site makes the system say (EPERM
// of a scanner, EINVAL of a file system) tells nothing of the kernel.
bool kernel_takes(std::uint64_t resolve) {
    const Descriptor root(call(AT_FDCWD, "/", to_begin_at, resolve));
    return root.get() >= 0 || errno == EAGAIN;
}

// A sandbox may forbid what it does not know.
bool has_openat2() {
    static const bool has = kernel_takes(0);
    return has;
}

bool has_cached() {
    static const bool has = has_openat2() && kernel_takes(RESOLVE_CACHED);
    return has;
}

Opened find_cached(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) {
    if (!has_cached()) return failed(EAGAIN);
    return opened(call(at, path, flags, resolve | RESOLVE_CACHED));
}

// A link that is only found is found itself.
Opened open_last(int folder, const std::string& name, std::uint64_t flags) {
    const char* const path = name.empty() ? "." : name.c_str();
    Opened out = opened(::openat(folder, path, static_cast<int>(flags) | O_NOFOLLOW));
    struct stat about {};
    const bool link =
        out.error == 0 && ::fstat(out.descriptor.get(), &about) == 0 && S_ISLNK(about.st_mode);
    return link ? failed(ELOOP) : std::move(out);
}

// Without openat2: one segment after the other, and none of them a link.
Opened walk(int root, std::string_view path, std::uint64_t flags) {
    Descriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
    if (folder.get() < 0) return failed(errno);
    for (;;) {
        const auto slash = path.find('/');
        const std::string segment(path.substr(0, slash));
        if (segment == "..") return failed(EXDEV);
        if (slash == path.npos) return open_last(folder.get(), segment, flags);
        const int next =
            ::openat(folder.get(), segment.c_str(), static_cast<int>(to_begin_at) | O_NOFOLLOW);
        if (next < 0) return failed(errno);
        folder = Descriptor(next);
        path.remove_prefix(slash + 1);
    }
}

const char* relative_to_root(const std::string& path) {
    const auto begin = path.find_first_not_of('/');
    return begin == path.npos ? "." : path.c_str() + begin;
}

std::string by_descriptor(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

bool is_below(std::string_view path, std::string_view folder) {
    if (folder == "/") return path.starts_with('/');
    if (folder.empty() || !path.starts_with(folder)) return false;
    return path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace

std::string place_of(int descriptor) {
    std::array<char, PATH_MAX> path{};
    const auto size = ::readlink(by_descriptor(descriptor).c_str(), path.data(), path.size());
    if (size <= 0 || static_cast<std::size_t>(size) == path.size()) return {};
    return {path.data(), static_cast<std::size_t>(size)};
}

Opened open_root(const std::string& path, Wait wait) {
    if (wait == Wait::no) return find_cached(AT_FDCWD, path.c_str(), to_begin_at, 0);
    return opened(::open(path.c_str(), static_cast<int>(to_begin_at)));
}

Opened open_beneath(int root, const std::string& path, To to, Wait wait) {
    constexpr std::uint64_t beneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const char* const relative = relative_to_root(path);
    if (wait == Wait::no) return find_cached(root, relative, to_find, beneath);
    const std::uint64_t flags = to == To::read ? to_read : to_find;
    for (int tries = 0; has_openat2(); ++tries) {
        Opened out = opened(call(root, relative, flags, beneath));
        if (out.error != EAGAIN || tries == most_tries) return out;
    }
    return walk(root, relative, flags);
}

Opened open_linked(int root, const std::string& path, std::span<const std::string> folders, To to,
                   Wait wait) {
    const char* const relative = relative_to_root(path);
    Opened found = wait == Wait::no ? find_cached(root, relative, to_find, RESOLVE_NO_MAGICLINKS)
                                    : opened(call(root, relative, to_find, RESOLVE_NO_MAGICLINKS));
    if (found.error != 0) return found;
    const int descriptor = found.descriptor.get();
    const std::string place = place_of(descriptor);
    const auto allows = [&](const std::string& folder) { return is_below(place, folder); };
    if (std::ranges::none_of(folders, allows)) return failed(EXDEV);
    if (wait == Wait::no || to == To::find) return found;
    struct stat about {};
    if (::fstat(descriptor, &about) != 0) return failed(errno);
    if (!S_ISREG(about.st_mode)) return found;
    return opened(::open(by_descriptor(descriptor).c_str(), static_cast<int>(to_read)));
}

}  // namespace ticketgate::disk

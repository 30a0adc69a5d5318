#include "disk/folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <limits>

namespace ticketgate::disk {
namespace {

using Kind = files::Found::Kind;

// How long a root stays open before its path is looked up again.
constexpr Duration root_stays = 1s;

// Roots come from the config, so there are few; those of older configs go in time.
constexpr std::size_t most_roots = 64;

bool is_absence(int error) {
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == EINVAL;
}

// There, but not to be shown: a reader may not, a link out of the root or in a circle, a socket.
bool is_refusal(int error) {
    return error == EACCES || error == EPERM || error == EXDEV || error == ELOOP ||
           error == ENXIO || error == ENODEV;
}

// A file may bear a date that 64 bits of nanoseconds do not reach: before 1677, or after 2262.
std::int64_t mtime_ns(const struct stat& about) {
    constexpr std::int64_t per_s = 1'000'000'000;
    constexpr std::int64_t last_s = std::numeric_limits<std::int64_t>::max() / per_s - 1;
    const std::int64_t s = about.st_mtim.tv_sec;
    if (s > last_s || s < -last_s) return (s > 0 ? last_s : -last_s) * per_s;
    return s * per_s + about.st_mtim.tv_nsec;
}

}  // namespace

Root Roots::find(const std::string& path, Time now) {
    const auto found = entries_.find(path);
    if (found != entries_.end() && now < found->second.until) return found->second.root;
    Opened opened = open_root(path, Wait::no);
    if (opened.error != 0) return nullptr;
    auto root = std::make_shared<const Descriptor>(std::move(opened.descriptor));
    put(path, root, now);
    return root;
}

void Roots::put(const std::string& path, Root root, Time now) {
    if (entries_.size() >= most_roots && !entries_.contains(path)) entries_.clear();
    entries_[path] = {std::move(root), now + root_stays};
}

Root open_root_now(const std::string& path, int& error) {
    Opened opened = open_root(path, Wait::may);
    error = opened.error;
    if (error != 0) return nullptr;
    return std::make_shared<const Descriptor>(std::move(opened.descriptor));
}

files::Found Folder::open(const std::string& path) {
    if (!budget_->take()) {
        full_ = true;
        return {Kind::failed, nullptr};
    }
    Opened opened = open_beneath(root_->get(), path, wait_);
    // Of a link with `..` the kernel cannot tell without waiting that it leads out.
    const bool out = opened.error == EXDEV || (opened.error == EAGAIN && wait_ == Wait::no);
    if (out && !links_.empty()) {
        Opened linked = open_linked(root_->get(), path, links_, wait_);
        if (opened.error == EXDEV || linked.error == 0) opened = std::move(linked);
    }
    if (opened.error != 0) {
        budget_->give_back();
        return not_opened(path, opened.error);
    }
    const auto file = std::make_shared<File>(std::move(opened.descriptor), budget_);
    struct stat about {};
    if (::fstat(file->descriptor(), &about) != 0) return not_opened(path, errno);
    if (S_ISDIR(about.st_mode)) return {Kind::folder, nullptr};
    if (!S_ISREG(about.st_mode)) return {Kind::nothing, nullptr};
    file->size = static_cast<std::uint64_t>(about.st_size);
    file->mtime_ns = mtime_ns(about);
    return {Kind::file, file};
}

files::Found Folder::not_opened(const std::string& path, int error) {
    if (error == EAGAIN && wait_ == Wait::no) return {Kind::unknown, nullptr};
    if (is_absence(error)) return {Kind::nothing, nullptr};
    trouble_ = error;
    troubled_ = path;
    return {is_refusal(error) ? Kind::nothing : Kind::failed, nullptr};
}

}  // namespace ticketgate::disk

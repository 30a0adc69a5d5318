#include "disk/folder.hpp"

#include <cerrno>

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

Kind kind_of(const Seen& seen) {
    if (seen.kind == Seen::Kind::other) return Kind::nothing;
    return seen.kind == Seen::Kind::file ? Kind::file : Kind::folder;
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

files::Found Folder::find(const std::string& path) {
    const Opened opened = reach(path, To::find);
    if (opened.error != 0) return not_opened(path, opened.error);
    const auto seen = look_at(opened.descriptor.get());
    if (!seen) return not_opened(path, errno);
    return {kind_of(*seen), seen->identity.mtime_ns};
}

files::Found Folder::open(const std::string& path) {
    if (!budget_->take()) {
        full_ = true;
        return {Kind::failed};
    }
    files::Found found = open_in_budget(path);
    if (found.file == nullptr) budget_->give_back();
    return found;
}

// The file that it returns gives the place in the budget back.
files::Found Folder::open_in_budget(const std::string& path) {
    Opened opened = reach(path, To::read);
    if (opened.error != 0) return not_opened(path, opened.error);
    const auto seen = look_at(opened.descriptor.get());
    if (!seen) return not_opened(path, errno);
    if (seen->kind != Seen::Kind::file) return {kind_of(*seen)};
    OpenedFile file;
    if (wait_ == Wait::may) {
        file = budget_->share(std::move(opened.descriptor), seen->identity);
        opened_.push_back(file);
    } else if (auto kept = kept_->find(seen->identity, now_)) {
        file = *std::move(kept);
    } else {
        return {Kind::unknown};
    }
    return {Kind::file, seen->identity.mtime_ns, std::make_shared<File>(std::move(file), budget_)};
}

Opened Folder::reach(const std::string& path, To to) const {
    Opened opened = open_beneath(root_->get(), path, to, wait_);
    // Of a link with `..` the kernel cannot tell without waiting that it leads out.
    const bool out = opened.error == EXDEV || (opened.error == EAGAIN && wait_ == Wait::no);
    if (!out || links_.empty()) return opened;
    Opened linked = open_linked(root_->get(), path, links_, to, wait_);
    return opened.error == EXDEV || linked.error == 0 ? std::move(linked) : std::move(opened);
}

files::Found Folder::not_opened(const std::string& path, int error) {
    if (error == EAGAIN && wait_ == Wait::no) return {Kind::unknown};
    if (is_absence(error)) return {Kind::nothing};
    trouble_ = error;
    troubled_ = path;
    return {is_refusal(error) ? Kind::nothing : Kind::failed};
}

}  // namespace ticketgate::disk

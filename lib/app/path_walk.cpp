#include "app/path_walk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>

namespace ticketgate {
namespace {

constexpr int most_links = 40;  // as Linux

class Walker {
 public:
    Walker(const std::string& path, const OnStep& on_step) : on_step_(on_step) {
        std::error_code none;
        enter(path);
        if (at_.empty()) enter(std::filesystem::current_path(none));  // before what is left
    }

    PathWalk run() {
        while (!left_.empty()) {
            const std::string name = left_.front();
            left_.pop_front();
            if (name == ".." && at_.has_relative_path()) at_ = at_.parent_path();
            if (name.empty() || name == "." || name == "..") continue;
            if (!step(name)) return {{}, changed_};
        }
        return {at_.string(), changed_};
    }

 private:
    // Puts the names of a path before those that are left.
    void enter(const std::filesystem::path& path) {
        if (path.is_absolute()) at_ = path.root_path();
        const auto names = path.relative_path();
        left_.insert(left_.begin(), names.begin(), names.end());
    }

    bool step(const std::string& name) {
        on_step_(at_.string(), name);
        const auto next = at_ / name;
        struct stat about {};
        if (::lstat(next.c_str(), &about) != 0) return false;
        if (!S_ISDIR(about.st_mode)) note(about);
        if (!S_ISLNK(about.st_mode)) {
            at_ = next;
            return true;
        }
        std::error_code error;
        const auto target = std::filesystem::read_symlink(next, error);
        if (error || ++links_ > most_links) return false;
        enter(target);
        return true;
    }

    void note(const struct stat& about) {
        const auto us = about.st_ctim.tv_sec * 1'000'000 + about.st_ctim.tv_nsec / 1000;
        changed_.unix_us = std::max<std::int64_t>(changed_.unix_us, us);
    }

    const OnStep& on_step_;
    std::filesystem::path at_;
    std::deque<std::string> left_;
    WallTime changed_{};
    int links_ = 0;
};

}  // namespace

PathWalk walk_path(const std::string& path, const OnStep& on_step) {
    return Walker(path, on_step).run();
}

}  // namespace ticketgate

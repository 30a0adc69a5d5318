#include "app/config_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "app/path_walk.hpp"
#include "base/error.hpp"

namespace ticketgate {
namespace {

// IN_CLOSE_WRITE, not IN_MODIFY: a file that is written in parts is read once it is whole.
constexpr std::uint32_t of_folder = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                    IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
// A file mounted into a container alone is written without an event in any folder of the container.
constexpr std::uint32_t of_file = IN_CLOSE_WRITE | IN_ATTRIB;

// The times of files come from a clock that may be this much behind.
constexpr std::int64_t coarse_us = 20'000;

int make_inotify() {
    const int made = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (made < 0)
        throw std::system_error(errno, std::system_category(),
                                "--watch: cannot watch files (fs.inotify.max_user_instances)");
    return made;
}

}  // namespace

ConfigWatch::ConfigWatch(boost::asio::io_context& control, Log& log,
                         std::function<void()> on_change)
    : log_(log),
      on_change_(std::move(on_change)),
      inotify_(control, make_inotify()),
      timer_(control) {
    hear();
}

// The times of files tell of what happened before the watch. They tell nothing else: they may be
// those of another clock, and would make one reload after the other.
void ConfigWatch::follow(const Files& files, WallTime read_at) {
    Watches next;
    bool missed = false;
    for (const auto& file : files) {
        bool unseen = !files_.contains(file);
        const auto on_step = [&](const std::string& folder, const std::string& name) {
            unseen |= add(next, folder, of_folder, name);
        };
        const auto walk = walk_path(file, on_step);
        if (!walk.file.empty()) unseen |= add(next, walk.file, of_file, "");
        missed |= unseen && walk.changed.unix_us + coarse_us >= read_at.unix_us;
    }
    replace(std::move(next));
    files_ = files;
    if (missed) changed();
}

// The system has one watch for each folder, whatever the path to it; the last events count.
bool ConfigWatch::add(Watches& into, const std::string& path, std::uint32_t events,
                      const std::string& name) {
    const int watch = ::inotify_add_watch(inotify_.native_handle(), path.c_str(), events);
    if (watch < 0) {
        tell_unwatched(path, errno);
        return false;
    }
    unwatched_.erase(path);
    auto& names = into[watch];
    if (!name.empty()) names.insert(name);
    return !watches_.contains(watch);
}

void ConfigWatch::replace(Watches next) {
    for (const auto& [watch, names] : watches_)
        if (!next.contains(watch)) ::inotify_rm_watch(inotify_.native_handle(), watch);
    watches_ = std::move(next);
}

// A folder that is gone is no fault: the watch of the folder above it tells when it comes back.
void ConfigWatch::tell_unwatched(const std::string& path, int error) {
    if (error == ENOENT || error == ENOTDIR || !unwatched_.insert(path).second) return;
    const char* const why = error == ENOSPC ? "no watch is free; raise fs.inotify.max_user_watches"
                                            : std::strerror(error);
    log_.warn("changes of the config in this folder are not noticed",
              {{"folder", path}, {"why", why}});
}

void ConfigWatch::go_on() {
    inotify_.cancel();
    hear();
    if (waits_) read_later();
}

void ConfigWatch::hear() {
    inotify_.async_wait(inotify_.wait_read, [this](const error_code& error) {
        if (error) return;
        hear();  // first, so that an exception below ends no watch
        read_events();
    });
}

void ConfigWatch::read_events() {
    alignas(inotify_event) std::array<char, 16384> buffer;
    for (;;) {
        const auto size = ::read(inotify_.native_handle(), buffer.data(), buffer.size());
        if (size <= 0) return;
        for (const char* at = buffer.data(); at < buffer.data() + size;) {
            inotify_event event;
            std::memcpy(&event, at, sizeof event);
            const std::string_view name(at + sizeof event, event.len);
            if (concerns(event.wd, event.mask, name.substr(0, name.find('\0')))) changed();
            at += sizeof event + event.len;
        }
    }
}

bool ConfigWatch::concerns(int watch, std::uint32_t events, std::string_view name) const {
    if ((events & IN_Q_OVERFLOW) != 0) return true;  // something was lost
    const auto found = watches_.find(watch);
    if (found == watches_.end() || (events & IN_IGNORED) != 0) return false;
    return name.empty() || found->second.contains(name);
}

void ConfigWatch::changed() {
    if (!std::exchange(waits_, true)) first_ = monotonic_now();
    read_later();
}

void ConfigWatch::read_later() {
    timer_.expires_at(std::min(monotonic_now() + quiet, first_ + longest));
    timer_.async_wait([this](const error_code& error) {
        if (error) return;  // another change came
        waits_ = false;
        on_change_();
    });
}

}  // namespace ticketgate

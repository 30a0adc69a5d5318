// Notices that a file of the configuration was replaced, written in place, or that a link on the
// way to it leads elsewhere, as a Kubernetes ConfigMap changes. inotify, on the control thread's
// Asio loop. Owned by App; control thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "app/config_files.hpp"
#include "base/clock.hpp"
#include "log/log.hpp"

namespace ticketgate {

class ConfigWatch {
 public:
    /// Changes that follow one another within this time are one change: an editor, a deployment or
    /// a ConfigMap takes several steps.
    static constexpr Duration quiet = 200ms;
    /// But a file that changes all the time is still read this often.
    static constexpr Duration longest = 2s;

    /// `on_change` runs on the control thread. Throws std::system_error if there is no inotify.
    ConfigWatch(boost::asio::io_context& control, Log& log, std::function<void()> on_change);

    /// From now on, watches these files and no others. `read_at`: when they were read, or begun to
    /// be; a file that was changed since then, where nothing was watched, counts as changed.
    void follow(const Files& files, WallTime read_at);
    /// Waits for events, and for the end of a change, also after an exception.
    void go_on();

 private:
    // What matters in a watched folder; without a name: any event of it (a file).
    using Names = std::set<std::string, std::less<>>;
    using Watches = std::map<int, Names>;

    // True: it was not watched before.
    bool add(Watches& into, const std::string& path, std::uint32_t events, const std::string& name);
    void replace(Watches next);
    void hear();
    void read_events();
    bool concerns(int watch, std::uint32_t events, std::string_view name) const;
    void changed();
    void read_later();
    void tell_unwatched(const std::string& path, int error);

    Log& log_;
    const std::function<void()> on_change_;
    boost::asio::posix::stream_descriptor inotify_;
    boost::asio::steady_timer timer_;
    Watches watches_;
    Files files_;
    std::set<std::string> unwatched_;
    bool waits_ = false;  // for quiet
    Time first_{};        // of the changes that wait
};

}  // namespace ticketgate

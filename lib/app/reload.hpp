// Reloads the config file: a valid one takes force at once, an invalid one changes nothing. Owned
// by App; control thread.
#pragma once

#include <string>
#include <vector>

#include "admin/pages.hpp"
#include "admin/standing.hpp"
#include "app/identities.hpp"
#include "base/clock.hpp"
#include "config/environment.hpp"
#include "config/load.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"

namespace ticketgate {

class Reload {
 public:
    /// `started` and `running` are from the start: no reload changes them.
    Reload(std::string path, config::Environment environment, config::Config started,
           const Identities& running, Log& log, metrics::Registry& metrics, Assembly& assembly,
           Front& front);

    /// Logs and returns the problems of the file. If there are none, the file is in force, except
    /// for the keys that need a restart.
    admin::Reloaded run();
    const std::string& path() const { return path_; }
    /// Fills in the file, when it was loaded, and the last reload with its problems.
    void tell(admin::Standing& standing) const;

 private:
    config::Loaded load() const;
    admin::Reloaded apply(config::Loaded loaded);
    void put_in_force(config::Config next);
    std::vector<std::string> tell_what_needs_a_restart();
    void tell_of_left_queues(std::vector<std::string>& warnings);
    const std::string path_;
    const config::Environment environment_;
    const config::Config started_;
    const Identities& running_;
    Log& log_;
    Assembly& assembly_;
    Front& front_;
    metrics::Gauge& successful_;
    WallTime loaded_ = wall_now(), last_{};  // last_: of the last reload, good or bad
    admin::Reloaded result_;                 // of that reload
};

}  // namespace ticketgate

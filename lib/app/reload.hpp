// Reloads the config file: a valid one takes force at once, an invalid one changes nothing. Owned
// by App; control thread.
#pragma once

#include <string>
#include <vector>

#include "admin/config_view.hpp"
#include "admin/standing.hpp"
#include "app/config_files.hpp"
#include "app/identities.hpp"
#include "base/clock.hpp"
#include "config/environment.hpp"
#include "config/load.hpp"
#include "otlp/exporter.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

/// The reading of the file before the process started.
struct FirstRead {
    WallTime at = wall_now();                ///< when it began
    Files files = {};                        ///< that the file names
    std::vector<std::string> warnings = {};  ///< of the file, as they are printed
};

class Reload {
 public:
    /// `started`, `first` and `running` are from the start: no reload changes them. `replica`:
    /// null: not of a cluster.
    Reload(std::string path, config::Environment environment, config::Config started,
           const FirstRead& first, const Identities& running, Log& log, metrics::Registry& metrics,
           Assembly& assembly, Front& front, replica::Replica* replica, otlp::Exporter& exporter);

    /// Logs and returns the problems of the file. If there are none, the file is in force, except
    /// for the keys that need a restart.
    admin::Reloaded run(admin::ReadBy by);
    const std::string& path() const { return path_; }
    /// The config in force and the last reading. `watched` is the caller's to tell.
    const admin::ConfigView& view() const { return view_; }
    /// The file, and the files that the config in force and the one that was read last name.
    const Files& files() const { return files_; }
    /// Fills in the file, when it was loaded, and the last reload with its problems.
    void tell(admin::Standing& standing) const;

 private:
    config::Loaded load() const;
    void note_files(Files read, bool in_force);
    void note_read(admin::ConfigRead read);
    void tell(const admin::ConfigRead& read);
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
    replica::Replica* const replica_;
    otlp::Exporter& exporter_;
    metrics::Gauge &successful_, &success_time_;
    admin::ConfigView view_;
    Files in_force_files_, files_;
};

}  // namespace ticketgate

// Loads the config file again while the process runs: a good one is in force from then on, a bad
// one changes nothing. Owned by App; control thread.
#pragma once

#include <string>
#include <vector>

#include "app/identities.hpp"
#include "config/environment.hpp"
#include "config/load.hpp"
#include "proxy/assembly.hpp"
#include "proxy/front.hpp"

namespace ticketgate {

class Reload {
 public:
    /// `running` are those of the start: no reload changes them.
    Reload(std::string path, config::Environment environment, const Identities& running, Log& log,
           metrics::Registry& metrics, Assembly& assembly, Front& front);

    /// Returns the problems of the file, and logs them. Empty: the file is in force.
    std::vector<std::string> run();

 private:
    config::Loaded load() const;
    std::vector<std::string> apply(config::Loaded loaded);
    void put_in_force(config::Config next);
    const std::string path_;
    const config::Environment environment_;
    const Identities& running_;
    Log& log_;
    Assembly& assembly_;
    Front& front_;
    metrics::Gauge& successful_;
};

}  // namespace ticketgate

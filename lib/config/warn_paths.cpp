// The checks that ask which routes apply to a path.
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {

void warn_paths(const Config& config, Problems& problems) {
    if (!problems.knows("routes") || !problems.knows("defaults")) return;
    const RouteIndex index(config);
    warn_scripts(config, index, problems);
    warn_pages(config, index, problems);
    warn_unreached(config, index, problems);
}

}  // namespace ticketgate::config

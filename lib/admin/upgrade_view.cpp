#include "admin/upgrade_view.hpp"

#include <boost/json/object.hpp>

#include "admin/print_json.hpp"

namespace ticketgate::admin {

std::string upgrade_text(const Upgrading& upgrading) {
    if (upgrading.state == "failed")
        return "the last upgrade failed, and this process goes on: " + upgrading.why;
    if (upgrading.old_pid == 0) return {};
    const auto pid = std::to_string(upgrading.old_pid);
    return "the old process, pid " + pid + ", still finishes its requests; TERM to " + pid +
           " makes it drain, and a second one ends it, with what it runs";
}

std::string upgrade_json(const Upgrading& upgrading) {
    return print_json(boost::json::object{
               {"pid", upgrading.pid},
               {"state", upgrading.state},
               {"successor", upgrading.successor},
               {"old_process", upgrading.old_process},
               {"old_pid", upgrading.old_pid},
               {"old_ended", upgrading.old_ended},
               {"why", upgrading.why},
           }) +
           "\n";
}

}  // namespace ticketgate::admin

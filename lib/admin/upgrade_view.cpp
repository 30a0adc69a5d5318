#include "admin/upgrade_view.hpp"

#include <boost/json/object.hpp>

#include "admin/print_json.hpp"

namespace ticketgate::admin {

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

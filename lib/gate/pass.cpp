#include "gate/pass.hpp"

#include <boost/intrusive/parent_from_member.hpp>

namespace ticketgate {

Pass& Pass::of(queue::Ticket& ticket) {
    return *boost::intrusive::get_parent_from_member(&ticket, &Pass::ticket_);
}

const Pass& Pass::of(const queue::Ticket& ticket) {
    return *boost::intrusive::get_parent_from_member(&ticket, &Pass::ticket_);
}

void Pass::run() {
    if (waiter_ != nullptr) waiter_->notify_first();
}

}  // namespace ticketgate

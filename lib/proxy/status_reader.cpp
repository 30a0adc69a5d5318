#include "proxy/status_reader.hpp"

namespace ticketgate {
namespace {

// Room for a table of thousands of workers.
constexpr std::size_t max_answer = 4 << 20;

// A name can have several machines; a unix socket is on this one.
bool may_be_one_machine(const StatusReader& one, const StatusReader& other) {
    const std::string here = one.address(), there = other.address();
    const auto host = [](const std::string& address) {
        return std::string_view(address).substr(0, address.rfind(':'));
    };
    const bool local = here.find('/') != here.npos || there.find('/') != there.npos;
    return local || host(here) == host(there);
}

}  // namespace

StatusReader::StatusReader(WorkerStatus& workers, net::Loop& loop, const net::Endpoint& sent_to,
                           http::SpoolBudget& spool, Observer& observer)
    : exchange_(workers.ask(loop, sent_to, head_)), none_(spool) {
    exchange_->observe(&observer);
}

StatusReader::StatusReader(Knock, WorkerStatus& workers, net::Loop& loop, http::SpoolBudget& spool,
                           Observer& observer)
    : exchange_(workers.knock(loop, head_)), none_(spool) {
    exchange_->observe(&observer);
}

result<Step> StatusReader::advance() {
    if (!sent_) {
        const auto step = exchange_->send(head_, none_);
        if (!step || *step != Step::done) return step;
        sent_ = true;
    }
    if (!begun_) {
        const auto step = exchange_->read_head(false, response_);
        if (!step || *step != Step::done) return step;
        begun_ = true;
        if (response_.status != 200) return errc::upstream_bad_response;
    }
    return read_page();
}

result<Step> StatusReader::read_page() {
    for (;;) {
        std::string_view piece;
        const auto step = exchange_->read_body(piece);
        if (!step || *step == Step::blocked || piece.empty()) return step;
        if (answer_.size() + piece.size() > max_answer) return errc::upstream_bad_response;
        answer_ += piece;
    }
}

fcgi::StatusFailure StatusReader::failure(error_code error) const {
    return {error, exchange_->refusal(), begun_ ? response_.status : std::uint16_t{0}};
}

std::string compare_pools(WorkerStatus& workers, const StatusReader& page,
                          const StatusReader& at_scripts) {
    const bool known = at_scripts.begun() && may_be_one_machine(page, at_scripts);
    return workers.compare_pools(page.answer(), known ? at_scripts.answer() : page.answer());
}

}  // namespace ticketgate

#include "proxy/status_reader.hpp"

#include <utility>

namespace ticketgate {
namespace {

// Room for a table of thousands of workers.
constexpr std::size_t max_answer = 4 << 20;

bool is_loopback(std::string_view host) {
    return host.starts_with("127.") || host == "[::1]" || host == "localhost";
}

// A name can have several machines; a unix socket is on this one.
bool may_be_one_machine(const std::string& here, const std::string& there) {
    const auto host = [](const std::string& address) {
        return std::string_view(address).substr(0, address.rfind(':'));
    };
    const bool local = here.find('/') != here.npos || there.find('/') != there.npos;
    const bool loops = is_loopback(host(here)) && is_loopback(host(there));
    return local || loops || host(here) == host(there);
}

}  // namespace

StatusReader::StatusReader(WorkerStatus& workers, net::Loop& loop, const net::Endpoint& sent_to,
                           http::SpoolBudget& spool, Observer& observer, Duration patience)
    : exchange_(workers.ask(loop, sent_to, head_)), none_(spool) {
    exchange_->observe(&observer);
    exchange_->connect_within(patience);
}

StatusReader::StatusReader(Knock, WorkerStatus& workers, net::Loop& loop, http::SpoolBudget& spool,
                           Observer& observer, Duration patience)
    : exchange_(workers.knock(loop, head_)), none_(spool) {
    exchange_->observe(&observer);
    exchange_->connect_within(patience);
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
        if (!step || *step == Step::blocked) return step;
        if (piece.empty()) {
            whole_ = true;
            return step;
        }
        if (answer_.size() + piece.size() > max_answer) return errc::upstream_bad_response;
        answer_ += piece;
    }
}

fcgi::StatusFailure StatusReader::failure(error_code error) const {
    return {error, exchange_->refusal(), begun_ ? response_.status : std::uint16_t{0}};
}

StatusAnswer StatusReader::told() const {
    const bool none = begun_ && response_.status >= 400 && response_.status < 500;
    if (whole_ || none) return {address(), answer_};
    return {address(), std::nullopt};
}

const char* Comparison::words() const {
    switch (pools) {
        case Pools::one:
            return "that of the scripts";
        case Pools::not_compared:
            return "not compared: url and status: url have two hosts";
        case Pools::not_known:
            return "not known yet: the listener of the scripts did not answer";
        case Pools::two:
            break;
    }
    return "another one than that of the scripts";
}

Comparison compare_pools(WorkerStatus& workers, const StatusAnswer& page,
                         const StatusAnswer& at_scripts) {
    using enum Comparison::Pools;
    if (!page.page || !at_scripts.page) return {not_known, {}};
    if (!may_be_one_machine(page.address, at_scripts.address)) {
        (void)workers.compare_pools(*page.page, *page.page);
        return {not_compared, {}};
    }
    auto why = workers.compare_pools(*page.page, *at_scripts.page);
    return {why.empty() ? one : two, std::move(why)};
}

}  // namespace ticketgate

// What an exchange does for the link of a worker (upstream/worker_link.hpp).
#include <array>
#include <utility>

#include "net/pieces.hpp"
#include "upstream/pool.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {
void PooledExchange::talk_over(std::unique_ptr<net::Stream> stream) {
    stream_ = std::move(stream);
    connected_ = true;
}

result<Step> PooledExchange::send_ahead(std::string_view start) {
    if (!connected_) {
        const auto step = connect();
        if (!step || *step != Step::done) return step;
    }
    while (sent_ahead_ < start.size()) {
        const std::array<iovec, 1> rest{net::piece(start.substr(sent_ahead_))};
        const auto written = stream_->write_some(rest);
        if (written.status == net::Io::failed) {
            write_failed_ = true;
            return errc::upstream_broke;
        }
        if (written.status != net::Io::ok || written.bytes == 0) return Step::blocked;
        sent_ahead_ += written.bytes;
        written_ += written.bytes;
    }
    return reads_all();
}

// The end of a unix socket takes what is unread along, and can be seen before that. So an empty
// queue is a proof only if the connection stands behind it.
result<Step> PooledExchange::reads_all() {
    const bool unread = stream_->backlog() > all_but_read;
    stream_->look();
    if (stirred()) return errc::upstream_broke;
    return unread || !quiet() ? Step::blocked : Step::done;
}

bool PooledExchange::kept() const {
    return pool_.settings().max_idle > 0 && !mute() && whole() && quiet();
}

void PooledExchange::begin_again() {
    renew();
    reset_exchange();
}

void PooledExchange::hang_up() noexcept {
    if (stream_) stream_->hang_up();
}

}  // namespace ticketgate

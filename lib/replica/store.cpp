#include "replica/store.hpp"

#include <utility>

namespace ticketgate::replica {

namespace wire = cluster::etcd;
using cluster::Written;

Store::Store(boost::asio::io_context& io, const etcd::Settings& settings, std::string_view cluster,
             cluster::Replica self, seconds lease, Timed timed)
    : client_(io, settings),
      keys_(cluster),
      self_(std::move(self)),
      lease_time_(lease),
      timed_(std::move(timed)) {}

Awaitable<etcd::Answer> Store::call(StoreCall kind, wire::Call call) {
    const Time begun = monotonic_now();
    etcd::Answer answer = co_await client_.call(std::move(call));
    if (timed_) timed_(kind, monotonic_now() - begun);
    if (kind == StoreCall::write && answer.body) full_ = false;
    if (answer.failure.fault == wire::Fault::no_space) full_ = true;
    co_return answer;
}

Awaitable<Look> Store::look() {
    Look look;
    look.sent = boot_now();
    auto call = wire::read_all(keys_.prefix());
    const etcd::Answer answer = co_await this->call(StoreCall::read, std::move(call));
    look.why = answer.failure.message;
    if (!answer.body) co_return look;
    const auto snapshot = wire::read_snapshot(*answer.body);
    if (!snapshot)
        look.why = "not an answer of etcd";
    else
        look.contents = cluster::read_contents(keys_, *snapshot, look.why);
    if (look.contents) cluster_ = look.contents->cluster;
    co_return look;
}

Awaitable<Ended> Store::write(std::string queue, cluster::Write write) {
    const auto transaction =
        cluster::transaction_of(keys_, cluster_, queue, self_.self.id, write, wall_now());
    auto call = wire::write(transaction);
    const etcd::Answer answer = co_await this->call(StoreCall::write, std::move(call));
    Ended ended;
    ended.why = answer.failure.message;
    // By one try: a second one says nothing of the first.
    if (answer.failure.fault == wire::Fault::no_space) ended.how = Written::failed;
    const auto outcome = answer.body ? wire::read_outcome(*answer.body) : std::nullopt;
    if (!outcome) co_return ended;
    ended.how = outcome->done ? Written::done : Written::refused;
    ended.version = outcome->revision;
    co_return ended;
}

void Store::relist(const std::string& queue, const std::string& text) {
    if (std::exchange(self_.queues[queue], text) != text) listed_ = false;
}

Awaitable<std::string> Store::announce() {
    if (lease_ != 0) {
        auto call = wire::renew_lease(lease_);
        const etcd::Answer answer = co_await this->call(StoreCall::renew, std::move(call));
        if (!answer.body) co_return answer.failure.message;
        if (wire::read_renewal(*answer.body) == 0s) lease_ = 0;
    }
    if (lease_ == 0) {
        listed_ = false;
        auto call = wire::grant_lease(lease_time_);
        const etcd::Answer answer = co_await this->call(StoreCall::renew, std::move(call));
        if (!answer.body) co_return answer.failure.message;
        lease_ = wire::read_lease(*answer.body).value_or(0);
    }
    if (listed_ && !full_) co_return std::string();
    co_return co_await list();
}

Awaitable<std::string> Store::list() {
    wire::Transaction transaction;
    transaction.conditions.push_back({keys_.cluster(), cluster_, 0});
    transaction.puts.push_back(
        {keys_.replica(self_.self.id), cluster::write_replica(self_), lease_});
    auto call = wire::write(transaction);
    const etcd::Answer answer = co_await this->call(StoreCall::write, std::move(call));
    if (answer.failure.fault == wire::Fault::no_lease) lease_ = 0;
    if (!answer.body) co_return answer.failure.message;
    const auto outcome = wire::read_outcome(*answer.body);
    listed_ = outcome && outcome->done;
    co_return std::string();
}

}  // namespace ticketgate::replica

#include "upstream/leased_exchange.hpp"

#include <cerrno>
#include <cstring>

#include "base/shortage.hpp"

namespace ticketgate {

LeasedExchange::LeasedExchange(std::shared_ptr<spawn::Pool> pool, net::Loop& loop)
    : pool_(std::move(pool)), loop_(loop) {}

LeasedExchange::~LeasedExchange() {
    if (waiter_) pool_->cancel(*waiter_);
    if (worker_) link().give_back();
}

void LeasedExchange::observe(Observer* observer) {
    observer_ = observer;
    if (worker_) link().lease(loop_, observer);
}

// ── a worker ──

void LeasedExchange::take() {
    waiter_ = std::make_shared<spawn::Waiter>(loop_);
    waiter_->arrived = [this] {
        got(std::exchange(waiter_->worker, nullptr));
        if (observer_ != nullptr) observer_->notify();
    };
    if (auto worker = pool_->take(waiter_)) got(std::move(worker));
}

void LeasedExchange::got(std::shared_ptr<spawn::Worker> worker) {
    waiter_.reset();
    worker_ = std::move(worker);
    phase_ = Phase::proving;
    link().drop_spent();  // the worker may have written to it while it was idle
    link().lease(loop_, observer_);
}

// done: the worker has the request. One that has died since it was idle has got nothing of it, so
// another one takes its place.
result<Step> LeasedExchange::prepare() {
    for (;;) {
        if (phase_ == Phase::waiting && !waiter_) take();
        if (phase_ == Phase::waiting) return Step::blocked;
        const Proof proof = link().prove_now();
        if (proof == Proof::working) return Step::blocked;
        if (proof == Proof::idle)
            if (const auto step = begin()) return *step;
        take_another();
    }
}

// Empty: the worker is gone. blocked: it has not taken its connection yet, or the system has no
// memory to pass it.
std::optional<result<Step>> LeasedExchange::begin() {
    if (!link().begin()) {
        const int why = errno;
        if (link().prove() == Proof::gone) return {};
        refusal_ = why;
        if (!no_memory_now(why)) return errc::upstream_refused;
        link().retry_later(retry_after);
        return Step::blocked;
    }
    refusal_ = 0;
    if (link().offered()) return Step::blocked;
    phase_ = Phase::serving;
    pool_->serves(*worker_, request_id_);
    return Step::done;
}

// The dead one stays busy until its process is reaped: no request gets it, and it counts.
void LeasedExchange::take_another() noexcept {
    link().give_back();
    worker_.reset();
    phase_ = Phase::waiting;
}

// ── the exchange ──

// Each turn of the loop uses up an idle worker. One that lives takes a new connection, and is idle
// again when it has read from that.
result<Step> LeasedExchange::send(std::string_view head, Body& body) {
    while (phase_ != Phase::serving) {
        const auto step = prepare();
        if (!step || *step != Step::done) return step;
        const auto sent = inner()->send(head, body);
        if (sent || !link().spared()) return sent;
        pool_->spared(*worker_);
        if (worker_->life.over()) link().give_up();
        take_another();
    }
    link().hear();
    return inner()->send(head, body);
}

result<Step> LeasedExchange::read_head(bool to_head_request, http::ResponseHead& head) {
    link().hear();
    return inner()->read_head(to_head_request, head);
}

result<Step> LeasedExchange::read_body(std::string_view& piece) {
    link().hear();
    return inner()->read_body(piece);
}

void LeasedExchange::finish_sending() {
    if (inner() != nullptr) inner()->finish_sending();
}

bool LeasedExchange::settled() const {
    if (phase_ != Phase::serving || proven_) return true;
    return worker_->ended && inner()->settled();
}

Step LeasedExchange::outlast(bool to_head_request, http::ResponseHead& scratch) noexcept {
    if (settled()) return Step::done;
    link().hear();
    const bool over =
        inner()->settled() || inner()->outlast(to_head_request, scratch) == Step::done;
    inner()->part_if_spent();
    if (!over) return Step::blocked;
    inner()->drop_rest();
    proven_ = link().prove() != Proof::working;
    return proven_ ? Step::done : Step::blocked;
}

void LeasedExchange::finish(std::unique_ptr<Exchange> self) {
    self.reset();  // the link keeps the connection
}

// ── for the log ──

std::string LeasedExchange::fault() const {
    if (inner() != nullptr && (worker_->ended || worker_->life.over()))
        return "the worker has ended";
    if (inner() != nullptr && link().heard_early())
        return "the worker gave its cookie back before its answer had an end";
    if (inner() != nullptr) return inner()->fault();
    if (refusal_ != 0) return std::strerror(refusal_);
    const std::string trouble = pool_->trouble();
    if (!trouble.empty()) return "no worker could be started: " + trouble;
    const spawn::PoolFigures figures = pool_->figures();
    const auto busy = figures.workers[static_cast<std::size_t>(spawn::WorkerState::busy)];
    return "no worker was free in time: " + std::to_string(busy) + " of at most " +
           std::to_string(figures.max) + " run requests";
}

std::string LeasedExchange::remedy() const {
    if (inner() != nullptr || refusal_ != 0) return {};
    if (!pool_->trouble().empty())
        return "run the command of upstreams." + pool_->name() +
               ".workers by hand, as the same user: it must be a FastCGI program, such as php-cgi";
    return "raise upstreams." + pool_->name() +
           ".workers.max (a call from inside needs a worker beside its caller's), or give routes "
           "without a queue one, where requests wait for longer";
}

std::string LeasedExchange::address() const {
    if (!worker_) return "workers of " + pool_->name();
    return "worker " + std::to_string(worker_->number) + " (pid " + std::to_string(worker_->pid) +
           ")";
}

}  // namespace ticketgate

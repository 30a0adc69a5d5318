#include "upstream/worker_link.hpp"

#include <exception>

namespace ticketgate {

WorkerLink::WorkerLink(std::shared_ptr<FcgiUpstream> upstream, std::shared_ptr<spawn::Pool> pool,
                       spawn::Worker& worker)
    : upstream_(std::move(upstream)),
      pool_(std::move(pool)),
      worker_(worker),
      retry_(*this),
      look_([this] {
          looks_ = false;
          look();
      }) {}

void WorkerLink::lease(net::Loop& loop, Observer* observer) {
    leased_ = true;
    rests_ = false;
    observer_ = observer;
    come_to(loop);
    retry_.disarm();
    if (exchange_) exchange_->observe(observer);
    observe(observer);
}

void WorkerLink::give_back() noexcept {
    leased_ = offered_ = false;
    observer_ = nullptr;
    drop_spent();  // the rest of an answer that nobody reads would keep the worker from its end
    if (exchange_) exchange_->observe(this);
    observe(this);
    look();
}

// A process that ends reads nothing more. It may not be reaped yet, keeps its descriptors while its
// memory is freed, and its listening socket is the pool's.
Proof WorkerLink::prove_now() noexcept {
    const Proof proof = prove();
    if (proof == Proof::idle && worker_.life.ends()) part();
    if (!parted_) return proof;
    give_up();
    return Proof::gone;
}

void WorkerLink::part() noexcept {
    parted_ = true;
    pool_->parted(worker_);
}

void WorkerLink::drop_spent() noexcept {
    if (exchange_ && !exchange_->kept()) exchange_.reset();
}

void WorkerLink::arrive(net::Loop& loop) noexcept {
    leased_ = rests_ = false;
    try {
        come_to(loop);
    } catch (const std::exception&) {
        return retry_later(retry_after);
    }
    look();
}

void WorkerLink::come_to(net::Loop& loop) {
    loop_ = &loop;
    enter_loop();  // does nothing the second time
}

// Also where the worker lives: the system took nothing of the request, so nobody can have read it.
bool WorkerLink::spared() const {
    return exchange_->sent_nothing() && (worker_.life.over() || exchange_->unwritable());
}

bool WorkerLink::leave() noexcept {
    if (looks_) return false;
    if (loop_ == nullptr) return true;
    retry_.disarm();
    exchange_.reset();
    leave_loop();
    loop_ = nullptr;
    return true;
}

bool WorkerLink::close() noexcept {
    return leave();
}

bool WorkerLink::process_ended() noexcept {
    if (exchange_) exchange_->hang_up();
    hang_up();
    if (leased_ && observer_ != nullptr) observer_->notify();
    return true;
}

void WorkerLink::retry_later(Duration after) noexcept {
    loop_->arm(retry_, after);
}

// An event says nothing about other connections of the same batch: looks at all of it in the next
// turn. A worker that is about to be freed has nobody to be idle for.
void WorkerLink::notify() {
    if (leased_ && observer_ != nullptr) return observer_->notify();  // of retry_
    auto worker = worker_.weak_from_this().lock();
    if (worker == nullptr || std::exchange(looks_, true)) return;
    loop_->post(look_, std::move(worker));
}

// While no request has it.
void WorkerLink::look() noexcept {
    if (leased_ || rests_ || loop_ == nullptr || prove() != Proof::idle) return;
    rests_ = true;
    pool_->idle(worker_, shown());
}

}  // namespace ticketgate

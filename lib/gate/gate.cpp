#include "gate/gate.hpp"

namespace ticketgate {

Place::~Place() {
    if (pass_ == nullptr) return;
    if (here_ == &gate_->home()) pass_->wake(nullptr);
    gate_->drop(*pass_, *here_);
}

void Place::arrive(Signal& waiter) {
    here_ = &gate_->home();
    pass_->wake(&waiter);
}

Slot Place::begin() && {
    if (here_ == &gate_->home()) pass_->wake(nullptr);
    const queue::State state = gate_->begin(*pass_);
    const auto pass = std::move(pass_);
    if (state == queue::State::revoked) return {};
    return Slot(std::move(gate_), pass, here_);
}

void Slot::give_back() noexcept {
    if (pass_ == nullptr) return;
    observe(nullptr);
    const auto pass = std::move(pass_);
    gate_->leave(*pass, *here_);
}

bool Slot::fail_open() noexcept {
    if (pass_ == nullptr) return false;
    observe(nullptr);
    const auto pass = std::move(pass_);
    gate_->fail_open(*pass, *here_);
    return !pass->withdrawn();
}

}  // namespace ticketgate

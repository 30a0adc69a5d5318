#include "net/loop_thread.hpp"

namespace ticketgate::net {

LoopThread::LoopThread()
    : thread_([start = start_.get_future()]() mutable {
          if (Loop* const loop = start.get()) loop->run();
      }) {}

LoopThread::~LoopThread() {
    if (!thread_.joinable()) return;  // joined, or moved from
    loop_ != nullptr ? loop_->stop() : start_.set_value(nullptr);
    thread_.join();
}

void LoopThread::run(Loop& loop) noexcept {
    loop_ = &loop;
    start_.set_value(&loop);
}

}  // namespace ticketgate::net

#include "admin/live.hpp"

#include <utility>

#include "base/error.hpp"

namespace ticketgate::admin {

Live::Viewer::Viewer(std::shared_ptr<Live> live) : live_(std::move(live)) {
    live_->viewers_.push_back(*this);
}

Live::Viewer::~Viewer() {
    live_->viewers_.erase(live_->viewers_.iterator_to(*this));
}

// The history comes before the picture that it belongs to.
Live::Text Live::Viewer::next() {
    if (past_ != live_->past_) return past_ = live_->past_;
    if (picture_ != live_->picture_) return picture_ = live_->picture_;
    return nullptr;
}

Live::Live(boost::asio::io_context& control, std::size_t most_viewers, Sources sources)
    : most_viewers_(most_viewers),
      sources_(std::move(sources)),
      next_record_(control),
      next_picture_(control) {}

void Live::start() {
    record();
}

void Live::stop() {
    sources_ = {};
    next_record_.cancel();
    next_picture_.cancel();
}

void Live::go_on() {
    record_later();
    if (!viewers_.empty()) come_back();
}

std::unique_ptr<Events> Live::watch() {
    if (full()) return nullptr;
    const bool first = viewers_.empty();
    auto viewer = std::make_unique<Viewer>(shared_from_this());
    if (first && monotonic_now() - made_ >= pace) make_picture();
    return viewer;
}

void Live::record() {
    history_.add(sources_.readings());
    past_ = nullptr;  // the next picture makes it anew
    record_later();
}

void Live::record_later() {
    next_record_.expires_after(History::step);
    next_record_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error && self->sources_.readings) self->record();
    });
}

// Also makes the history if there is none, for the first viewer.
void Live::make_picture() {
    if (past_ == nullptr)
        past_ = std::make_shared<const std::string>(
            "event: history\ndata: " + sources_.history(history_) + "\n\n");
    picture_ =
        std::make_shared<const std::string>("data: " + sources_.picture(viewers_.size()) + "\n\n");
    made_ = monotonic_now();
    for (const Viewer& viewer : viewers_)
        if (viewer.wake) viewer.wake();
    come_back();
}

void Live::come_back() {
    next_picture_.expires_after(pace);
    next_picture_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error && self->sources_.picture && !self->viewers_.empty()) self->make_picture();
    });
}

}  // namespace ticketgate::admin

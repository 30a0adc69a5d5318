#include "top/browser.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "top/told.hpp"

namespace ticketgate::top {
namespace {

// Larger is more worth a look: queues that stand first, then by how long they have not moved.
auto need_of_a_look(const QueueLine& queue) {
    return std::tuple(queue.stands(), queue.waiting > 0, queue.stalled, queue.oldest_hold,
                      queue.oldest_wait);
}

double rank(const QueueLine& queue, Sort sort) {
    switch (sort) {
        case Sort::waiting:
            return static_cast<double>(queue.waiting);
        case Sort::oldest_run:
            return queue.oldest_hold;
        case Sort::oldest_wait:
            return queue.oldest_wait;
        case Sort::name:
            break;
    }
    return 0;
}

Sort after(Sort sort) {
    return sort == Sort::oldest_wait ? Sort::name
                                     : static_cast<Sort>(static_cast<std::uint8_t>(sort) + 1);
}

}  // namespace

void Browser::show(std::vector<QueueLine> queues) {
    queues_ = std::move(queues);
    sort_queues();
    const auto same = [&](const QueueLine& queue) { return queue.name == selected_; };
    if (std::ranges::any_of(queues_, same)) return;
    const auto by_need = [](const QueueLine& a, const QueueLine& b) {
        return need_of_a_look(a) < need_of_a_look(b);
    };
    const auto most = std::ranges::max_element(queues_, by_need);
    selected_ = most == queues_.end() ? std::string() : most->name;
    tickets_.reset();
}

void Browser::show(Tickets tickets) {
    if (tickets.queue.name != selected_) return;
    tickets_ = std::move(tickets);
    const auto* const now = running(*tickets_, chosen_);
    if (now == nullptr || now->number != chosen_) chosen_ = 0;
    close_question_if_gone();
}

// The question is about one request. When that is over, its number may be another request's.
void Browser::close_question_if_gone() {
    if (!order_ || order_->queue != selected_) return;
    const auto same = [this](const TicketLine& line) {
        return line.number == order_->number && line.request_id == order_->request_id;
    };
    const auto shown =
        std::ranges::count(tickets_->lines, TicketState::running, &TicketLine::state);
    const bool all_shown = static_cast<std::uint64_t>(shown) >= tickets_->queue.in_flight;
    if (!all_shown || std::ranges::any_of(tickets_->lines, same)) return;
    tell("not released: number " + std::to_string(order_->number) + ", request id " +
         order_->request_id + ", does not run any more");
    order_.reset();
}

void Browser::sort_queues() {
    std::ranges::sort(queues_, [this](const QueueLine& a, const QueueLine& b) {
        const double of_a = rank(a, sort_), of_b = rank(b, sort_);
        return of_a != of_b ? of_a > of_b : a.name < b.name;
    });
}

std::size_t Browser::selected_row() const {
    const auto found = std::ranges::find(queues_, selected_, &QueueLine::name);
    return found == queues_.end() ? 0 : static_cast<std::size_t>(found - queues_.begin());
}

Wish Browser::press(const Pressed& key) {
    message_.clear();
    if (key.key == Key::interrupt) return Wish::quit;
    if (key.key == Key::suspend) return Wish::suspend;
    if (key.key == Key::redraw) return Wish::draw;
    if (order_) return answer(key);
    if (key.key == Key::up) return move(-1);
    if (key.key == Key::down) return move(1);
    if (key.key == Key::tab) choose_next();
    if (key.key == Key::letter) return letter(key.letter);
    return Wish::draw;
}

// Only `y` releases: no key that is pressed by mistake, twice or ahead of the picture.
Wish Browser::answer(const Pressed& key) {
    if (key == Pressed{Key::letter, 'y'}) return Wish::release;
    order_.reset();
    tell("not released");
    return Wish::draw;
}

Wish Browser::letter(char letter) {
    switch (letter) {
        case 'q':
            return Wish::quit;
        case 'j':
            return move(1);
        case 'k':
            return move(-1);
        case 'p':
            frozen_ = !frozen_;
            return frozen_ ? Wish::draw : Wish::refresh;
        case 'r':
            return ask_release();
        case 's':
            sort_ = after(sort_);
            sort_queues();
            return Wish::draw;
        case ' ':
            return Wish::refresh;
        default:
            return Wish::draw;
    }
}

Wish Browser::move(int rows) {
    if (queues_.empty()) return Wish::draw;
    const auto last = static_cast<std::ptrdiff_t>(queues_.size()) - 1;
    const auto row =
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(selected_row()) + rows, 0, last);
    const auto& name = queues_[static_cast<std::size_t>(row)].name;
    if (name == selected_) return Wish::draw;
    selected_ = name;
    tickets_.reset();
    chosen_ = 0;
    return Wish::refresh;
}

Wish Browser::ask_release() {
    const auto* const ticket = tickets_ ? running(*tickets_, chosen_) : nullptr;
    if (ticket == nullptr)
        tell("no request runs in this queue");
    else
        order_ = ReleaseOrder{selected_, ticket->number, ticket->request_id, ticket->not_sent};
    return Wish::draw;
}

void Browser::choose_next() {
    const auto* const now = tickets_ ? running(*tickets_, chosen_) : nullptr;
    if (now == nullptr) return;
    const TicketLine* first = nullptr;
    bool passed = false;
    for (const auto& line : tickets_->lines) {
        if (line.state != TicketState::running) continue;
        if (first == nullptr) first = &line;
        if (passed) return void(chosen_ = line.number);
        passed = line.number == now->number;
    }
    chosen_ = first->number;
}

}  // namespace ticketgate::top

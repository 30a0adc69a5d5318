// What a person has chosen to see: the queue, its order in the list, a ticket, a question that is
// open. Takes keys and pictures, returns what is to be done. Pure; owned by the command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "top/keys.hpp"
#include "top/picture.hpp"

namespace ticketgate::top {

enum class Sort : std::uint8_t { name, waiting, oldest_run, oldest_wait };

/// A slot that the person wants to free.
struct ReleaseOrder {
    std::string queue;
    std::uint64_t number = 0;
    std::string request_id = {};  ///< numbers begin anew with a restart
    bool not_sent = false;        ///< its backend had nothing of it when the question was asked
    bool operator==(const ReleaseOrder&) const = default;
};

enum class Wish : std::uint8_t {
    nothing,
    draw,     ///< what is known has to be shown in another way
    refresh,  ///< ask the process, then draw
    release,  ///< take_order() has the slot
    suspend,
    quit
};

class Browser {
 public:
    /// `queue`: to begin with; empty: the one that is blocked for longest.
    explicit Browser(std::string queue = {}) : selected_(std::move(queue)) {}

    /// The latest answers. Tickets of another queue than the selected one are dropped.
    void show(std::vector<QueueLine> queues);
    void show(Tickets tickets);
    /// A line for the person, until the next key.
    void tell(std::string message) { message_ = std::move(message); }
    Wish press(const Pressed& key);

    const std::vector<QueueLine>& queues() const { return queues_; }  ///< sorted
    const std::optional<Tickets>& tickets() const { return tickets_; }
    const std::string& selected() const { return selected_; }  ///< empty: there is none
    std::size_t selected_row() const;
    std::uint64_t chosen() const { return chosen_; }  ///< the running ticket that keys act on
    Sort sort() const { return sort_; }
    bool frozen() const { return frozen_; }
    /// The slot that a question is about, or that Wish::release is for.
    const std::optional<ReleaseOrder>& order() const { return order_; }
    /// Closes the question.
    std::optional<ReleaseOrder> take_order() { return std::exchange(order_, std::nullopt); }
    const std::string& message() const { return message_; }

 private:
    Wish answer(const Pressed& key);
    Wish letter(char letter);
    Wish move(int rows);
    Wish ask_release();
    void choose_next();
    void close_question_if_gone();
    void sort_queues();
    std::vector<QueueLine> queues_;
    std::optional<Tickets> tickets_;
    std::string selected_, message_;
    std::uint64_t chosen_ = 0;
    Sort sort_ = Sort::name;
    bool frozen_ = false;
    std::optional<ReleaseOrder> order_;
};

}  // namespace ticketgate::top

// The bytes that a client has sent and that are not used yet. They stay in the loop's shared buffer
// while one coroutine works on them, and are copied only when it must wait: so an idle connection
// keeps none. Kept bytes count in the InputBudget.
#pragma once

#include <string>
#include <string_view>

#include "net/stream.hpp"
#include "proxy/input_budget.hpp"

namespace ticketgate {

class Input {
 public:
    explicit Input(InputBudget& budget) : budget_(budget) {}
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input() { budget_.give_back(kind_, counted_); }

    std::string_view view() const { return view_; }
    bool empty() const { return view_.empty(); }

    /// Reads into `buffer`, after the kept bytes, at most `most` bytes: what the present message
    /// may still have. More would have to be kept for the next one.
    net::IoResult read(net::Stream& stream, std::span<char> buffer, std::uint64_t most);
    void consume(std::size_t n);
    /// Moves unused bytes out of the shared buffer. Must be called before any suspension. `below`:
    /// the bytes that the stream holds; they count too. `kind`: what all of these are.
    void keep(std::size_t below = 0, InputBudget::Kind kind = InputBudget::Kind::head);
    /// True if the budget has room for what is kept.
    bool fits() const { return budget_.takes(kind_, counted_); }
    /// Drops everything.
    void drop();

 private:
    bool is_kept() const;
    void compact();
    void count(std::size_t below = 0, InputBudget::Kind kind = InputBudget::Kind::head);
    InputBudget& budget_;
    std::string kept_;  // ends with the view, if that is kept; used bytes may come before it
    std::string_view view_;
    std::size_t counted_ = 0;  // of kept_ and of the stream, in the budget
    InputBudget::Kind kind_ = InputBudget::Kind::head;
};

}  // namespace ticketgate

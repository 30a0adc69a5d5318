// One HTTP message read from pieces of any size. Shares nothing with lib: what is under test must
// not vouch for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ticketgate::sim {

class Message {
 public:
    /// `bodiless`: a response to HEAD.
    explicit Message(bool request, bool bodiless = false)
        : request_(request), bodiless_(bodiless) {}

    /// How many of these bytes belong to this message.
    std::size_t feed(std::string_view bytes);
    /// The connection ended in good order: that completes a body without a length.
    void end_of_stream();

    bool begun() const { return !start().empty(); }
    /// The first bytes; once the first line is whole, all of the head so far.
    std::string_view start() const { return head.empty() ? line_ : head; }
    bool has_head() const { return state_ != State::head; }
    bool complete() const { return state_ == State::complete; }
    bool broken() const { return state_ == State::broken; }
    bool interim() const { return status >= 100 && status < 200; }
    /// A field's value, lower case; empty when there is none.
    std::string field(std::string_view name) const;

    std::string method, target;  ///< of a request
    int status = 0;              ///< of a response
    std::string head;            ///< as it came
    std::string body;

 private:
    enum class State : std::uint8_t {
        head,
        length,
        until_close,
        size,
        chunk,
        chunk_end,
        trailer,
        complete,
        broken
    };
    void take_line();
    void take_start(std::string_view line);
    void begin_body();
    void take_size();
    bool request_, bodiless_;
    State state_ = State::head;
    std::string line_;
    std::uint64_t left_ = 0;
};

/// The request that a target `/route/ID` is about; 0: none.
std::uint64_t id_in(std::string_view target);

}  // namespace ticketgate::sim

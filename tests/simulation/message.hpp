// One HTTP message read from pieces of any size. Shares no code with lib, so that a fault in lib
// cannot hide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ticketgate::sim {

/// A request as the backend is sent it, read from pieces of any size, in either protocol.
class Incoming {
 public:
    virtual ~Incoming() = default;

    /// How many of these bytes belong to this request.
    virtual std::size_t feed(std::string_view bytes) = 0;
    virtual bool begun() const = 0;
    /// The bytes as received, which show the method before the target is complete.
    virtual std::string_view start() const { return {}; }
    virtual bool has_head() const = 0;
    virtual bool complete() const = 0;
    virtual bool broken() const = 0;
    /// Tells whether the connection may be used for another request.
    virtual bool keeps() const { return true; }

    /// The request id that the proxy gave it; empty until it is here.
    virtual std::string request_id() const = 0;

    std::string method, target, body;
};

class Message final : public Incoming {
 public:
    /// `bodiless`: a response to HEAD.
    explicit Message(bool request, bool bodiless = false)
        : request_(request), bodiless_(bodiless) {}

    std::size_t feed(std::string_view bytes) override;
    /// The connection ended in good order: that completes a body without a length.
    void end_of_stream();

    bool begun() const override { return !start().empty(); }
    /// The first bytes; once the first line is whole, all of the head so far.
    std::string_view start() const override { return head.empty() ? line_ : head; }
    bool has_head() const override { return state_ != State::head; }
    bool complete() const override { return state_ == State::complete; }
    bool broken() const override { return state_ == State::broken; }
    std::string request_id() const override { return field("x-request-id"); }
    bool interim() const { return status >= 100 && status < 200; }
    /// A field's value, lower case; empty when there is none.
    std::string field(std::string_view name) const;

    int status = 0;    ///< of a response
    std::string head;  ///< as it came

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

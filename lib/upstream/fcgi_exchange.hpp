// FastCGI over a connection: one request (always number 1), kept for another only if the config
// asks for it. The end of the backend's work is END_REQUEST, or the end of the connection.
#pragma once

#include <string>
#include <string_view>

#include "fcgi/decoder.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

class FcgiExchange final : public PooledExchange {
 public:
    using PooledExchange::PooledExchange;

    result<Step> read_head(bool to_head_request, http::ResponseHead& head) override;
    result<Step> read_body(std::string_view& piece) override;
    bool ended() const override { return ended_; }
    bool answered() const override { return ended_ || has_declared(); }
    error_code read_buffered(std::string_view& piece) override;
    void upgrade() override {}  // CGI has no 101
    bool worker_gone() const override;
    bool settled() const override { return ended_ || idle_or_over(); }
    Step outlast(bool to_head_request, http::ResponseHead& scratch) noexcept override;
    std::string_view remarks() const override { return remarks_; }
    /// Half-closes a connection that serves no other request, once this one is sent and answered: a
    /// worker that keeps it would wait there for ever.
    void part_if_spent();
    /// Reads and drops what comes behind the end of the answer: a worker that writes it would wait
    /// there. The connection serves no other request then.
    void drop_rest();

 private:
    bool frames(const Body&) const override { return true; }
    Frame frame(std::size_t piece, bool last) noexcept override;
    bool is_fcgi() const override { return true; }
    bool answered_whole() const override;
    bool overran() const override {
        return dropped_ || (decoder_.done() && unread_.size() > decoder_.padding());
    }
    Silence silence() const override { return Silence::sure; }  // END_REQUEST has come
    void renew() override;
    result<std::string_view> next_output();
    error_code take_end();
    std::string_view record_complaint() const;
    void remark(std::string_view text) noexcept;
    bool connection_ended();
    bool has_declared() const;
    std::string_view wanted(std::string_view output);

    fcgi::Decoder decoder_;
    bool params_ended_ = false;
    bool ended_ = false;
    bool dropped_ = false;    // bytes behind END_REQUEST
    bool early_end_ = false;  // END_REQUEST came before the request was read
    std::string block_;       // the CGI header block, as far as it came
    std::string text_;        // the same as HTTP; a ResponseHead has views into it
    std::size_t body_in_block_ = 0;
    std::string_view unread_;  // records in the loop's buffer
    http::Framing framing_ = http::Framing::none;
    std::uint64_t left_ = 0;  // of a body whose length was declared
    std::string remarks_;
};

}  // namespace ticketgate

// HTTP/1.1 over a pooled connection.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/body.hpp"
#include "http/late_head.hpp"
#include "http/parser.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

class HttpExchange final : public PooledExchange {
 public:
    using PooledExchange::PooledExchange;

    result<Step> read_head(bool to_head_request, http::ResponseHead& head) override;
    result<Step> read_body(std::string_view& piece) override;
    bool ended() const override { return decoder_.done(); }
    error_code read_buffered(std::string_view& piece) override;
    void upgrade() override;
    std::string fault() const override;
    bool settled() const override;
    Step outlast(bool to_head_request, http::ResponseHead& scratch) noexcept override;
    bool announced_end() const override;
    bool ask_for_end() noexcept override;

 private:
    bool frames(const Body& body) const override { return body.chunked; }
    Frame frame(std::size_t piece, bool last) noexcept override;
    bool is_fcgi() const override { return false; }
    bool answered_whole() const override {
        return keep_alive_ && decoder_.done() && end_ != End::early && unread_.empty();
    }
    bool overran() const override {
        return (end_ == End::framed || end_ == End::unproven) && decoder_.done() &&
               !unread_.empty();
    }
    Silence silence() const override { return silence_; }
    void renew() override;
    std::uint32_t told_timeout_s() const override { return told_timeout_s_; }
    result<http::Progress> parse_head(bool to_head_request, http::ResponseHead& head);
    void note_head(bool to_head_request, const http::ResponseHead& head);

    /// What the end of the answer shows of the backend's work.
    enum class End : std::uint8_t {
        open,      ///< nothing: there is no final head yet
        framed,    ///< a length or chunks say where the body ends, and the script with it
        headless,  ///< the answer ends with its head (204, 304): its script may run on
        early,     ///< it began before the request was sent: its script may still read the request
        unproven,  ///< it may have begun so, before this thread could look
        unknown,   ///< its framing makes no sense: only the connection's end tells
        tunnel     ///< a 101 was passed on: the bytes are not HTTP
    };
    End end_shown(const http::ResponseHead& head) const;
    /// Its framing says where the body ends.
    bool has_end() const {
        return end_ == End::framed || end_ == End::early || end_ == End::unproven;
    }
    bool may_ask() const { return all_sent() && !over() && !half_closed() && !asked_for_end_; }
    void ask_to_close() noexcept;
    void drop_late_bytes() noexcept;
    Step read_body_late() noexcept;
    Step read_head_late(bool to_head_request, http::ResponseHead& head) noexcept;
    bool collect_late_head() noexcept;
    void take_late_head(bool to_head_request, http::ResponseHead& head) noexcept;
    End end_ = End::open;
    bool keep_alive_ = false;
    bool announced_close_ = false;  // by the backend
    bool asked_for_end_ = false;    // as it did not come
    std::string partial_head_;      // a response head that came in pieces
    std::string whole_head_;        // the same once it was whole; a ResponseHead has views into it
    std::string_view unread_;       // in the loop's buffer or whole_head_
    http::LateHead late_head_;      // a response head that nobody waits for any more
    std::uint32_t told_timeout_s_ = 0;
    Silence silence_ = Silence::sure;
    http::BodyDecoder decoder_;
};

}  // namespace ticketgate

// One HTTP/1.1 connection to a backend and the exchange that is on it. Between exchanges it is idle
// in its pool and watches for the backend closing it.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "http/body.hpp"
#include "http/parser.hpp"
#include "net/stream.hpp"
#include "task/deadlines.hpp"
#include "upstream/exchange.hpp"
#include "upstream/http_upstream.hpp"

namespace ticketgate {

class HttpExchange final : public Exchange,
                           private Observer,
                           public boost::intrusive::list_base_hook<> {
 public:
    HttpExchange(std::shared_ptr<HttpUpstream> upstream, HttpPool& pool, net::Loop& loop);
    ~HttpExchange();

    void observe(Observer* observer) override;
    result<Step> send(std::string_view head, Body& body) override;
    bool connected() const override { return stream_ != nullptr && connected_; }
    std::string fault() const override { return stream_ ? stream_->fault() : std::string(); }
    bool answering() const override { return connected() && stream_->readable(); }
    result<Step> read_head(bool to_head_request, http::ResponseHead& head) override;
    result<Step> read_body(std::string_view& piece) override;
    bool ended() const override { return decoder_.done(); }
    error_code read_buffered(std::string_view& piece) override;
    void upgrade() override;
    void finish_sending() override { stream_->finish_writing(); }
    bool untouched() const override { return reused_ && !answered_; }
    Step outlast() override;
    void finish(std::unique_ptr<Exchange> self) override;

    // For the pool.
    /// About to be used again; `careful` costs one system call.
    bool usable(bool careful);
    void reuse(std::shared_ptr<HttpUpstream> upstream);
    void become_idle(Duration timeout);
    /// The name was resolved, or cannot be.
    void address_known() {
        if (observer_ != nullptr) observer_->notify();
    }

 private:
    void notify() override;  // while idle: the backend closed it, or it was idle for too long
    result<Step> connect();
    result<Step> send_pieces(std::string_view head, Body& body);
    result<Step> push(std::string_view head, Body& body);
    result<Step> read_more();
    result<http::Progress> parse_head(bool to_head_request, http::ResponseHead& head);
    bool reusable() const;

    std::shared_ptr<HttpUpstream> upstream_;  // the pool lives in it; null while idle in the pool
    HttpPool& pool_;
    net::Loop& loop_;
    Observer* observer_ = nullptr;
    Deadline idle_deadline_;
    std::unique_ptr<net::Stream> stream_;
    bool connected_ = false, reused_ = false;
    bool reset_ = false;  // a write said so
    // of the exchange
    bool sent_ = false, answered_ = false, keep_alive_ = false, last_chunk_sent_ = false;
    std::size_t head_sent_ = 0;
    std::string unsent_;        // of a chunk that was taken in part
    std::string partial_head_;  // a response head that came in pieces
    std::string whole_head_;    // the same once it was whole; a ResponseHead has views into it
    std::string_view unread_;   // in the loop's buffer or whole_head_
    std::uint32_t told_timeout_s_ = 0;
    http::BodyDecoder decoder_;
};

}  // namespace ticketgate

// One connection to a backend and its exchange: connecting, sending, being kept for another. A
// derived class has the protocol. Between exchanges it is idle in its pool and watches for the
// backend closing it.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/stream.hpp"
#include "task/deadlines.hpp"
#include "upstream/address_source.hpp"
#include "upstream/connect_line.hpp"
#include "upstream/exchange.hpp"
#include "upstream/frame.hpp"
#include "upstream/settings.hpp"

namespace ticketgate {

class Pool;
class PooledUpstream;

/// A unix socket frees a piece that was read in two steps, and reports the first: the last byte may
/// still be counted then. An unread piece counts hundreds.
inline constexpr std::uint64_t all_but_read = 1;

/// An answer that came before its request was read is noticed as such only if this thread looks
/// before the backend has taken the rest. Up to about this size the backend's system takes all of a
/// request by itself, and nothing could be noticed.
inline constexpr std::uint64_t surely_seen = 64 << 10;

/// Whether a backend that has answered whole is silent from then on.
enum class Silence : std::uint8_t {
    sure,    ///< the answer said where it ends
    likely,  ///< it has no body, and neither side doubts that
    unsure   ///< it should have no body; a backend may send one
};

class PooledExchange : public Exchange,
                       private Observer,
                       public boost::intrusive::list_base_hook<> {
 public:
    PooledExchange(std::shared_ptr<PooledUpstream> upstream, Pool& pool, net::Loop& loop);
    ~PooledExchange() override;

    void observe(Observer* observer) override;
    void connect_within(Duration time) override { connect_time_ = time; }
    std::size_t passed_over() const override { return passed_over_; }
    result<Step> connect() override;
    result<Step> send(std::string_view head, Body& body) override;
    bool connected() const override { return stream_ != nullptr && connected_; }
    std::string fault() const override;
    std::string remedy() const override;
    std::string trouble() const override;
    std::string address() const override;
    net::Endpoint peer() const override { return to_; }
    int refusal() const override { return refusal_; }
    std::uint64_t received() const override { return received_; }
    std::uint64_t written() const override { return written_; }
    std::uint64_t backlog() const override { return stream_ ? stream_->backlog() : 0; }
    bool answering() const override { return connected() && stream_->readable(); }
    void finish_sending() override;
    bool untouched() const override;
    void finish(std::unique_ptr<Exchange> self) override;

    // For the pool.
    /// Checks a connection that is about to be used again. Costs one system call if `careful`, or
    /// if the loop has not polled its sockets lately.
    bool usable(bool careful);
    void reuse(std::shared_ptr<PooledUpstream> upstream);
    void become_idle(Duration timeout, Duration rest);
    Duration idle_for(Time now) const { return now - idle_since_; }
    Time usable_from() const { return idle_since_ + rest_; }
    net::Loop& loop() { return loop_; }
    /// Connects there, and nowhere else. Before the first send().
    void go_to(const net::Endpoint& address);

    // For the link of a worker, which keeps one exchange without the pool.
    /// Uses this connection. Before the first send().
    void talk_over(std::unique_ptr<net::Stream> stream);
    /// Connects, and sends the first bytes of the next request's head, which send() then leaves
    /// out. done: the backend has read them. Only for a unix socket, where the system tells that.
    /// upstream_broke: the connection has ended; nothing shows what the backend has read.
    result<Step> send_ahead(std::string_view start);
    /// The last exchange is over, and the backend keeps the connection.
    bool kept() const;
    /// The backend has ended the connection, or sent something unasked.
    bool hung_up() const { return stream_ != nullptr && stirred(); }
    /// The connection has taken nothing of the request, beyond what was sent ahead.
    bool sent_nothing() const { return request_bytes() == 0; }
    /// A write has failed: nothing more can be sent.
    bool unwritable() const { return write_failed_; }
    /// Makes a kept or new connection ready for the next request.
    void begin_again();
    /// Ends the connection in both directions. What has come is still read.
    void hang_up() noexcept;

 protected:
    /// True if pieces of the body are framed. Then frame() is called for each, in order, and once
    /// with `last`, for what may be an empty piece.
    virtual bool frames(const Body& body) const = 0;
    virtual Frame frame(std::size_t piece, bool last) noexcept = 0;
    /// For the words of remedy().
    virtual bool is_fcgi() const = 0;
    /// The response is whole, and the backend keeps the connection.
    virtual bool answered_whole() const = 0;
    /// Bytes came behind the end of the response.
    virtual bool overran() const { return false; }
    /// Resets the state of the last exchange before the connection becomes idle.
    virtual void renew() = 0;
    /// How silent the backend is after such a response.
    virtual Silence silence() const = 0;
    /// How long the backend keeps an idle connection, as it announced; 0: not known.
    virtual std::uint32_t told_timeout_s() const { return 0; }

    net::IoResult read(std::string_view& into);
    result<std::size_t> write(std::span<const iovec> pieces);
    /// Why a read gave nothing: the connection is over or lost, or the bytes were not TLS.
    errc read_failure() const;
    net::Stream& stream() { return *stream_; }
    const UpstreamSettings& settings() const;
    /// Nothing of a request was sent, or the backend has ended the connection: it runs nothing.
    bool idle_or_over() const { return !touched_ || over_; }
    /// The backend has ended the connection.
    bool over() const { return over_; }
    /// The request is sent, to its last byte.
    bool all_sent() const { return sent_; }
    /// We have sent a FIN.
    bool half_closed() const { return half_closed_; }
    /// The part of the answer that is here was written before the backend could read all of the
    /// request, or it never can.
    bool early() const { return !sent_ || half_closed_ || wrote_late_ || body_unread(); }
    /// What the request has put on the connection.
    std::uint64_t request_bytes() const { return written_ - written_before_; }
    /// A write reported that the backend reset the connection: what looks like a FIN is not one.
    bool reset() const { return reset_; }
    /// What comes is not TLS, though the connection stands.
    bool garbled() const { return garbled_; }
    /// Nothing more can be sent but a FIN.
    bool mute() const { return garbled_ || write_failed_; }
    void reopen_sending() { sent_ = false; }
    /// The response is not HTTP. On a reused connection it may be the end of the previous one.
    void note_garbage();

 private:
    /// While idle: the backend closed it, or it was idle for too long. Before it is connected: it
    /// may try, or its address has had its share of the time.
    void notify() override;
    result<Step> reads_all();
    bool stirred() const;
    bool quiet() const;
    bool body_unread() const;
    bool whole() const;
    void reset_exchange();
    void note_lost();
    void end_unsent(int error);
    bool unanswered_reuse() const { return reused_ && !answered_; }
    bool undelivered() const;
    void note_words();
    AddressSource& addresses() const;
    bool has_address() const { return to_.family() != AF_UNSPEC; }
    // A connection that was made elsewhere has no address, and needs none.
    bool unresolved() const { return !stream_ && !has_address(); }
    result<Step> begin_connecting();
    void note_connected();
    void share_time();
    error_code connect_failed(int error);
    result<Step> send_pieces(std::string_view head, Body& body);
    result<Step> push(std::string_view head, Body& body);
    std::shared_ptr<PooledUpstream> upstream_;  // the pool's owner; null while idle in the pool
    Pool& pool_;
    net::Loop& loop_;
    Observer* observer_ = nullptr;
    ConnectLine::Place place_;
    Deadline deadline_;  // of an idle connection, or of one address among several
    Duration connect_time_ = std::chrono::seconds(5);  // the default of connect_timeout
    std::size_t passed_over_ = 0;                      // addresses that have failed
    std::optional<net::Endpoint> silent_;              // the first of them that was silent
    std::unique_ptr<net::Stream> stream_;
    Time idle_since_{};
    Duration rest_{}, was_idle_for_{};
    bool connected_ = false, reused_ = false;
    bool reset_ = false;
    bool garbled_ = false, write_failed_ = false;
    bool lost_ = false;  // given up by this machine: the backend may work on, and is not heard
    // of the exchange
    bool half_closed_ = false;  // we have sent a FIN: it serves no other request
    bool sent_ = false, answered_ = false, last_framed_ = false;
    bool touched_ = false;     // a write was tried: the backend may have got a part of the request
    bool wrote_late_ = false;  // something of the answer was here before the last write
    bool wrote_body_ = false;
    bool over_ = false;  // a read found the connection's end
    std::uint64_t received_ = 0, written_ = 0;
    std::uint64_t written_before_ = 0;  // of written_, for earlier exchanges
    std::size_t head_sent_ = 0;
    std::size_t sent_ahead_ = 0;  // of the next request's head
    int refusal_ = 0;
    int write_error_ = 0;           // of a write that failed though the connection stands
    unsigned char first_byte_ = 0;  // of what came over the connection, for remedy()
    net::Endpoint to_;              // of family AF_UNSPEC until the address is known
    std::unique_ptr<AddressSource> own_addresses_;  // of go_to(); null: the pool's
    std::string unsent_;                            // the rest of a frame that was taken in part
};

}  // namespace ticketgate

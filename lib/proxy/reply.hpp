// Carries the response from the run to the client: the run writes the backend's answer, already in
// the client's framing; bytes that the client does not take at once are spooled, and the session
// sends them later. This separates the two speeds, so a slow reader never holds the slot. Shared by
// one run and one session through their Request, on one loop.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "http/spool.hpp"
#include "net/stream.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

class Reply {
 public:
    explicit Reply(http::SpoolBudget& budget) : spool_(budget) {}

    // ── the session's side ──
    /// Sends to this client from now on; notifies `reader` when there is something to do.
    void attach(net::Stream& client, Observer& reader);
    /// The client is gone or has another answer: drops what still comes.
    void detach();
    /// The response will come from elsewhere: nothing of one was given to the client.
    void renew() {
        failure_ = {};
        finished_ = stream_ended_ = false;
    }
    /// Sends spooled bytes. False: the client is gone, or the spool cannot be read.
    bool pump();

    bool begun() const {
        return begun_;
    }  ///< bytes of a response have been given to the client's connection
    bool finished() const { return finished_; }
    bool stream_ended() const { return stream_ended_; }
    error_code failure() const { return failure_; }
    bool drained() const { return spool_.empty(); }
    std::uint64_t taken() const { return taken_; }  ///< bytes the client's connection has taken
    std::uint64_t untaken() const { return given_ - taken_; }  ///< of those that were for a client

    // ── the run's side ──
    void writer(Observer* writer) { writer_ = writer; }
    /// The client is there, whether or not it wants more of the response.
    bool attached() const { return client_ != nullptr; }
    /// A client still takes the response.
    bool wanted() const { return client_ != nullptr && !failure_ && !finished_; }
    /// Bytes kept ahead of the client before the run stops reading.
    void limit(std::uint64_t bytes) { limit_ = bytes; }
    /// For an unqueued route: a small limit, all of it in memory.
    void stream_window(std::uint64_t bytes) {
        limit_ = bytes;
        spool_.stream_window(4 * bytes);  // one read more than the limit may come in
    }
    /// False: `limit` bytes are kept already, or the spool's own limits are reached. The writer is
    /// notified when there is room again. When all bytes are gone, there is room under any limit.
    bool room() const {
        return (spool_.empty() || spool_.size() < limit_) && !spool_.overflowing();
    }
    /// The spool's own limits are reached.
    bool spool_full() const { return spool_.overflowing(); }
    /// Looks whether other clients have made room since.
    void look_for_room() { spool_.settle(); }
    /// `hold`: keeps them for the session, so that the next request goes out first.
    void write(std::span<const iovec> pieces, bool hold);
    void finish();
    /// For a tunnel: the backend sends no more, the client still may.
    void end_stream();
    /// There is no (more) response. Before begun() the session answers the failure, after it the
    /// session cuts the connection.
    void fail(error_code failure);

    /// The backend took some of the request body: there is room for more of it.
    void ask_for_body() {
        if (reader_ != nullptr) reader_->notify();
    }
    /// Writes an interim response (1xx), which does not begin the reply.
    void write_interim(std::string_view bytes);

 private:
    void keep(std::span<const iovec> pieces, std::size_t skip);
    http::Spool spool_;
    net::Stream* client_ = nullptr;
    Observer* reader_ = nullptr;
    Observer* writer_ = nullptr;
    std::uint64_t limit_ = ~std::uint64_t{0};
    std::uint64_t given_ = 0, taken_ = 0;
    bool begun_ = false, finished_ = false, stream_ended_ = false;
    error_code failure_;
};

/// Attaches a client to a reply for the session's life: however that ends, the client is detached.
class Attached {
 public:
    Attached(Reply& reply, net::Stream& client, Observer& reader) : reply_(reply) {
        reply_.attach(client, reader);
    }
    ~Attached() { reply_.detach(); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

 private:
    Reply& reply_;
};

}  // namespace ticketgate

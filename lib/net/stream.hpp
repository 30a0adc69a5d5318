// A byte stream on one loop, never blocking: try, and if it would block, wait for the observer to
// be notified. Virtual so that TLS, and a simulated network in tests, stand behind the same face.
// Owned by one session, run or pool; touched by its loop's thread only.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/endpoint.hpp"
#include "net/loop.hpp"
#include "task/scheduler.hpp"

namespace ticketgate::net {

enum class Io : std::uint8_t {
    ok,
    blocked,  ///< nothing now; the observer will be notified
    ended,    ///< the peer finished sending
    failed    ///< reset or broken; error holds errno
};

struct IoResult {
    Io status = Io::ok;
    std::size_t bytes = 0;
    int error = 0;
};

/// What TLS agreed on, and whom the client's certificate names.
struct Secured {
    std::string_view version;        ///< as `TLSv1.3`; static, as the cipher
    std::string_view cipher;         ///< as `TLS_AES_256_GCM_SHA384`
    bool resumed = false;            ///< an earlier session, without a full handshake
    std::string client_subject;      ///< RFC 2253, in ASCII; empty: no certificate, as below
    std::string client_fingerprint;  ///< SHA-256, in hex
};

class Stream {
 public:
    virtual ~Stream() = default;

    virtual IoResult read_some(std::span<char> into) = 0;
    /// Writes what fits now, of any number of pieces; fewer bytes than given means that the rest
    /// would block.
    virtual IoResult write_some(std::span<const iovec> pieces) = 0;
    /// blocked: the connection does not stand yet; ok; failed.
    virtual IoResult connected() { return {}; }
    /// Has the peer ended or sent something unasked? For a connection that was idle.
    virtual bool stale() { return readable_ || fin_ || broken_; }
    /// Asks the system now whether the peer has finished or reset, without waiting for the event.
    /// One call.
    virtual void look() {}
    /// After a read that failed: the connection itself is over. False: what came is no TLS, but the
    /// peer has not ended the connection; reads drop what follows, and then say how it ended.
    virtual bool over() const { return true; }
    /// No more writes from us (FIN); the other direction stays.
    virtual void finish_writing() = 0;
    /// Closing will reset the connection, so that the peer cannot take a cut for an end.
    virtual void abort_on_close() {}
    /// Null: no TLS, or its handshake is not done.
    virtual const Secured* secured() const { return nullptr; }
    /// Why it failed, for a log line, where there is more to say than errno does; else empty.
    virtual std::string fault() const { return {}; }
    /// Writes from now on are not put off to another turn of the loop: these are the last.
    virtual void hurry() {}
    /// Bytes that were written and that the peer's system has not taken yet: where no more can be
    /// written, they tell a slow peer from one that takes nothing. One call.
    virtual std::uint64_t backlog() const { return 0; }
    /// Off its loop, then onto another one; between the two nothing is noticed.
    virtual void detach() = 0;
    virtual void attach(Loop& loop) = 0;

    /// Who hears of events from now on; null: nobody.
    void observe(Observer* observer) { observer_ = observer; }

    bool readable() const { return readable_; }  ///< a read may give something
    bool writable() const { return writable_; }
    bool fin() const { return fin_; }  ///< the peer finished sending (bytes may still be unread)
    bool broken() const { return broken_; }  ///< reset, or failed otherwise

 protected:
    Observer* observer_ = nullptr;
    bool readable_ = false, writable_ = true, fin_ = false, broken_ = false;
};

/// Starts a connection; connected() of the stream tells when it stands. Null when it is refused at
/// once; `error` is then errno. What lies between a backend's protocol and the system: plain
/// sockets, or whatever else speaks through a Stream.
using Connect = std::function<std::unique_ptr<Stream>(Loop& loop, const Endpoint& to, int& error)>;

/// A connected (or connecting) TCP or unix socket; owns the descriptor. In one turn of its loop it
/// moves a bounded number of bytes, then says `blocked` and goes on in the next: a peer that is as
/// fast as we are does not have the loop for itself.
class SocketStream final : public Stream, private Pollable {
 public:
    /// Takes over a non-blocking descriptor. Broken from the start, with errno, if the loop cannot
    /// watch it.
    SocketStream(Loop& loop, int descriptor);
    ~SocketStream() override;

    /// A net::Connect.
    static std::unique_ptr<SocketStream> connect(Loop& loop, const Endpoint& to, int& error);

    /// As read_some(), but what it gives stays to be read.
    IoResult peek(std::span<char> into);
    IoResult connected() override;
    void look() override;
    bool stale() override;  // one system call: the event may still be on its way
    IoResult read_some(std::span<char> into) override;
    IoResult write_some(std::span<const iovec> pieces) override;
    void finish_writing() override;
    void abort_on_close() override;
    void hurry() override { hurried_ = true; }
    std::uint64_t backlog() const override;
    void detach() override;
    void attach(Loop& loop) override;

    int descriptor() const { return descriptor_; }

 private:
    void on_events(std::uint32_t events) override;
    void watch();
    IoResult write_batch(std::span<const iovec> pieces);
    bool has_turn();
    void count(std::size_t bytes);
    Loop* loop_;
    int descriptor_;
    std::uint32_t turn_ = 0;  // of the loop, in which used_ was counted
    std::uint32_t used_ = 0;
    bool connecting_ = false;
    bool hurried_ = false;
};

}  // namespace ticketgate::net

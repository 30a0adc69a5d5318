// A byte stream on one loop that never blocks: a call that would block returns, and the observer is
// notified when to try again. Virtual, so that TLS and a test's simulated network have the same
// interface. Owned by one session, run or pool; touched by its loop's thread only.
#pragma once

#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
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

/// The agreed parameters of TLS, and the subject of the client's certificate.
struct Secured {
    std::string_view version;        ///< as `TLSv1.3`; static, as the cipher
    std::string_view cipher;         ///< as `TLS_AES_256_GCM_SHA384`
    bool resumed = false;            ///< an earlier session, without a full handshake
    std::string client_subject;      ///< RFC 2253, in ASCII; both empty: no certificate
    std::string client_fingerprint;  ///< SHA-256, in hex
};

class Stream {
 public:
    virtual ~Stream() = default;

    virtual IoResult read_some(std::span<char> into) = 0;
    /// Writes what fits now, of any number of pieces; fewer bytes than given: the rest would block.
    virtual IoResult write_some(std::span<const iovec> pieces) = 0;
    /// True if send_file() can be used.
    virtual bool sends_files() const { return false; }
    /// send_file() follows the next write_some() at once: they leave together (MSG_MORE).
    virtual void file_follows() {}
    /// Like write_some(), with bytes of a file that the system has in memory. ok without bytes: the
    /// file ends before `from`.
    virtual IoResult send_file(int file, std::uint64_t from, std::size_t size) {
        (void)file, (void)from, (void)size;
        return {Io::failed, 0, ENOTSUP};
    }
    /// blocked: the connection is not established yet; ok; failed.
    virtual IoResult connected() { return {}; }
    /// True if the peer has ended or sent something unasked. For a connection that was idle.
    virtual bool stale() { return readable_ || fin_ || broken_; }
    /// Asks the system now whether the peer has finished or reset, without waiting for the event.
    /// One system call.
    virtual void look() {}
    /// After a failed read: true if the connection itself has ended. False: the bytes were not TLS,
    /// but the connection stands (reads drop what follows and report its end), or given_up().
    virtual bool over() const { return !given_up(); }
    /// After a failure: this machine gave the connection up (ETIMEDOUT, EHOSTUNREACH). The peer has
    /// not ended it and may work on; nothing more will be heard of it.
    virtual bool given_up() const { return false; }
    /// The errno of a call that failed though the connection stands (ENOBUFS, ENOMEM), and that is
    /// tried again: the observer is notified. 0: there is none.
    virtual int stalled() const { return 0; }
    /// A read of the stream above could not be done for want of memory: the observer is notified
    /// after a pause, in which nothing is readable.
    virtual void read_later() {}
    /// Leaves it to the peer to end the connection: this machine probes a silent peer for weeks. A
    /// peer that has restarted meanwhile resets the connection.
    virtual void insist() {}
    /// Acknowledges at once what has come. A peer's system may hold its next bytes back until then
    /// (Nagle), and this machine waits 40 ms or more for bytes to send along. One system call.
    virtual void acknowledge() {}
    /// Sends nothing more (FIN); the other direction stays open.
    virtual void finish_writing() = 0;
    /// Ends both directions now; what has come is still read, then the end.
    virtual void hang_up() { finish_writing(); }
    /// Makes closing reset the connection, so that the peer cannot take a cut for an end.
    virtual void abort_on_close() {}
    /// Null: no TLS, or the handshake is not done.
    virtual const Secured* secured() const { return nullptr; }
    /// The reason of a failure, for a log line, where it says more than errno; else empty.
    virtual std::string fault() const { return {}; }
    /// The peer has shown a certificate, and it is not trusted.
    virtual bool untrusted() const { return false; }
    /// Bytes of the peer that this stream has taken and the reader has not; those of the system do
    /// not count.
    virtual std::size_t held() const { return 0; }
    /// Drops them to free memory. What follows may be lost too, but not the peer's end.
    virtual void drop_held() {}
    /// No longer puts writes off to another turn of the loop: the next writes are the last.
    virtual void hurry() {}
    /// Bytes written that the peer's system has not taken yet. When no more can be written, they
    /// tell a slow peer from one that takes nothing. One system call.
    virtual std::uint64_t backlog() const { return 0; }
    /// Takes it off its loop, then puts it on another; between the two no event is noticed.
    virtual void detach() = 0;
    virtual void attach(Loop& loop) = 0;

    /// The observer of events from now on; null: none.
    void observe(Observer* observer) { observer_ = observer; }

    bool readable() const { return readable_; }  ///< a read may give something
    bool writable() const { return writable_; }
    bool fin() const { return fin_; }  ///< the peer finished sending (bytes may still be unread)
    bool broken() const { return broken_; }  ///< reset, or failed otherwise

 protected:
    Observer* observer_ = nullptr;
    bool readable_ = false, writable_ = true, fin_ = false, broken_ = false;
};

/// Starts a connection; connected() of the stream tells when it is established. Null when it is
/// refused at once; `error` is then errno. Stands between a backend's protocol and the system:
/// makes plain sockets, or any other Stream.
using Connect = std::function<std::unique_ptr<Stream>(Loop& loop, const Endpoint& to, int& error)>;

/// A connected (or connecting) TCP or unix socket; owns the descriptor. In one turn of its loop it
/// moves a bounded number of bytes, then returns `blocked` and continues in the next: a peer as
/// fast as ticketgate cannot keep the loop to itself.
class SocketStream final : public Stream, private Pollable {
 public:
    /// Takes over a non-blocking descriptor. Broken from the start, with errno, if the loop cannot
    /// watch it.
    SocketStream(Loop& loop, int descriptor);
    ~SocketStream() override;
    /// The same. Without memory (std::bad_alloc) the descriptor stays with its owner.
    static std::unique_ptr<SocketStream> take_over(Loop& loop, Descriptor& descriptor);

    /// A net::Connect.
    static std::unique_ptr<SocketStream> connect(Loop& loop, const Endpoint& to, int& error);

    /// Like read_some(), but the bytes stay to be read.
    IoResult peek(std::span<char> into);
    IoResult connected() override;
    void look() override;
    bool stale() override;  // one system call: the event may still be on its way
    IoResult read_some(std::span<char> into) override;
    IoResult write_some(std::span<const iovec> pieces) override;
    bool sends_files() const override { return true; }
    void file_follows() override { file_follows_ = true; }
    IoResult send_file(int file, std::uint64_t from, std::size_t size) override;
    void finish_writing() override;
    void hang_up() override;
    void abort_on_close() override;
    void hurry() override { hurried_ = true; }
    std::uint64_t backlog() const override;
    bool given_up() const override { return given_up_ != 0; }
    int stalled() const override { return read_stalled_ || write_stalled_ ? stalled_ : 0; }
    void read_later() override;
    void insist() override;
    void acknowledge() override;
    void detach() override;
    void attach(Loop& loop) override;

    int descriptor() const { return descriptor_; }

 private:
    void on_events(std::uint32_t events) override;
    void watch();
    IoResult write_batch(std::span<const iovec> pieces);
    enum class Way : std::uint8_t { in, out };
    IoResult failure(Way way);
    void stall(Way way, int error);
    bool stands() const;
    bool has_turn();
    void count(std::size_t bytes);
    Loop* loop_;
    int descriptor_;
    std::uint32_t turn_ = 0;  // the turn of the loop in which used_ was counted
    std::uint32_t used_ = 0;
    int given_up_ = 0;  // the errno: the system tells it once, and then what looks like a FIN
    int stalled_ = 0;   // the errno of the last call that is tried again
    bool read_stalled_ = false, write_stalled_ = false;
    bool ended_ = false;  // a read has returned the peer's end
    bool connecting_ = false;
    bool file_follows_ = false;
    bool hurried_ = false;
};

}  // namespace ticketgate::net

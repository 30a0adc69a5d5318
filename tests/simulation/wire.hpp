// A TCP connection without a kernel: two bounded pipes, FIN, RST, and events that are on their way.
// One end is the proxy's (SimStream, a net::Stream that keeps to SocketStream's rules to the
// letter: edge-triggered flags, short reads, what a reset leaves readable); the other is an
// actor's. The "kernel" may know of an event before the proxy is told; the world may do anything in
// between.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/stream.hpp"
#include "simulation/random.hpp"
#include "simulation/trace.hpp"

namespace ticketgate::sim {

class SimStream;
class Link;

/// The far end of a connection: a client or the backend.
class Peer {
 public:
    virtual void wake() = 0;                        ///< something changed: bytes, room, end
    virtual void written(std::string_view) {}       ///< the proxy's write was taken, just now
    virtual void lost(std::string_view) {}          ///< a write that goes to a closed end
    virtual void taken(std::uint64_t /*total*/) {}  ///< the proxy has read so many bytes
    virtual void proxy_closed() {}                  ///< the proxy closed its end

 protected:
    ~Peer() = default;
};

class Network {
 public:
    static constexpr std::size_t most_loops = 4;

    Network(Random& r, Trace& t) : random(r), trace(t) {}
    Link& connection(bool connecting, std::size_t capacity);

    /// Connections of a loop with events the loop has not been told of.
    std::array<std::vector<Link*>, most_loops> untold;
    /// The world's chance to go on elsewhere in the middle of one of the proxy's system calls.
    std::function<void()> interrupt = [] {};
    /// A close destroys unread bytes; their number is random.
    Random& random;
    Trace& trace;
    std::size_t open_ends = 0;  ///< streams that the proxy holds

 private:
    std::vector<std::unique_ptr<Link>> links_;
};

class Link {
 public:
    Link(Network& network, std::uint64_t id, bool connecting, std::size_t capacity)
        : network_(network), id_(id), connecting_(connecting), capacity_(capacity) {}

    std::uint64_t id() const { return id_; }
    /// Once: the proxy's end.
    std::unique_ptr<SimStream> stream(net::Loop& loop);
    void tell();  ///< the events that are on their way

    // ── the actor's end ──
    Peer* peer = nullptr;
    void accept();
    void refuse();
    std::size_t send(std::string_view bytes);  ///< how many were taken
    std::size_t room() const;
    std::string receive(std::size_t most);
    std::size_t available() const { return from_proxy_.size(); }
    void finish();  ///< FIN
    void close();   ///< FIN, and RST for whatever still comes; RST at once if bytes are unread
    void abort();   ///< RST
    void lose();    ///< the network between: the proxy's system gives up, the peer hears nothing
    /// While sealed, the proxy's writes fail, and the connection stands.
    void seal(bool sealed) { sealed_ = sealed; }
    bool closed() const { return peer_closed_; }
    /// Nothing more comes, and everything was received.
    bool ended() const { return from_proxy_.empty() && (proxy_fin_ || proxy_gone_); }
    /// As EPOLLRDHUP tells, to which nginx reacts: there may be unread bytes before the FIN.
    bool half_closed() const { return proxy_fin_; }
    bool reset() const { return reset_to_peer_; }
    bool proxy_gone() const { return proxy_gone_; }
    /// For how long the proxy had neither read nor written when it closed its end; 0: it has not.
    Duration quiet_at_close() const { return quiet_at_close_; }
    std::size_t unread() const { return to_proxy_.size(); }  ///< by the proxy

 private:
    friend class SimStream;
    void raise();
    void wake_peer();
    bool end_known() const { return peer_fin_ || reset_; }
    /// Linux reports a full stream as writable when a third of its buffer is free.
    bool has_room() const { return 3 * from_proxy_.size() <= 2 * capacity_; }

    Network& network_;
    const std::uint64_t id_;
    bool connecting_;
    const std::size_t capacity_;
    SimStream* stream_ = nullptr;
    std::string to_proxy_, from_proxy_;
    std::size_t acknowledged_ = 0;  // of from_proxy_, by the peer's FIN
    std::uint64_t lost_ = 0;        // written to a closed end, which acknowledges nothing
    std::uint64_t given_ = 0;       // by the proxy, in all
    std::uint64_t taken_ = 0;
    Time moved_{};  // the proxy's last read or write
    Duration quiet_at_close_{};
    bool peer_fin_ = false, peer_closed_ = false, reset_ = false;
    int error_ = 0;  // told once
    bool sealed_ = false;
    bool proxy_fin_ = false, proxy_gone_ = false, reset_to_peer_ = false;
    bool proxy_wants_room_ = false, untold_ = false;
};

class SimStream final : public net::Stream {
 public:
    SimStream(Link& link, net::Loop& loop);
    ~SimStream() override;

    net::IoResult connected() override;
    void look() override;
    bool stale() override;
    net::IoResult read_some(std::span<char> into) override;
    net::IoResult write_some(std::span<const iovec> pieces) override;
    std::uint64_t backlog() const override {
        return link_.from_proxy_.size() - link_.acknowledged_ + link_.lost_;
    }
    bool given_up() const override { return given_up_; }
    void finish_writing() override;
    void abort_on_close() override { abort_ = true; }
    void detach() override;
    void attach(net::Loop& loop) override;

 private:
    friend class Link;
    void on_events();
    net::IoResult failed();
    Link& link_;
    net::Loop* loop_;
    bool connecting_;
    bool abort_ = false, given_up_ = false;
};

}  // namespace ticketgate::sim

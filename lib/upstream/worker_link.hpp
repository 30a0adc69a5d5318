// The loop's side of one worker: the connection for its next request, and the proof that its last
// one is over. A FastCGI worker takes requests one by one, so it reads from a connection only when
// it waits for a request: as soon as it has taken the first bytes of one, it is idle. Owned by its
// worker; only the loop that holds the worker uses it.
#pragma once

#include <memory>

#include "spawn/pool.hpp"
#include "task/deadlines.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {

enum class Proof : std::uint8_t {
    idle,     ///< waits for a request
    working,  ///< may still run the last one, or has not started yet
    gone      ///< its process has ended
};

/// After a failure that says nothing about the worker: no memory, no descriptor.
inline constexpr Duration retry_after = 50ms;

/// How often it is seen that a worker has shut a socket down: no event tells.
inline constexpr Duration look_again = 1s;

class WorkerLink : public spawn::Link, protected Observer {
 public:
    WorkerLink(std::shared_ptr<FcgiUpstream> upstream, std::shared_ptr<spawn::Pool> pool,
               spawn::Worker& worker);

    // For the request that has the worker.
    /// The worker is on this loop, and its events are for the request from now on.
    void lease(net::Loop& loop, Observer* observer);
    /// Ends a connection that can have no request: no exchange uses it.
    void drop_spent() noexcept;
    /// The next step of the proof.
    virtual Proof prove() noexcept = 0;
    /// The same, right before a request: also sees a process that has just ended, and leaves one
    /// that can get nothing any more.
    Proof prove_now() noexcept;
    /// Makes the exchange for a request; the worker is idle. False: it cannot. Either it is gone,
    /// which prove() says from now on, or errno says why.
    virtual bool begin() = 0;
    /// Looks whether the worker has said that it is done with the request. Then what its connection
    /// has brought is still read, and nothing more comes.
    virtual void hear() noexcept {}
    /// It has said so, and all that came has no end of its answer.
    virtual bool heard_early() const { return false; }
    /// begin() has passed the connection to a worker that may not have started: until prove() says
    /// that it has taken it, nothing of the request may be sent.
    bool offered() const { return offered_; }
    FcgiExchange* exchange() { return exchange_.get(); }
    /// The process or its connection has ended, and nothing of the request has reached it.
    bool spared() const;
    /// No request goes to it any more.
    void give_up() noexcept { given_up_ = true; }
    /// Looks again after that time, or the request does: no event comes from a connection that is
    /// not there.
    void retry_later(Duration after) noexcept;
    /// The request has left the worker: tells the pool when it is idle.
    void give_back() noexcept;

    void arrive(net::Loop& loop) noexcept override;
    bool leave() noexcept override;
    bool close() noexcept override;
    bool process_ended() noexcept override;

 protected:
    /// Its connections beside the exchange's: on this loop, or off it.
    virtual void enter_loop() {}
    virtual void leave_loop() noexcept = 0;
    virtual void hang_up() noexcept {}
    virtual void observe(Observer*) {}
    /// The worker has shown that its program runs.
    virtual bool shown() const { return true; }
    bool gone() const { return worker_.ended || given_up_; }
    /// Nothing can be passed to the worker any more. It may still run a request.
    void part() noexcept;
    Observer* observer() { return leased_ ? observer_ : this; }
    net::Loop& loop() { return *loop_; }
    spawn::Worker& worker() { return worker_; }
    FcgiUpstream& upstream() { return *upstream_; }
    spawn::Pool& pool() { return *pool_; }

    bool offered_ = false;
    std::unique_ptr<FcgiExchange> exchange_;  // of the present request, or the last one

 private:
    void notify() override;
    void look() noexcept;
    void come_to(net::Loop& loop);
    const std::shared_ptr<FcgiUpstream> upstream_;
    const std::shared_ptr<spawn::Pool> pool_;
    spawn::Worker& worker_;  // its owner
    net::Loop* loop_ = nullptr;
    Observer* observer_ = nullptr;  // of the request
    bool leased_ = false;
    bool rests_ = false;  // the pool knows that it is idle
    bool given_up_ = false;
    bool parted_ = false;
    Deadline retry_;
    net::Call look_;
    bool looks_ = false;  // look_ is in the loop's queue: the worker must not leave the loop
};

/// A worker with a listening socket of its own. Keeps the connection from request to request.
class SocketLink final : public WorkerLink {
 public:
    SocketLink(std::shared_ptr<FcgiUpstream> upstream, std::shared_ptr<spawn::Pool> pool,
               spawn::Worker& worker);
    Proof prove() noexcept override;
    bool begin() override;

 private:
    void leave_loop() noexcept override { next_.reset(); }
    void refused() noexcept;
    void hang_up() noexcept override;
    void observe(Observer* observer) override;
    bool may_connect_again();
    void connect();
    Proof knock_on_next();
    Proof works_on() noexcept;
    const net::Endpoint address_;
    Time connected_{};                    // when next_ was begun
    std::unique_ptr<FcgiExchange> next_;  // a new connection, if the exchange's ends
};

/// A worker that gets each connection through its control socket (FCGI_LISTENSOCK_DESCRIPTORS), and
/// says when it has done with it.
class DescriptorLink final : public WorkerLink {
 public:
    DescriptorLink(std::shared_ptr<FcgiUpstream> upstream, std::shared_ptr<spawn::Pool> pool,
                   spawn::Worker& worker);
    ~DescriptorLink() override;
    Proof prove() noexcept override;
    bool begin() override;
    void hear() noexcept override;
    bool heard_early() const override;
    bool close() noexcept override;

 private:
    void enter_loop() override;
    void leave_loop() noexcept override;
    void observe(Observer* observer) override;
    bool shown() const override { return shown_; }
    Proof prove_taken() noexcept;
    bool read_cookie() noexcept;
    bool unpassable() noexcept;
    Proof await_cookie() noexcept;
    void part_idle() noexcept;
    void draw_cookie();
    std::unique_ptr<net::SocketStream> stream_;  // the control socket
    bool attached_ = false, outstanding_ = false;
    bool ended_ = false;  // a read found the end of the control socket
    bool shown_ = false;  // it has taken a connection
    bool heard_ = false;  // the cookie has come while the answer was read
    bool taken_ = false;  // the one that begin() has passed ahead of the request
    std::array<char, 8> cookie_{}, answer_{};
    std::size_t answered_ = 0;
};

}  // namespace ticketgate

// The link to the other process of an upgrade, on the control thread's loop.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/packets.hpp"

namespace ticketgate {

class UpgradeLink : public std::enable_shared_from_this<UpgradeLink> {
 public:
    /// `ended` is called when the other process has ended. Both functions may drop the link. A call
    /// that ends by an exception is made again by go_on(). In a shared_ptr only.
    UpgradeLink(boost::asio::io_context& io, Descriptor socket, std::function<void(Packet)> heard,
                std::function<void()> ended);
    void start() { wait_to_read(); }
    /// Waits for what it waited for, after an exception.
    void go_on();

    /// Sends at once, or as soon as the other process has read enough. At most one message a queue
    /// and a few more wait. Put, it is sent by flush(); where put() throws, it never is.
    void put(const upgrade::Message& message, Descriptor descriptor = Descriptor(-1));
    void flush();
    void send(const upgrade::Message& message, Descriptor descriptor = Descriptor(-1));
    /// Before start(): as send_packet() and await_packet() do.
    bool send_now(const upgrade::Message& message);
    std::optional<Packet> await(Duration longest);

    /// The packets that the other process sent before it ended.
    std::vector<Packet> last_words();
    bool all_sent() const { return waiting_.empty(); }

 private:
    using Wait = boost::asio::posix::stream_descriptor::wait_type;
    void wait(Wait what, void (UpgradeLink::*then)());
    void wait_to_read();
    void pause(boost::asio::steady_timer& timer, void (UpgradeLink::*then)());
    void read();
    void hear();
    void write();
    void write_later(bool shortage);
    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer read_again_, write_again_;
    const std::function<void(Packet)> heard_;
    const std::function<void()> ended_;
    RawPacket received_;
    bool unheard_ = false;  // received_
    std::deque<Packet> waiting_;
    bool write_waits_ = false;  // for an event
};

}  // namespace ticketgate

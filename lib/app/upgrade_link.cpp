#include "app/upgrade_link.hpp"

#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/shortage.hpp"

namespace ticketgate {
namespace {

// Before another try of a call that the system had no memory for: no event tells when it has.
constexpr auto shortage_pause = std::chrono::milliseconds(50);

}  // namespace

UpgradeLink::UpgradeLink(boost::asio::io_context& io, Descriptor socket,
                         std::function<void(Packet)> heard, std::function<void()> ended)
    : socket_(io),
      read_again_(io),
      write_again_(io),
      heard_(std::move(heard)),
      ended_(std::move(ended)) {
    socket_.assign(socket.get());
    (void)socket.release();  // not before: without memory it is closed, and the other process ends
}

// Its owner may drop the link while an event is on its way.
void UpgradeLink::wait(Wait what, void (UpgradeLink::*then)()) {
    socket_.async_wait(what, [weak = weak_from_this(), then](const error_code& error) {
        const auto self = weak.lock();
        if (!error && self) (*self.*then)();
    });
}

void UpgradeLink::pause(boost::asio::steady_timer& timer, void (UpgradeLink::*then)()) {
    timer.expires_after(shortage_pause);
    timer.async_wait([weak = weak_from_this(), then](const error_code& error) {
        const auto self = weak.lock();
        if (!error && self) (*self.*then)();
    });
}

void UpgradeLink::put(const upgrade::Message& message, Descriptor descriptor) {
    waiting_.push_back({message, std::move(descriptor)});
}

void UpgradeLink::flush() {
    if (!write_waits_) write();
}

void UpgradeLink::send(const upgrade::Message& message, Descriptor descriptor) {
    put(message, std::move(descriptor));
    flush();
}

bool UpgradeLink::send_now(const upgrade::Message& message) {
    return send_packet(socket_.native_handle(), message);
}

std::optional<Packet> UpgradeLink::await(Duration longest) {
    return await_packet(socket_.native_handle(), longest);
}

void UpgradeLink::wait_to_read() {
    wait(Wait::wait_read, &UpgradeLink::read);
}

// A packet that was not heard to its end is heard again; no event tells of that.
void UpgradeLink::go_on() {
    const auto self = shared_from_this();
    socket_.cancel();
    read_again_.cancel();
    write_again_.cancel();
    unheard_ ? read() : wait_to_read();
    write();
}

std::vector<Packet> UpgradeLink::last_words() {
    std::vector<Packet> words;
    for (RawPacket next; receive_packet(socket_.native_handle(), next) == Received::packet;)
        if (auto packet = decode(next)) words.push_back(*std::move(packet));
    return words;
}

// One packet a turn.
void UpgradeLink::read() {
    const auto self = shared_from_this();  // what hears it may drop the link
    if (!unheard_) {
        const Received received = receive_packet(socket_.native_handle(), received_);
        if (received == Received::ended) return ended_();
        if (received == Received::shortage) return pause(read_again_, &UpgradeLink::read);
        unheard_ = received == Received::packet;
    }
    wait_to_read();
    if (!unheard_) return;
    hear();
}

void UpgradeLink::hear() {
    try {
        if (auto packet = decode(received_)) heard_(*std::move(packet));
        unheard_ = false;
    } catch (const std::bad_alloc&) {
        throw;  // it is heard again
    } catch (...) {
        unheard_ = false;
        throw;
    }
}

void UpgradeLink::write_later(bool shortage) {
    shortage ? pause(write_again_, &UpgradeLink::write)
             : wait(Wait::wait_write, &UpgradeLink::write);
    write_waits_ = true;
}

// A failure is not told here: read() finds the end, too.
void UpgradeLink::write() {
    write_waits_ = false;
    while (!waiting_.empty()) {
        const Packet& next = waiting_.front();
        if (!send_packet(socket_.native_handle(), next.message, next.descriptor.get())) {
            if (errno == EAGAIN || errno == EINTR) return write_later(false);
            if (no_memory_now(errno)) return write_later(true);
            if (errno != ETOOMANYREFS) return waiting_.clear();
        }  // too many descriptors are on their way: this one ends, and the messages behind it go
        waiting_.pop_front();
    }
}

}  // namespace ticketgate

#include "app/upgrade_link.hpp"

#include <cerrno>
#include <chrono>
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
    : socket_(io, socket.release()),
      read_again_(io),
      write_again_(io),
      heard_(std::move(heard)),
      ended_(std::move(ended)) {}

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

void UpgradeLink::send(const upgrade::Message& message, Descriptor descriptor) {
    waiting_.push_back({message, std::move(descriptor)});
    if (waiting_.size() == 1) write();
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

void UpgradeLink::go_on() {
    socket_.cancel();
    read_again_.cancel();
    wait_to_read();
    write();
}

std::vector<Packet> UpgradeLink::last_words() {
    std::vector<Packet> words;
    for (Packet next; receive_packet(socket_.native_handle(), next) == Received::packet;)
        words.push_back(std::move(next));
    return words;
}

// One packet a turn.
void UpgradeLink::read() {
    Packet packet;
    const Received received = receive_packet(socket_.native_handle(), packet);
    if (received == Received::ended) return ended_();
    if (received == Received::shortage) return pause(read_again_, &UpgradeLink::read);
    wait_to_read();
    if (received == Received::packet) heard_(std::move(packet));
}

// A failure is not told here: read() finds the end, too.
void UpgradeLink::write() {
    while (!waiting_.empty()) {
        const Packet& next = waiting_.front();
        if (!send_packet(socket_.native_handle(), next.message, next.descriptor.get())) {
            if (errno == EAGAIN || errno == EINTR)
                return wait(Wait::wait_write, &UpgradeLink::write);
            if (no_memory_now(errno)) return pause(write_again_, &UpgradeLink::write);
            if (errno != ETOOMANYREFS) return waiting_.clear();
        }  // too many descriptors are on their way: this one ends, and the messages behind it go
        waiting_.pop_front();
    }
}

}  // namespace ticketgate

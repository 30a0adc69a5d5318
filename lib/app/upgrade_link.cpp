#include "app/upgrade_link.hpp"

#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace ticketgate {

UpgradeLink::UpgradeLink(boost::asio::io_context& io, Descriptor socket,
                         std::function<void(Packet)> heard, std::function<void()> ended)
    : socket_(io, socket.release()), heard_(std::move(heard)), ended_(std::move(ended)) {}

// Its owner may drop the link while an event is on its way.
void UpgradeLink::wait(Wait what, void (UpgradeLink::*then)()) {
    socket_.async_wait(what, [weak = weak_from_this(), then](const error_code& error) {
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
            if (errno != ETOOMANYREFS) return waiting_.clear();
        }  // too many descriptors are on their way: this one ends, and the messages behind it go
        waiting_.pop_front();
    }
}

}  // namespace ticketgate

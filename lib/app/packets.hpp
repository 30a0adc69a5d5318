// Messages of an upgrade over a socket between two processes: one message a packet, with one
// descriptor at most (SCM_RIGHTS).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "upgrade/message.hpp"

namespace ticketgate {

struct Packet {
    upgrade::Message message = {};
    Descriptor descriptor{-1};  ///< that came with it; -1: none
};

/// Two ends of a new link; throws std::system_error.
std::array<Descriptor, 2> make_link();
/// Sends without waiting. False, with errno: EAGAIN, or the other end has gone.
bool send_packet(int link, const upgrade::Message& message, int descriptor = -1);

enum class Received : std::uint8_t {
    packet,
    nothing,
    shortage,  ///< one may be there, and there is no memory to receive it
    ended
};
/// A packet as it came.
struct RawPacket {
    std::array<char, upgrade::longest_message> bytes{};
    std::size_t size = 0;
    Descriptor descriptor{-1};
};
/// Receives without waiting, and without memory of its own.
Received receive_packet(int link, RawPacket& into) noexcept;
/// Leaves `raw` as it is if there is no memory. Nothing: it is not understood, and dropped: the end
/// of the other process must never be told while that lives.
std::optional<Packet> decode(RawPacket& raw);
/// Waits for the next one; nothing: the link has ended, or none came within this time.
std::optional<Packet> await_packet(int link, Duration longest);

}  // namespace ticketgate

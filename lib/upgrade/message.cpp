#include "upgrade/message.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace ticketgate::upgrade {
namespace {

// By Kind.
constexpr std::array<std::string_view, 16> words{
    "hello", "socket", "offered", "problem", "ready",    "queue", "yours",  "give",
    "ask",   "ids",    "pause",   "drain",   "finished", "lost",  "oldest", "guest"};

}  // namespace

// Both processes are on one machine, and have one monotonic clock.
Message at_time(Kind kind, const std::string& queue, Time time) {
    return {kind, static_cast<std::uint64_t>(time.time_since_epoch().count()), queue};
}

Time time_of(const Message& message) {
    return Time(Time::duration(static_cast<Time::rep>(message.number)));
}

std::string encode(const Message& message) {
    std::string packet(words[static_cast<std::size_t>(message.kind)]);
    packet += " " + std::to_string(message.number) + " " + message.text;
    if (packet.size() > longest_message) packet.resize(longest_message);
    return packet;
}

std::optional<Message> decode(std::string_view packet) {
    const auto space = packet.find(' ');
    const auto* const word = std::ranges::find(words, packet.substr(0, space));
    if (word == words.end() || space == packet.npos) return std::nullopt;
    packet.remove_prefix(space + 1);
    Message message{static_cast<Kind>(word - words.begin())};
    const char* const end = packet.data() + packet.size();
    const auto [stop, error] = std::from_chars(packet.data(), end, message.number);
    if (error != std::errc{} || stop == end || *stop != ' ') return std::nullopt;
    message.text.assign(stop + 1, end);
    return message;
}

}  // namespace ticketgate::upgrade

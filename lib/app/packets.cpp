#include "app/packets.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/shortage.hpp"

namespace ticketgate {
namespace {

// Before another try to receive what there was no memory for.
constexpr int shortage_pause_ms = 10;

// Room for the one descriptor that a packet may have.
struct alignas(cmsghdr) Rights {
    std::array<char, CMSG_SPACE(sizeof(int))> bytes{};
};

void attach(msghdr& header, Rights& rights, int descriptor) {
    header.msg_control = rights.bytes.data();
    header.msg_controllen = rights.bytes.size();
    cmsghdr* const about = CMSG_FIRSTHDR(&header);
    about->cmsg_level = SOL_SOCKET;
    about->cmsg_type = SCM_RIGHTS;
    about->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(about), &descriptor, sizeof(descriptor));
}

Descriptor attached(msghdr& header) {
    const cmsghdr* const about = CMSG_FIRSTHDR(&header);
    int descriptor = -1;
    if (about != nullptr && about->cmsg_level == SOL_SOCKET && about->cmsg_type == SCM_RIGHTS)
        std::memcpy(&descriptor, CMSG_DATA(about), sizeof(descriptor));
    return Descriptor(descriptor);
}

}  // namespace

std::array<Descriptor, 2> make_link() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        throw std::system_error(errno, std::system_category(), "cannot make a link");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send_packet(int link, const upgrade::Message& message, int descriptor) {
    std::string packet = upgrade::encode(message);
    iovec bytes{packet.data(), packet.size()};
    Rights rights;
    msghdr header{};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    if (descriptor >= 0) attach(header, rights, descriptor);
    return ::sendmsg(link, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

Received receive_packet(int link, RawPacket& into) noexcept {
    iovec bytes{into.bytes.data(), into.bytes.size()};
    Rights rights;
    msghdr header{};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = rights.bytes.data();
    header.msg_controllen = rights.bytes.size();
    const ssize_t size = ::recvmsg(link, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Received::nothing;
    if (size < 0 && no_memory_now(errno)) return Received::shortage;
    if (size <= 0) return Received::ended;
    into.descriptor = attached(header);
    into.size = static_cast<std::size_t>(size);
    return Received::packet;
}

std::optional<Packet> decode(RawPacket& raw) {
    auto message = upgrade::decode({raw.bytes.data(), raw.size});
    if (!message) return std::nullopt;
    return Packet{*std::move(message), std::move(raw.descriptor)};
}

std::optional<Packet> await_packet(int link, Duration longest) {
    const Time end = monotonic_now() + longest;
    for (Time now = monotonic_now(); now < end; now = monotonic_now()) {
        RawPacket raw;
        const Received received = receive_packet(link, raw);
        if (received == Received::packet)
            if (auto packet = decode(raw)) return packet;
        if (received == Received::ended) return std::nullopt;
        if (received == Received::shortage) (void)::poll(nullptr, 0, shortage_pause_ms);
        pollfd readable{.fd = link, .events = POLLIN, .revents = 0};
        const auto rest = std::chrono::duration_cast<milliseconds>(end - now) + 1ms;
        (void)::poll(&readable, 1, static_cast<int>(rest.count()));
    }
    return std::nullopt;
}

}  // namespace ticketgate

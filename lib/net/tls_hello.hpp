// Bounds what OpenSSL allocates before it knows anything of a client: at the first four bytes of a
// ClientHello it takes, and zeroes, as many bytes as these announce, up to 128 KiB. Sees each
// record before OpenSSL does. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ticketgate::net {

class HelloGuard {
 public:
    /// With its header. OpenSSL takes this much for each handshake anyway; BoringSSL has the same
    /// bound. Hellos with post-quantum key shares and many extensions are below 4 KiB.
    static constexpr std::size_t most = 16 << 10;

    /// `record`: a whole record, or bytes that are none. False: it begins a ClientHello that is too
    /// long; OpenSSL refuses any other message by its type. To be called only while messages are in
    /// plain text.
    bool takes(std::string_view record) noexcept;

 private:
    bool announces() noexcept;
    std::array<unsigned char, 4> header_{};  // of a message: its type and size
    std::size_t header_size_ = 0;            // bytes of it that have come
    std::size_t rest_ = 0;                   // of the message behind a whole header
};

}  // namespace ticketgate::net

// The stream below TLS as OpenSSL reads and writes it, with the ciphertext that the stream has not
// taken yet. Reads go straight to the stream; writes are gathered here, so that a handshake flight,
// or several records, are one send. Never a file descriptor, so it works on any Stream. Owned by a
// TlsStream; its loop's thread only.
#pragma once

#include <openssl/types.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "net/stream.hpp"

namespace ticketgate::net {

class TlsWire {
 public:
    explicit TlsWire(std::unique_ptr<Stream> below) : below_(std::move(below)) {}

    Stream& below() const { return *below_; }
    /// A BIO on this wire, which must outlive it; the caller owns it. Null: no memory.
    BIO* make_bio();

    /// Offers the gathered bytes to the stream. True: nothing is left.
    bool flush();
    /// errno of a write that failed; from then on gathered bytes are dropped.
    int write_error() const { return write_error_; }
    int read_error() const { return read_error_; }
    /// The peer's FIN was read. OpenSSL sees silence instead: the TlsStream decides what the FIN
    /// means.
    bool ended() const { return ended_; }

    /// The first bytes that were read, as many as fit: those that a failed handshake used up.
    std::size_t copy_first(std::span<char> into) const;

    // For the BIO.
    IoResult read(std::span<char> into);
    /// False: too much is gathered already.
    bool gather(std::span<const char> bytes) noexcept;

 private:
    std::unique_ptr<Stream> below_;
    std::string unsent_;  // freed when all is sent
    std::size_t sent_ = 0;
    std::array<char, 8> first_{};  // bytes read, and how many of them are kept
    std::size_t first_size_ = 0;
    int read_error_ = 0, write_error_ = 0;
    bool ended_ = false;
};

}  // namespace ticketgate::net

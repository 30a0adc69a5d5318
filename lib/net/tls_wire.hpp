// The stream below TLS as OpenSSL reads and writes it. OpenSSL gets whole records only: for a part
// of one it would allocate 17 KiB, as long as the rest does not come. The part stays here, in as
// many bytes as it has. Writes are gathered, so that a handshake flight, or several records, are
// one send. Never a file descriptor, so it works on any Stream. Owned by a TlsStream; its loop's
// thread only.
#pragma once

#include <openssl/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "net/stream.hpp"
#include "net/tls_hello.hpp"

namespace ticketgate::net {

class TlsWire {
 public:
    explicit TlsWire(std::unique_ptr<Stream> below) : below_(std::move(below)) {}

    Stream& below() const { return *below_; }
    /// A BIO on this wire, which must outlive it; the caller owns it. Null: no memory.
    BIO* make_bio();

    /// Offers the gathered bytes to the stream. True: nothing is left.
    bool flush();
    /// Gathered bytes that the stream has not taken.
    std::size_t unsent() const { return unsent_.size() - sent_; }
    /// errno of a write that failed; from then on gathered bytes are dropped.
    int write_error() const { return write_error_; }
    int read_error() const { return read_error_; }
    /// The peer's FIN was read. OpenSSL sees silence instead: the TlsStream decides what the FIN
    /// means.
    bool ended() const { return ended_; }

    /// The most that one read takes from the stream, from now on.
    enum class Reads : std::uint8_t {
        ahead,   ///< two records at a time
        alerts,  ///< at most `most_of_an_alert` bytes, enough to notice an end
    };
    void reads(Reads how) { reads_ = how; }
    Reads reads() const { return reads_; }
    /// Larger records hold bytes for the reader.
    static constexpr std::size_t most_of_an_alert = 512;
    /// True if the next record is larger than that, so it stays where it is.
    bool withholds() const;
    /// True if OpenSSL could read something without a system call.
    bool has_record() const;
    /// Bytes that were read and not given to OpenSSL yet.
    std::size_t unread() const { return end_ - begin_; }
    /// Returns memory that these bytes do not need; after each use of OpenSSL.
    void shrink() noexcept;
    /// Drops these bytes: no further record can be read.
    void drop_unread() noexcept;

    // A peer may send records without data (KeyUpdate, empty ones) that cost more to read than to
    // write. It has few of them to spare, and earns more by data.
    static constexpr std::uint32_t most_spare = 32;
    static constexpr std::uint64_t bytes_of_spare = 4096;
    /// The handshake is over: records count from now on.
    void count_records() {
        counts_ = true;
        watched_ = nullptr;
    }
    /// A record had data: this many bytes.
    void earn(std::size_t bytes) noexcept;
    /// The peer is a client: until the handshake is over, no ClientHello may be too long.
    void watch_hellos(const SSL& handshake) { watched_ = &handshake; }
    /// The same, and it may show certificates: those that cost too much are refused before OpenSSL
    /// parses them.
    void watch_certificates(SSL& handshake);
    /// Bytes of the peer have come.
    bool begun() const { return first_size_ != 0; }
    /// Why this wire refuses the peer's records, whose reads fail with EPROTO; null: it does not.
    const char* refusal() const { return refusal_; }

    /// The first bytes that were read, as many as fit: those that a failed handshake used up.
    std::size_t copy_first(std::span<char> into) const;

    // For OpenSSL.
    void refuse(const char* why) noexcept { refusal_ = why; }
    IoResult read(std::span<char> into) noexcept;
    /// False: too much is gathered already.
    bool gather(std::span<const char> bytes) noexcept;

 private:
    IoResult fill() noexcept;
    bool begin_record() noexcept;
    const char* judge_record() noexcept;
    bool hello_fits() noexcept;
    bool move_to(std::size_t room) noexcept;

    std::unique_ptr<Stream> below_;
    std::unique_ptr<char[]> bytes_;  // those read, from begin_ to end_
    std::size_t begin_ = 0, end_ = 0, room_ = 0;
    std::size_t rest_ = 0;  // of the record that OpenSSL is reading
    std::uint32_t spare_ = most_spare;
    std::uint64_t earned_ = 0;  // bytes of data, below bytes_of_spare
    bool begun_ = false;        // a part of the record at begin_ has been given
    bool counts_ = false;
    const char* refusal_ = nullptr;
    const SSL* watched_ = nullptr;  // whose handshake is under way
    HelloGuard hellos_;
    Reads reads_ = Reads::ahead;
    std::string unsent_;  // freed when all is sent
    std::size_t sent_ = 0;
    std::array<char, 8> first_{};  // bytes read, and how many of them are kept
    std::size_t first_size_ = 0;
    int read_error_ = 0, write_error_ = 0;
    bool ended_ = false;
};

}  // namespace ticketgate::net

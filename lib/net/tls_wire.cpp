#include "net/tls_wire.hpp"

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "net/pieces.hpp"
#include "net/tls_chain.hpp"
#include "net/tls_record.hpp"

namespace ticketgate::net {
namespace {

// More than a TlsStream ever gathers of its user's bytes. Limits the memory for a peer that reads
// nothing and makes TLS itself answer again and again.
constexpr std::size_t most_unsent = 96 << 10;
// Two of the largest records that a peer may send (RFC 5246 6.2.3).
constexpr std::size_t read_ahead = 32 << 10;
// The fatal alert with which OpenSSL refuses a message that is too long, in plain text.
constexpr std::array<char, 7> illegal_parameter{21, 3, 3, 0, 2, 2, 47};

TlsWire& wire_of(BIO* bio) {
    return *static_cast<TlsWire*>(BIO_get_data(bio));
}

int read_bytes(BIO* bio, char* into, int size) {
    BIO_clear_retry_flags(bio);
    const IoResult got = wire_of(bio).read(std::span(into, static_cast<std::size_t>(size)));
    if (got.status == Io::ok) return static_cast<int>(got.bytes);
    if (got.status == Io::blocked) BIO_set_retry_read(bio);
    return -1;
}

int write_bytes(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    if (wire_of(bio).gather(std::span(bytes, static_cast<std::size_t>(size)))) return size;
    BIO_set_retry_write(bio);
    return -1;
}

// The stream flushes, once for everything gathered.
long control(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// OpenSSL has read a whole message and is about to parse it. Nothing that this returns stops it, so
// the message is made one that it refuses at its first bytes: none of its sizes fits.
void judge_message(int written, int version, int type, const void* message, std::size_t size, SSL*,
                   void* wire) {
    if (written != 0 || type != SSL3_RT_HANDSHAKE) return;
    const auto* const text = static_cast<const char*>(message);
    const char* const why = why_costly({text, size}, version == TLS1_3_VERSION);
    if (why == nullptr) return;
    constexpr std::size_t header = 4, sizes = 4;
    std::memset(const_cast<char*>(text) + header, 0xff, std::min(sizes, size - header));
    static_cast<TlsWire*>(wire)->refuse(why);
}

struct Method {
    Method() : bio(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream")) {
        if (bio == nullptr) throw std::bad_alloc();
        BIO_meth_set_read(bio, read_bytes);
        BIO_meth_set_write(bio, write_bytes);
        BIO_meth_set_ctrl(bio, control);
    }
    ~Method() { BIO_meth_free(bio); }
    Method(const Method&) = delete;
    Method& operator=(const Method&) = delete;
    BIO_METHOD* const bio;
};

}  // namespace

BIO* TlsWire::make_bio() {
    static const Method method;
    BIO* bio = BIO_new(method.bio);
    if (bio == nullptr) return nullptr;
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    return bio;
}

// Reports an end as "nothing yet": OpenSSL would take it for an error and refuse to write as well,
// but a half-closed client still gets its answer.
IoResult TlsWire::read(std::span<char> into) noexcept {
    while (rest_ == 0 && (rest_ = next_record_size({bytes_.get() + begin_, unread()})) == 0) {
        IoResult got = fill();
        if (got.status == Io::ok) continue;
        if (got.status == Io::ended) {
            ended_ = true;
            got.status = Io::blocked;
        }
        if (got.status == Io::failed) read_error_ = got.error;
        return got;
    }
    if (!begun_ && !begin_record()) return {Io::failed, 0, read_error_ = EPROTO};
    const std::size_t given = std::min(into.size(), rest_);
    std::copy_n(bytes_.get() + begin_, given, into.data());
    begin_ += given;
    rest_ -= given;
    begun_ = rest_ != 0;
    return {Io::ok, given, 0};
}

bool TlsWire::begin_record() noexcept {
    if (refusal_ == nullptr) refusal_ = judge_record();
    if (counts_ && refusal_ == nullptr) --spare_;
    return refusal_ == nullptr;
}

const char* TlsWire::judge_record() noexcept {
    if (counts_ && spare_ == 0) return "too many TLS records without data";
    if (hello_fits()) return nullptr;
    (void)gather(illegal_parameter);
    return "a ClientHello of more than 16 KiB";
}

void TlsWire::watch_certificates(SSL& handshake) {
    SSL_set_msg_callback(&handshake, judge_message);
    SSL_set_msg_callback_arg(&handshake, this);
}

// TLS 1.3 may ask for a second ClientHello. Once TLS 1.2 is agreed on, OpenSSL refuses any other
// before it allocates anything, and an encrypted message looks like one with any size.
bool TlsWire::hello_fits() noexcept {
    const bool watches = watched_ != nullptr && SSL_version(watched_) != TLS1_2_VERSION;
    return !watches || hellos_.takes({bytes_.get() + begin_, rest_});
}

void TlsWire::earn(std::size_t bytes) noexcept {
    earned_ += bytes;
    const std::uint64_t more = 1 + earned_ / bytes_of_spare;
    earned_ %= bytes_of_spare;
    spare_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_spare, spare_ + more));
}

// Reads once, behind what is there.
IoResult TlsWire::fill() noexcept {
    const std::size_t most = reads_ == Reads::ahead ? read_ahead : most_of_an_alert;
    if (unread() >= most) return {Io::blocked, 0, 0};
    if (room_ < most && !move_to(most)) {
        below_->read_later();
        return {Io::blocked, 0, 0};
    }
    if (begin_ != 0) {
        std::memmove(bytes_.get(), bytes_.get() + begin_, unread());
        end_ -= std::exchange(begin_, 0);
    }
    const IoResult got = below_->read_some({bytes_.get() + end_, most - end_});
    if (got.status != Io::ok) return got;
    if (first_size_ < first_.size()) {
        const auto kept = std::min(first_.size() - first_size_, got.bytes);
        std::copy_n(bytes_.get() + end_, kept, first_.data() + first_size_);
        first_size_ += kept;
    }
    end_ += got.bytes;
    return got;
}

bool TlsWire::has_record() const {
    return rest_ != 0 || next_record_size({bytes_.get() + begin_, unread()}) != 0;
}

bool TlsWire::withholds() const {
    return reads_ == Reads::alerts && unread() >= most_of_an_alert && !has_record();
}

bool TlsWire::move_to(std::size_t room) noexcept {
    std::unique_ptr<char[]> other(new (std::nothrow) char[room]);
    if (!other) return false;
    std::copy_n(bytes_.get() + begin_, unread(), other.get());
    end_ -= std::exchange(begin_, 0);
    bytes_ = std::move(other);
    room_ = room;
    return true;
}

void TlsWire::shrink() noexcept {
    if (unread() == 0) {
        bytes_.reset();
        begin_ = end_ = room_ = 0;
    } else if (room_ > 2 * unread()) {
        (void)move_to(unread());  // without memory, the large one stays
    }
}

void TlsWire::drop_unread() noexcept {
    begin_ = end_;
    rest_ = 0;
    shrink();
}

std::size_t TlsWire::copy_first(std::span<char> into) const {
    const auto kept = std::min(first_size_, into.size());
    std::copy_n(first_.begin(), kept, into.begin());
    return kept;
}

// OpenSSL calls it, so no exception may leave it. Without memory the connection is over.
bool TlsWire::gather(std::span<const char> bytes) noexcept {
    if (write_error_ != 0) return true;  // no one will read it
    if (unsent_.size() - sent_ + bytes.size() > most_unsent) return false;
    // A peer that always takes a little leaves no moment at which everything is sent.
    if (sent_ > most_unsent) unsent_.erase(0, std::exchange(sent_, 0));
    try {
        unsent_.append(bytes.data(), bytes.size());
    } catch (const std::bad_alloc&) {
        write_error_ = ENOMEM;
    }
    return true;
}

bool TlsWire::flush() {
    while (sent_ < unsent_.size()) {
        const IoResult written = write_some(*below_, std::string_view(unsent_).substr(sent_));
        if (written.status == Io::blocked) return false;
        if (written.status != Io::ok) {
            write_error_ = written.error != 0 ? written.error : EPIPE;
            break;
        }
        sent_ += written.bytes;
    }
    release_large(unsent_);
    sent_ = 0;
    return true;
}

}  // namespace ticketgate::net

#include "net/tls_wire.hpp"

#include <openssl/bio.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/text.hpp"
#include "net/pieces.hpp"

namespace ticketgate::net {
namespace {

// More than a TlsStream ever gathers of its user's bytes. Limits the memory for a peer that reads
// nothing and makes TLS itself answer again and again.
constexpr std::size_t most_unsent = 96 << 10;

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
IoResult TlsWire::read(std::span<char> into) {
    IoResult got = below_->read_some(into);
    if (first_size_ < first_.size() && got.status == Io::ok) {
        const auto kept = std::min(first_.size() - first_size_, got.bytes);
        std::copy_n(into.begin(), kept, first_.begin() + static_cast<std::ptrdiff_t>(first_size_));
        first_size_ += kept;
    }
    if (got.status == Io::ended) {
        ended_ = true;
        got.status = Io::blocked;
    }
    if (got.status == Io::failed) read_error_ = got.error;
    return got;
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

#include "proxy/reply.hpp"

#include "net/pieces.hpp"

namespace ticketgate {

void Reply::attach(net::Stream& client, Observer& reader) {
    client_ = &client;
    reader_ = &reader;
}

void Reply::detach() {
    client_ = nullptr;
    reader_ = nullptr;
    spool_.clear();
    if (writer_ != nullptr) writer_->notify();
}

bool Reply::pump() {
    const bool was_full = !room();
    while (!spool_.empty()) {
        const auto bytes = spool_.front();
        if (!bytes) return false;
        const auto written = net::write_some(*client_, *bytes);
        if (written.status == net::Io::failed) return false;
        if (written.status != net::Io::ok) break;
        spool_.consume(written.bytes);
        taken_ += written.bytes;
    }
    if (was_full && room() && writer_ != nullptr) writer_->notify();
    return true;
}

void Reply::write(std::span<const iovec> pieces, bool hold) {
    if (client_ == nullptr || failure_) return;
    begun_ = true;
    given_ += net::size_of(pieces);
    std::size_t taken = 0;
    if (!hold && spool_.empty()) {
        const auto written = client_->write_some(pieces);
        // The connection has failed, so nothing may follow these bytes.
        if (written.status == net::Io::failed) return fail(errc::client_closed);
        if (written.status == net::Io::ok) taken = written.bytes;
    }
    taken_ += taken;
    keep(pieces, taken);
    // The session sends the rest, within write_timeout.
    if (!hold && !spool_.empty()) reader_->notify();
}

void Reply::keep(std::span<const iovec> pieces, std::size_t skip) {
    for (const iovec& piece : pieces) {
        if (skip >= piece.iov_len) {
            skip -= piece.iov_len;
            continue;
        }
        const auto rest = net::text_of(piece).substr(skip);
        // The bytes are read and must be kept.
        if (spool_.append(rest)) spool_.overflow(rest);
        skip = 0;
    }
}

void Reply::write_interim(std::string_view bytes) {
    if (client_ == nullptr || begun_ || failure_) return;
    const iovec piece = net::piece(bytes);
    write({&piece, 1}, false);
    // After a part of an interim response, a final response would not be valid HTTP.
    begun_ = failure_ && taken_ != 0;
}

// A failed reply stays failed, though the backend came through: the session answers the failure.
void Reply::finish() {
    finished_ = !failure_;
    if (reader_ != nullptr) reader_->notify();
}

void Reply::end_stream() {
    stream_ended_ = true;
    if (reader_ != nullptr) reader_->notify();
}

void Reply::fail(error_code failure) {
    if (failure_ || finished_) return;
    failure_ = failure;
    if (reader_ != nullptr) reader_->notify();
}

}  // namespace ticketgate

#include "proxy/file_answer.hpp"

#include <algorithm>
#include <array>

#include "net/pieces.hpp"

namespace ticketgate {
namespace {

// From this size on the system sends the file itself, without a copy through this process.
constexpr std::uint64_t large = 64 << 10;
// One call of it. It only refers to pages, so that is a fraction of a millisecond.
constexpr std::uint64_t most_at_once = 1 << 20;
// One read from the disk.
constexpr std::uint64_t most_from_disk = 64 << 10;

}  // namespace

FileAnswer::Waits FileAnswer::send(net::Stream& client, std::span<char> buffer) {
    known_to_ = 0;
    for (;;) {
        const std::string_view text = std::string_view(text_).substr(text_at_);
        if (text.empty() && left_ == 0) {
            if (!next_piece()) return Waits::no;
            continue;
        }
        if (!client.writable()) return Waits::client;
        Waits waits = Waits::no;
        if (left_ == 0) {
            waits = send_bytes(client, {});
        } else if (!given_.empty()) {
            waits = send_bytes(client, given_);
        } else if (is_large() && client.sends_files() && is_in_memory()) {
            if (!text.empty()) client.file_follows();
            waits = text.empty() ? send_from_memory(client) : send_bytes(client, {});
        } else {
            const auto read =
                file_->read_now(from_, buffer.first(std::min<std::uint64_t>(left_, buffer.size())));
            if (read.error == EAGAIN) return Waits::disk;
            if (read.bytes == 0) return Waits::lost;
            waits = send_bytes(client, {buffer.data(), read.bytes});
        }
        if (waits != Waits::no) return waits;
    }
}

files::Piece FileAnswer::wanted() const {
    return {{}, from_, std::min(left_, most_from_disk)};
}

bool FileAnswer::is_large() const {
    return left_ >= large;
}

// Asked once for the text before the part and the part itself.
bool FileAnswer::is_in_memory() {
    if (from_ < known_to_) return true;
    const std::uint64_t size = std::min(left_, most_at_once);
    if (!file_->in_memory(from_, size)) return false;
    known_to_ = from_ + size;
    return true;
}

bool FileAnswer::next_piece() {
    if (next_ == answer_.body.size()) return false;
    files::Piece& piece = answer_.body[next_++];
    text_ = std::move(piece.text);
    text_at_ = 0;
    known_to_ = 0;
    from_ = piece.from;
    left_ = piece.size;
    return true;
}

FileAnswer::Waits FileAnswer::send_from_memory(net::Stream& client) {
    const auto sent = client.send_file(file_->descriptor(), from_, known_to_ - from_);
    if (sent.status == net::Io::failed) return Waits::gone;
    if (sent.status != net::Io::ok) return Waits::client;
    if (sent.bytes == 0) return Waits::lost;
    take(sent.bytes);
    return Waits::no;
}

// Sends the text, then these bytes of the file.
FileAnswer::Waits FileAnswer::send_bytes(net::Stream& client, std::string_view bytes) {
    const std::array pieces{net::piece(std::string_view(text_).substr(text_at_)),
                            net::piece(bytes)};
    const auto written = client.write_some(pieces);
    if (written.status == net::Io::failed) return Waits::gone;
    if (written.status != net::Io::ok) return Waits::client;
    const bool all = written.bytes == net::size_of(pieces);
    take(written.bytes);
    return all ? Waits::no : Waits::client;
}

void FileAnswer::take(std::uint64_t bytes) {
    taken_ += bytes;
    const std::uint64_t of_text = std::min<std::uint64_t>(bytes, text_.size() - text_at_);
    text_at_ += of_text;
    bytes -= of_text;
    from_ += bytes;
    left_ -= bytes;
    if (!given_.empty()) given_.erase(0, bytes);
}

}  // namespace ticketgate

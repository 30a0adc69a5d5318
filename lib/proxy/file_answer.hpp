// Sends the answer with a file to one client, as far as the client takes it and the system has the
// file in memory; says what it waits for. The file itself is the buffer: a slow client costs no
// memory. Owned by a session; one loop.
#pragma once

#include <memory>
#include <string>

#include "disk/open_file.hpp"
#include "files/answer.hpp"
#include "net/stream.hpp"

namespace ticketgate {

class FileAnswer {
 public:
    enum class Waits : std::uint8_t {
        no,      ///< all is sent
        client,  ///< for room: the stream's observer is notified
        disk,    ///< for wanted(): give() goes on
        gone,    ///< the client is gone
        lost     ///< the file is shorter than it was, or cannot be read
    };

    /// `file`: null if the body has no part of one.
    FileAnswer(files::Answer answer, std::shared_ptr<disk::File> file)
        : answer_(std::move(answer)), file_(std::move(file)) {}

    std::uint16_t status() const { return answer_.status; }
    const std::string& fields() const { return answer_.fields; }
    /// The bytes before the body. They leave with its first bytes, so that a disk that fails at
    /// once may still become an error.
    void head(const std::string& bytes) {
        head_size_ = bytes.size();
        (void)next_piece();
        text_.insert(0, bytes);
    }

    /// Sends what can be sent now. `buffer`: scratch for one read.
    Waits send(net::Stream& client, std::span<char> buffer);

    /// The part of the file to be read from the disk; bounded.
    const std::shared_ptr<disk::File>& file() const { return file_; }
    files::Piece wanted() const;
    /// Bytes of the file that the part in hand still needs.
    std::uint64_t left() const { return left_; }
    void give(std::string bytes) { given_ = std::move(bytes); }

    std::uint64_t taken() const { return taken_; }  ///< bytes that the client's connection took
    std::uint64_t body_taken() const { return taken_ > head_size_ ? taken_ - head_size_ : 0; }

 private:
    bool next_piece();
    bool is_large() const;
    bool is_in_memory();
    Waits send_from_memory(net::Stream& client);
    Waits send_bytes(net::Stream& client, std::string_view bytes);
    void take(std::uint64_t bytes);
    files::Answer answer_;
    const std::shared_ptr<disk::File> file_;
    std::size_t next_ = 0;  // piece of the body
    std::string text_;      // before the part of the file
    std::size_t text_at_ = 0;
    std::string given_;  // by a reader; begins at from_
    std::uint64_t from_ = 0, left_ = 0;
    std::uint64_t known_to_ = 0;  // in memory when it was asked, in this call of send()
    std::uint64_t taken_ = 0;
    std::size_t head_size_ = 0;
};

}  // namespace ticketgate

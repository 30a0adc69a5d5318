#pragma once
// As much HTTP/1.1 as the load tools need: find the end of a head, pick out the fields they
// use, count a body off. Views point into the caller's bytes and live as long as those.

#include <cstdint>
#include <string>
#include <string_view>

namespace loadtest {

enum class Scan { whole, partial, bad };

struct RequestHead {
    std::size_t size = 0;  // bytes of the head, blank line included
    std::string_view method;
    std::string_view target;
    std::uint64_t content_length = 0;
    bool chunked = false;
    bool keep_alive = true;
    bool expects_continue = false;
    bool ghost = false;            // X-Ghost: 1, must never start
    std::string_view request_id;   // X-Request-Id
    bool has_both_ids = false;     // X-Request-Id and UNIQUE_ID, the latter in either spelling
    std::uint64_t seq = 0;         // X-Seq, the order of sending; 0 = not given
    std::uint64_t sent_us = 0;     // X-Sent-Us, when it was sent
    std::string_view queue;        // X-Queue, else the path
    std::uint64_t token = 0;       // Fencing-Token, of a clustered queue; 0 = not given
    std::string_view token_queue;  // Fencing-Queue

    bool is_safe() const { return method == "GET" || method == "HEAD"; }

    std::string_view path() const { return target.substr(0, target.find('?')); }
};

struct ResponseHead {
    std::size_t size = 0;
    int status = 0;
    std::uint64_t content_length = 0;
    bool has_length = false;
    bool chunked = false;
    bool keep_alive = true;
    std::uint64_t seq = 0;  // the backend echoes X-Seq: a crossed answer shows
};

Scan scan(std::string_view bytes, RequestHead& head);
Scan scan(std::string_view bytes, ResponseHead& head);

// Tells whether a whole head has a field of one of these names, which commas separate.
bool has_field(std::string_view head, std::string_view names);

// Appends a chunked body of so many bytes, at most 64 MiB; `extension` follows the size of each
// chunk.
void append_chunks(std::string& to, std::uint64_t size, const char* extension);

// The number after NAME= in the query of the target, or `otherwise`.
std::uint64_t query_number(std::string_view target, std::string_view name, std::uint64_t otherwise);
// The text after NAME= in the query of the target, up to `&`.
std::string_view query_text(std::string_view target, std::string_view name);
std::uint64_t to_number(std::string_view text, std::uint64_t otherwise = 0);

// Counts one message body off the front of a stream of bytes.
class Body {
 public:
    static Body of_length(std::uint64_t length);
    static Body chunked();
    static Body until_close();

    // How many of these bytes belong to the body's encoding; stops at its end.
    std::size_t take(std::string_view bytes);
    bool complete() const { return state_ == State::complete; }
    bool broken() const { return state_ == State::broken; }
    std::uint64_t content_bytes() const { return content_; }

 private:
    enum class State {
        length,
        forever,
        chunk_size,
        chunk_data,
        chunk_end,
        trailer,
        complete,
        broken
    };
    std::size_t take_line(std::string_view bytes);
    void end_line();

    State state_ = State::complete;
    std::uint64_t left_ = 0;
    std::uint64_t content_ = 0;
    std::uint64_t line_length_ = 0;  // of the line being read, without CR LF
    bool line_open_ = true;          // still before a chunk extension
};

}  // namespace loadtest

#include "upstream/http_exchange.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "net/pieces.hpp"

namespace ticketgate {
namespace {

// Against the protocol, a server may send a body to HEAD, or one of the declared length with a 304.
// It would be read as the beginning of the next answer.
Silence silence_after(const http::ResponseHead& head, bool to_head) {
    if (head.framing != http::Framing::none) return Silence::sure;
    const bool told_empty = head.has_content_length && head.content_length == 0;
    if (to_head ? !told_empty : head.tells_content) return Silence::unsure;
    return Silence::likely;
}

}  // namespace

// Chunked coding (RFC 9112 7.1).
Frame HttpExchange::frame(std::size_t piece, bool last) noexcept {
    Frame around;
    if (piece != 0) {
        std::array<char, FrameBytes::capacity> head;
        around.before.append({head.data(), http::write_chunk_head(head.data(), piece)});
        around.after.append("\r\n");
    }
    if (last) around.after.append("0\r\n\r\n");
    return around;
}

result<Step> HttpExchange::read_head(bool to_head_request, http::ResponseHead& head) {
    for (;;) {
        if (!unread_.empty()) {
            const auto progress = parse_head(to_head_request, head);
            if (!progress) return progress.error();
            if (*progress == http::Progress::done) return Step::done;
        }
        const auto got = read(unread_);
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status != net::Io::ok) return read_failure();
    }
}

// Parses in place. Joins a head first only if it came in pieces.
result<http::Progress> HttpExchange::parse_head(bool to_head_request, http::ResponseHead& head) {
    const std::size_t scanned = partial_head_.size();
    std::string_view bytes = unread_;
    if (!partial_head_.empty()) {
        bytes = partial_head_.append(unread_);
        unread_ = {};
    }
    const auto progress =
        http::parse_response(bytes, settings().head_limits, to_head_request, head, scanned);
    if (!progress) {
        note_garbage();
        if (!partial_head_.empty()) whole_head_.swap(partial_head_), unread_ = whole_head_;
        partial_head_.clear();
        return progress;
    }
    if (*progress == http::Progress::need_more) {
        if (partial_head_.empty()) partial_head_ = unread_;
        unread_ = {};
        return progress;
    }
    unread_ = bytes.substr(head.bytes.size());
    whole_head_.swap(partial_head_);  // the views stay valid: only the owner of the bytes changes
    partial_head_.clear();
    note_head(to_head_request, head);
    return progress;
}

void HttpExchange::note_head(bool to_head_request, const http::ResponseHead& head) {
    keep_alive_ = head.keep_alive;
    announced_close_ = head.announces_close && !head.informational();
    told_timeout_s_ = head.keep_alive_timeout_s;
    silence_ = silence_after(head, to_head_request);
    if (head.status == 101) end_ = End::unknown;  // bytes after it are not HTTP
    if (head.informational()) return;
    decoder_ = http::BodyDecoder(head.framing, head.content_length);
    end_ = end_shown(head);
}

HttpExchange::End HttpExchange::end_shown(const http::ResponseHead& head) const {
    if (head.framing == http::Framing::none) return End::headless;
    if (early()) return End::early;
    return request_bytes() > surely_seen ? End::unproven : End::framed;
}

error_code HttpExchange::read_buffered(std::string_view& out) {
    out = {};
    while (!unread_.empty() && !decoder_.done()) {
        const auto next = decoder_.next(unread_);
        if (!next) return errc::upstream_bad_response;
        unread_.remove_prefix(next->consumed);
        out = next->payload;
        if (!out.empty() || next->consumed == 0) break;
    }
    return {};
}

result<Step> HttpExchange::read_body(std::string_view& out) {
    for (;;) {
        if (const auto failure = read_buffered(out)) return failure;
        if (!out.empty() || decoder_.done()) return Step::done;
        const auto got = read(unread_);
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status == net::Io::ended && !reset() && decoder_.end_of_stream()) return Step::done;
        if (got.status != net::Io::ok) return read_failure();
    }
}

std::string HttpExchange::fault() const {
    const bool broken = decoder_.broken() || decoder_.excessive();
    return broken ? std::string(http::broken_body) : PooledExchange::fault();
}

void HttpExchange::upgrade() {
    keep_alive_ = false;
    end_ = End::tunnel;
    reopen_sending();
    decoder_ = http::BodyDecoder(http::Framing::until_close, 0);
}

// Where the end of the answer does not show the end of the work, only the end of the connection
// does (CONTRACT 2.12).
bool HttpExchange::settled() const {
    if (idle_or_over()) return true;
    return end_ == End::framed && decoder_.done() && all_sent() && keep_alive_;
}

bool HttpExchange::announced_end() const {
    const bool read = end_ == End::headless || (has_end() && decoder_.done());
    return announced_close_ && read && may_ask();
}

// RFC 9112 9.6: a server that announces the close closes. Some (Tornado, aiohttp) send the field
// for their application, keep the connection, and wait for our end. PHP's servers leave this
// request unread while a script works, and close then, as it wants. `OPTIONS *` does nothing (RFC
// 9110 9.3.7). A FIN instead would pass for a client that left, and end the wait of a server in
// between (nginx) before its script's end.
bool HttpExchange::ask_for_end() noexcept {
    if (!announced_end() && !(end_ == End::unknown && may_ask())) return false;
    asked_for_end_ = true;
    const std::array<iovec, 3> pieces{net::piece("OPTIONS * HTTP/1.1\r\nHost: "),
                                      net::piece(settings().authority),
                                      net::piece("\r\nConnection: close\r\n\r\n")};
    std::size_t size = 0;
    for (const iovec& piece : pieces) size += piece.iov_len;
    const auto written = write(pieces);
    if (!written || *written != size) finish_sending();  // a part of it would never be answered
    return true;
}

// A server that keeps its connection reads the next request when its work is over: it finds a FIN
// then, and closes. A server that has announced to close does so by itself, or is asked later; so
// is one in the midst of an answer, where a FIN would pass for a client that left (ask_for_end()).
// Nothing more is sent into a tunnel that was left in the midst, or to a peer that takes nothing.
void HttpExchange::ask_to_close() noexcept {
    const bool sends = !all_sent() && end_ != End::tunnel;
    const bool asks = announced_close_ || end_ == End::unknown;
    if ((mute() || (!sends && !asks)) && !half_closed()) finish_sending();
}

// Bytes behind the answer prove nothing: a script that works on may have written them. A server
// that has answered the question and keeps the connection all the same closes after a FIN. Without
// a framing the bytes may still be those of the answer.
void HttpExchange::drop_late_bytes() noexcept {
    unread_ = {};
    if (asked_for_end_ && end_ != End::unknown && !half_closed()) finish_sending();
}

Step HttpExchange::outlast(bool to_head_request, http::ResponseHead& scratch) noexcept {
    while (!settled()) {
        Step step = Step::done;
        if (garbled()) end_ = End::unknown;
        if (end_ == End::open) {
            step = read_head_late(to_head_request, scratch);
        } else if (has_end() && !decoder_.done()) {
            step = read_body_late();
        } else {
            ask_to_close();
            const auto got = read(unread_).status;
            if (got == net::Io::ok) drop_late_bytes();
            if (got == net::Io::blocked) step = Step::blocked;
        }
        if (step == Step::blocked) return step;
    }
    return Step::done;
}

// An answer with too many extensions or trailers is malformed, but shows its end.
Step HttpExchange::read_body_late() noexcept {
    const bool was_excessive = decoder_.excessive();
    std::string_view dropped;
    const auto read = read_body(dropped);
    if (read) return *read;
    if (decoder_.excessive() == was_excessive) end_ = End::unknown;
    return Step::done;
}

// The run ended before its answer began. Holds the slot whatever is wrong with this head or with
// memory. The head is not forwarded, so its length does not matter.
Step HttpExchange::read_head_late(bool to_head_request, http::ResponseHead& head) noexcept {
    if (!collect_late_head()) {
        end_ = End::unknown;
        return Step::done;
    }
    if (late_head_.whole()) {
        take_late_head(to_head_request, head);
        return Step::done;
    }
    return read(unread_).status == net::Io::blocked ? Step::blocked : Step::done;
}

// First what parse_head() has collected, then what it had no memory to add.
bool HttpExchange::collect_late_head() noexcept {
    const auto collected = late_head_.take(partial_head_);
    if (!collected) return false;
    if (late_head_.whole()) {
        whole_head_.swap(partial_head_);
        unread_ = std::string_view(whole_head_).substr(*collected);
    }
    partial_head_.clear();
    const auto used = late_head_.whole() ? result<std::size_t>(0) : late_head_.take(unread_);
    if (used) unread_.remove_prefix(*used);
    return used.has_value();
}

void HttpExchange::take_late_head(bool to_head_request, http::ResponseHead& head) noexcept {
    if (http::read_end(late_head_.bytes(), to_head_request, head))
        note_head(to_head_request, head);
    else
        end_ = End::unknown;
    late_head_.reset();
}

void HttpExchange::renew() {
    release_large(partial_head_);
    release_large(whole_head_);
    keep_alive_ = announced_close_ = asked_for_end_ = false;
    end_ = End::open;
    late_head_.reset();
    decoder_ = http::BodyDecoder();
}

}  // namespace ticketgate

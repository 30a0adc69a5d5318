#include "upstream/http_exchange.hpp"

#include <array>
#include <cerrno>
#include <span>

#include "upstream/http_pool.hpp"

namespace ticketgate {
namespace {

iovec piece(std::string_view bytes) {
    return {const_cast<char*>(bytes.data()), bytes.size()};
}

// One chunk of a request body on its way: enough to be worth a system call.
constexpr std::size_t chunk_size = 64 << 10;

}  // namespace

HttpExchange::HttpExchange(std::shared_ptr<HttpUpstream> upstream, HttpPool& pool, net::Loop& loop)
    : upstream_(std::move(upstream)), pool_(pool), loop_(loop), idle_deadline_(*this) {}

HttpExchange::~HttpExchange() {
    pool_.forget(*this);
}

void HttpExchange::observe(Observer* observer) {
    observer_ = observer;
    if (stream_) stream_->observe(observer);
}

result<Step> HttpExchange::send(std::string_view head, Body& body) {
    if (!connected_) {
        const auto step = connect();
        if (!step || *step != Step::done) return step;
    }
    return send_pieces(head, body);
}

result<Step> HttpExchange::connect() {
    if (!stream_) {
        const net::Endpoint* address = pool_.address(loop_, *this);
        if (address == nullptr) {
            if (pool_.unresolvable()) return errc::upstream_refused;
            return Step::blocked;
        }
        int error = 0;
        stream_ = pool_.connect(loop_, *address, error);
        if (stream_) stream_->observe(observer_);
    }
    const auto state = stream_ ? stream_->connected().status : net::Io::failed;
    if (state == net::Io::blocked) return Step::blocked;
    if (state == net::Io::failed) {
        pool_.address_failed();
        return fault().empty() ? errc::upstream_refused : errc::upstream_untrusted;
    }
    connected_ = true;
    return Step::done;
}

// A broken pipe while sending is not the last word: the backend may have answered before it closed.
result<Step> HttpExchange::send_pieces(std::string_view head, Body& body) {
    for (;;) {
        const bool head_left = head_sent_ < head.size();
        const bool body_left =
            !body.spool.empty() || (body.chunked && body.complete && !last_chunk_sent_);
        if (!head_left && unsent_.empty() && !body_left) {
            if (!body.complete) return Step::starved;
            sent_ = true;
            return Step::done;
        }
        const auto pushed = push(head, body);
        if (!pushed || *pushed != Step::done) return pushed;
    }
}

// One write of what is left of the head and the next piece of the body; done when all of it was
// taken.
result<Step> HttpExchange::push(std::string_view head, Body& body) {
    std::array<iovec, 5> pieces;
    std::size_t count = 0;
    const std::string_view head_rest = head.substr(head_sent_);
    if (!head_rest.empty()) pieces[count++] = piece(head_rest);
    if (!unsent_.empty()) pieces[count++] = piece(unsent_);

    std::string_view front;
    if (!body.spool.empty() && unsent_.empty()) {
        const auto bytes = body.spool.front(chunk_size);
        if (!bytes) return bytes.error();
        front = *bytes;
    }
    std::string chunk_head, chunk_end;
    if (body.chunked && unsent_.empty()) {
        if (!front.empty()) {
            chunk_head.resize(20);
            chunk_head.resize(http::write_chunk_head(chunk_head.data(), front.size()));
            chunk_end = "\r\n";
        }
        if (body.complete && body.spool.size() == front.size() && !last_chunk_sent_) {
            chunk_end += "0\r\n\r\n";
            last_chunk_sent_ = true;
        }
    }
    if (!chunk_head.empty()) pieces[count++] = piece(chunk_head);
    if (!front.empty()) pieces[count++] = piece(front);
    if (!chunk_end.empty()) pieces[count++] = piece(chunk_end);

    const auto written = stream_->write_some(std::span(pieces.data(), count));
    if (written.status == net::Io::failed) {
        // Told once: a read would now find what came before, and then what looks like a FIN.
        reset_ = written.error == ECONNRESET;
        return errc::upstream_broke;
    }
    std::size_t taken = written.status == net::Io::ok ? written.bytes : 0;

    const auto take = [&taken](std::size_t size) {
        const std::size_t part = std::min(taken, size);
        taken -= part;
        return part;
    };
    head_sent_ += take(head_rest.size());
    unsent_.erase(0, take(unsent_.size()));
    if (!body.chunked) {
        const std::size_t part = take(front.size());
        body.spool.consume(part);
        return head_sent_ == head.size() && part == front.size() ? Step::done : Step::blocked;
    }
    // A chunk is begun as a whole: what of it was not taken waits in unsent_.
    std::string rest;
    rest.append(chunk_head, take(chunk_head.size()));
    const std::size_t front_taken = take(front.size());
    rest.append(front.substr(front_taken));
    rest.append(chunk_end, take(chunk_end.size()));
    body.spool.consume(front.size());
    unsent_ += rest;
    return head_sent_ == head.size() && unsent_.empty() ? Step::done : Step::blocked;
}

result<Step> HttpExchange::read_more() {
    const auto buffer = loop_.buffer();
    const auto got = stream_->read_some(buffer);
    if (got.status == net::Io::blocked) return Step::blocked;
    if (got.status != net::Io::ok) return errc::upstream_broke;
    answered_ = true;
    unread_ = std::string_view(buffer.data(), got.bytes);
    return Step::done;
}

result<Step> HttpExchange::read_head(bool to_head_request, http::ResponseHead& head) {
    for (;;) {
        if (!unread_.empty()) {
            const auto progress = parse_head(to_head_request, head);
            if (!progress) return progress.error();
            if (*progress == http::Progress::done) return Step::done;
        }
        const auto more = read_more();
        if (!more || *more != Step::done) return more;
    }
}

// Parses in place. Only a head that came in pieces is copied together first.
result<http::Progress> HttpExchange::parse_head(bool to_head_request, http::ResponseHead& head) {
    const std::size_t scanned = partial_head_.size();
    std::string_view bytes = unread_;
    if (!partial_head_.empty()) bytes = partial_head_.append(unread_);
    const auto progress =
        http::parse_response(bytes, pool_.settings().head_limits, to_head_request, head, scanned);
    if (!progress) return progress;
    if (*progress == http::Progress::need_more) {
        if (partial_head_.empty()) partial_head_ = unread_;
        unread_ = {};
        return progress;
    }
    unread_ = bytes.substr(head.bytes.size());
    whole_head_.swap(partial_head_);  // the views stay good: the bytes only change their owner
    partial_head_.clear();
    keep_alive_ = head.keep_alive;
    told_timeout_s_ = head.keep_alive_timeout_s;
    if (!head.informational()) decoder_ = http::BodyDecoder(head.framing, head.content_length);
    return progress;
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
        const auto buffer = loop_.buffer();
        const auto got = stream_->read_some(buffer);
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status == net::Io::ended && !reset_ && decoder_.end_of_stream()) return Step::done;
        if (got.status != net::Io::ok) return errc::upstream_broke;
        unread_ = std::string_view(buffer.data(), got.bytes);
    }
}

void HttpExchange::upgrade() {
    keep_alive_ = sent_ = false;
    decoder_ = http::BodyDecoder(http::Framing::until_close, 0);
}

Step HttpExchange::outlast() {
    for (;;) {
        const auto got = stream_->read_some(loop_.buffer());
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status != net::Io::ok) return Step::done;
    }
}

bool HttpExchange::reusable() const {
    return connected_ && sent_ && answered_ && keep_alive_ && decoder_.done() && unread_.empty() &&
           !stream_->fin() && !stream_->broken();
}

void HttpExchange::finish(std::unique_ptr<Exchange> self) {
    if (!reusable()) return;
    (void)self.release();  // the same object as below, with its real type
    pool_.keep(std::unique_ptr<HttpExchange>(this), loop_, told_timeout_s_);
}

void HttpExchange::become_idle(Duration timeout) {
    partial_head_ = {};
    whole_head_ = {};
    // The upstream owns its pool, and so this: no circle. Were this the last hold, all of it would
    // go at the end of this function, not before.
    const auto last = std::move(upstream_);
    stream_->observe(this);
    loop_.arm(idle_deadline_, timeout);
}

bool HttpExchange::usable(bool careful) {
    if (careful) return !stream_->stale();
    return !stream_->readable() && !stream_->fin() && !stream_->broken();
}

void HttpExchange::reuse(std::shared_ptr<HttpUpstream> upstream) {
    upstream_ = std::move(upstream);
    stream_->observe(nullptr);
    idle_deadline_.disarm();
    reused_ = true;
    sent_ = answered_ = keep_alive_ = last_chunk_sent_ = false;
    head_sent_ = 0;
    decoder_ = http::BodyDecoder();
}

void HttpExchange::notify() {
    if (usable(false) && !idle_deadline_.expired()) return;
    delete this;  // idle connections belong to the pool's list, which the destructor leaves
}

}  // namespace ticketgate

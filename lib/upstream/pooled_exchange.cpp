#include "upstream/pooled_exchange.hpp"

#include <array>
#include <cerrno>
#include <new>

#include "net/pieces.hpp"
#include "upstream/pooled_upstream.hpp"

namespace ticketgate {
namespace {

// The most of a request body in one write: enough to be worth a system call, and room for FastCGI's
// largest record.
constexpr std::size_t piece_size = (64 << 10) - 8;

// For this long after the loop has polled all sockets, the flags of an idle one count.
constexpr Duration lately = 1ms;

}  // namespace

PooledExchange::PooledExchange(std::shared_ptr<PooledUpstream> upstream, Pool& pool,
                               net::Loop& loop)
    : upstream_(std::move(upstream)), pool_(pool), loop_(loop), place_(*this), deadline_(*this) {}

PooledExchange::~PooledExchange() {
    addresses().forget(*this);
    pool_.line().leave(place_);
    pool_.forget(*this);
}

const UpstreamSettings& PooledExchange::settings() const {
    return pool_.settings();
}

void PooledExchange::observe(Observer* observer) {
    observer_ = observer;
    if (stream_) stream_->observe(observer);
}

result<Step> PooledExchange::send(std::string_view head, Body& body) {
    const auto step = connect();
    if (!step || *step != Step::done) return step;
    return send_pieces(head, body);
}

// A broken pipe while sending is not the end: the backend may have answered before it closed.
result<Step> PooledExchange::send_pieces(std::string_view head, Body& body) {
    for (;;) {
        const bool head_left = head_sent_ < head.size();
        const bool body_left =
            !body.spool.empty() || (frames(body) && body.complete && !last_framed_);
        if (!head_left && unsent_.empty() && !body_left) {
            if (!body.complete) return Step::starved;
            sent_ = true;
            return Step::done;
        }
        const auto pushed = push(head, body);
        if (!pushed || *pushed != Step::done) return pushed;
    }
}

// Writes the rest of the head and the next piece of the body at once; done when all of it was
// taken.
result<Step> PooledExchange::push(std::string_view head, Body& body) {
    const std::string_view head_rest = head.substr(head_sent_);
    const bool framed = frames(body);
    std::string_view front;
    Frame around;
    if (unsent_.empty()) {
        if (!body.spool.empty()) {
            const auto bytes = body.spool.front(piece_size);
            if (!bytes) return bytes.error();
            front = *bytes;
            wrote_body_ = true;
        }
        const bool last = body.complete && body.spool.size() == front.size() && !last_framed_;
        if (framed && (last || !front.empty())) around = frame(front.size(), last);
        if (framed && last) last_framed_ = true;
    }
    std::array<iovec, 5> pieces;
    std::size_t count = 0;
    for (const std::string_view part :
         {head_rest, std::string_view(unsent_), around.before.view(), front, around.after.view()})
        if (!part.empty()) pieces[count++] = net::piece(part);
    const auto written = write(std::span(pieces.data(), count));
    if (!written) return written.error();

    std::size_t taken = *written;
    const auto take = [&taken](std::size_t size) {
        const std::size_t part = std::min(taken, size);
        taken -= part;
        return part;
    };
    head_sent_ += take(head_rest.size());
    unsent_.erase(0, take(unsent_.size()));
    if (!framed) {
        const std::size_t part = take(front.size());
        body.spool.consume(part);
        return head_sent_ == head.size() && part == front.size() ? Step::done : Step::blocked;
    }
    // A frame is begun as a whole: the part that was not taken waits in unsent_.
    try {
        for (const std::string_view part : {around.before.view(), front, around.after.view()})
            unsent_.append(part.substr(take(part.size())));
    } catch (const std::bad_alloc&) {
        // Bytes after an incomplete frame would be read as its rest.
        finish_sending();
        return errc::upstream_broke;
    }
    body.spool.consume(front.size());
    return head_sent_ == head.size() && unsent_.empty() ? Step::done : Step::blocked;
}

// Returns how much was taken; 0 when the connection takes nothing now.
result<std::size_t> PooledExchange::write(std::span<const iovec> pieces) {
    wrote_late_ = wrote_late_ || (touched_ && stream_->readable());
    touched_ = true;
    const auto written = stream_->write_some(pieces);
    if (written.status == net::Io::ok) {
        written_ += written.bytes;
        return written.bytes;
    }
    if (written.status != net::Io::failed) return std::size_t{0};
    write_failed_ = true;
    // Reported once: a read would now find the earlier bytes, and then what looks like a FIN.
    reset_ = written.error == ECONNRESET;
    if (!reset_ && written.error != EPIPE && !stream_->given_up()) end_unsent(written.error);
    note_lost();
    return errc::upstream_broke;
}

// The connection stands, but the backend would wait for the rest for ever. After our FIN its end
// shows that of its work.
void PooledExchange::end_unsent(int error) {
    write_error_ = error;
    finish_sending();
}

// A connection that this machine gave up delivers nothing more, and is treated as silent.
net::IoResult PooledExchange::read(std::string_view& into) {
    if (lost_) return {net::Io::blocked, 0, 0};
    const auto buffer = loop_.buffer();
    const auto got = stream_->read_some(buffer);
    if (got.status == net::Io::ok) {
        answered_ = true;
        if (received_ == 0) first_byte_ = static_cast<unsigned char>(buffer[0]);
        received_ += got.bytes;
        into = std::string_view(buffer.data(), got.bytes);
    }
    const bool failed = got.status == net::Io::failed;
    const bool ended = got.status == net::Io::ended || (failed && stream_->over());
    over_ |= ended;
    answered_ |= failed && !ended;  // with bytes that are not TLS, or not any more
    lost_ = failed && stream_->given_up();
    garbled_ |= failed && !ended && !lost_;
    reset_ |= got.error == ECONNRESET;
    if (ended) note_lost();
    return got;
}

// A system acknowledges what it takes, at the latest with its FIN. So a request of which nothing is
// acknowledged at that FIN met a closed socket. A reset acknowledges nothing: it also comes from a
// worker that died with bytes unread. Our own FIN counts as a byte. A unix socket keeps no such
// count; its backlog is 0 then.
bool PooledExchange::undelivered() const {
    const std::uint64_t sent = request_bytes();
    return sent == 0 || (!reset_ && !half_closed_ && stream_->backlog() >= sent);
}

// An answer acknowledges what its sender has got. What was written and is not acknowledged with it
// had not reached the backend when the answer began. One system call for a request with a body.
bool PooledExchange::body_unread() const {
    return wrote_body_ && stream_->backlog() > all_but_read;
}

bool PooledExchange::untouched() const {
    return unanswered_reuse() && undelivered();
}

errc PooledExchange::read_failure() const {
    if (over_) return errc::upstream_broke;
    return lost_ ? errc::upstream_lost : errc::upstream_bad_response;
}

// The backend closed a kept connection while the request was on its way.
void PooledExchange::note_lost() {
    if (unanswered_reuse()) pool_.policy().crossed(was_idle_for_, loop_.woke());
}

// Bytes not sent by now are never sent.
void PooledExchange::finish_sending() {
    half_closed_ = sent_ = true;
    stream_->finish_writing();
}

void PooledExchange::note_garbage() {
    if (reused_) pool_.overran(loop_.woke());
}

bool PooledExchange::whole() const {
    return !half_closed_ && connected_ && sent_ && answered_ && answered_whole();
}

void PooledExchange::finish(std::unique_ptr<Exchange> self) {
    if (overran()) pool_.overran(loop_.woke());
    if (!whole()) return;
    if (reused_) pool_.policy().answered(was_idle_for_);
    if (stream_->fin() || stream_->broken())
        return pool_.policy().closed(Duration{0}, loop_.woke());
    if (silence() == Silence::unsure) return;
    (void)self.release();  // the same object as below, with its real type
    pool_.keep(std::unique_ptr<PooledExchange>(this), told_timeout_s(), silence());
}

void PooledExchange::become_idle(Duration timeout, Duration rest) {
    renew();
    idle_since_ = loop_.woke();
    rest_ = rest;
    // The upstream owns its pool, and so this: no cycle. If this is the last reference, all of it
    // is freed at the end of this function, not before.
    const auto last = std::move(upstream_);
    stream_->observe(this);
    loop_.arm(deadline_, timeout);
    if (rest != Duration{0}) stream_->acknowledge();  // or held bytes come with the next request
}

bool PooledExchange::usable(bool careful) {
    if (!careful && loop_.has_looked(lately)) return quiet();
    if (!stream_->stale()) return true;
    stream_->look();
    note_words();
    return false;
}

// With a FIN after them they are a goodbye (Apache's 408), which is harmless.
void PooledExchange::note_words() {
    if (stream_->readable() && !stream_->fin() && !stream_->broken()) pool_.overran(loop_.woke());
}

bool PooledExchange::stirred() const {
    return stream_->readable() || stream_->fin() || stream_->broken();
}

// While a read waits for memory, nobody knows what is there.
bool PooledExchange::quiet() const {
    return !stirred() && stream_->stalled() == 0;
}

void PooledExchange::reuse(std::shared_ptr<PooledUpstream> upstream) {
    upstream_ = std::move(upstream);
    stream_->observe(nullptr);
    deadline_.disarm();
    reused_ = true;
    was_idle_for_ = idle_for(loop_.woke());
    reset_exchange();
}

void PooledExchange::reset_exchange() {
    sent_ = answered_ = last_framed_ = touched_ = wrote_late_ = wrote_body_ = false;
    head_sent_ = std::exchange(sent_ahead_, 0);
    written_before_ = written_;
}

void PooledExchange::notify() {
    if (!connected_) {  // its turn in the line to connect, an address of its name, or the next one
        if (observer_ != nullptr) observer_->notify();
        return;
    }
    const Duration age = idle_for(loop_.woke());
    if (!quiet()) {
        note_words();
        pool_.policy().closed(age, loop_.woke());
    } else if (deadline_.expired()) {
        pool_.policy().outlived(age);
    } else {
        return;
    }
    delete this;  // the destructor takes this out of the pool's list
}

}  // namespace ticketgate

#include "driver_client.hpp"

#include <array>

namespace loadtest {

namespace {

std::array<char, 64UL * 1024> read_buffer;

}  // namespace

void Client::connect() {
    fd_ = connect_to(proxy_);
    in_.clear();
    out_.clear();
    head_read_ = false;
    if (!fd_.open()) {
        state_ = State::closed;
        return;
    }
    state_ = State::connecting;
    poller_.add(fd_, EPOLLIN | EPOLLOUT, this);
}

void Client::send(std::uint64_t seq, const std::string& request) {
    seq_ = seq;
    state_ = State::waiting;
    head_read_ = false;
    const auto sent = transmit(fd_, request);
    // A failed write shows again as a closed read, where it is counted.
    if (sent.size == request.size() || sent.state == Io::closed) return;
    out_ = request.substr(sent.size);
    poller_.change(fd_, EPOLLIN | EPOLLOUT, this);
}

Client::Outcome Client::on_events(std::uint32_t events) {
    if (state_ == State::connecting) {
        if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
            leave();
            return Outcome::refused;
        }
        state_ = State::idle;
        poller_.change(fd_, EPOLLIN, this);
        return Outcome::connected;
    }
    if ((events & EPOLLOUT) != 0) flush();
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) return read();
    return Outcome::nothing;
}

void Client::flush() {
    const auto sent = transmit(fd_, out_);
    out_.erase(0, sent.size);
    if (out_.empty() || sent.state == Io::closed) poller_.change(fd_, EPOLLIN, this);
}

Client::Outcome Client::read() {
    const auto got = receive(fd_, read_buffer);
    if (got.state == Io::again) return Outcome::nothing;
    if (got.state == Io::closed) return closed();
    const std::string_view bytes{read_buffer.data(), got.size};
    if (!waiting()) {
        // Bytes nobody asked for: an answer after the answer.
        leave();
        return Outcome::refused;
    }
    in_.append(bytes);
    if (!head_read_) return scan_head();
    return take_body();
}

Client::Outcome Client::scan_head() {
    while (true) {
        const auto result = scan(in_, head_);
        if (result == Scan::partial) return Outcome::nothing;
        if (result == Scan::bad) return closed();
        in_.erase(0, head_.size);
        if (head_.status >= 200) break;  // else 100 or 103: the answer is still to come
    }
    head_read_ = true;
    const bool bodiless = plan_.method == "HEAD" || head_.status == 204 || head_.status == 304;
    if (bodiless)
        body_ = Body::of_length(0);
    else if (head_.chunked)
        body_ = Body::chunked();
    else
        body_ = head_.has_length ? Body::of_length(head_.content_length) : Body::until_close();
    return take_body();
}

Client::Outcome Client::take_body() {
    in_.erase(0, body_.take(in_));
    if (body_.broken()) return closed();
    return body_.complete() ? answered() : Outcome::nothing;
}

Client::Outcome Client::answered() {
    state_ = State::idle;
    if (!head_.keep_alive) leave();
    return Outcome::answered;
}

Client::Outcome Client::closed() {
    const bool was_waiting = waiting();
    const bool until_close = head_read_ && !head_.has_length && !head_.chunked;
    leave();
    if (!was_waiting) return Outcome::refused;
    return until_close ? Outcome::answered : Outcome::lost;
}

void Client::leave() {
    fd_.reset();
    state_ = State::closed;
}

bool Client::answer_fits() const {
    if (head_.status != plan_.expected_status) return false;
    // Any other status is the proxy's own answer; its body is not checked.
    if (!plan_.check || plan_.expected_status != 200) return true;
    if (head_.seq != seq_) return false;
    const bool has_body = plan_.method != "HEAD" && head_.status != 204 && head_.status != 304;
    return !has_body || body_.content_bytes() == plan_.answer_size;
}

}  // namespace loadtest

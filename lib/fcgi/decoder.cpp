#include "fcgi/decoder.hpp"

#include <algorithm>

namespace ticketgate::fcgi {
namespace {

constexpr std::size_t end_size = 8;

}  // namespace

// Collects `size` bytes over several inputs; true once they are complete.
bool Decoder::fill(std::string_view& bytes, std::size_t size) {
    const auto part = bytes.substr(0, size - partial_size_);
    std::copy(part.begin(), part.end(), partial_.begin() + partial_size_);
    partial_size_ += part.size();
    bytes.remove_prefix(part.size());
    if (partial_size_ < size) return false;
    partial_size_ = 0;
    return true;
}

bool Decoder::begin_record() {
    header_ = decode_header({partial_.data(), header_size});
    left_ = header_.length;
    if (header_.version != 1 || header_.id != request_id) return false;
    if (header_.type == Type::end_request) {
        state_ = State::end_body;
        return header_.length == end_size;
    }
    if (header_.type != Type::out && header_.type != Type::err) return false;
    bool& ended = header_.type == Type::out ? out_ended_ : err_ended_;
    if (ended && left_ != 0) return false;
    ended = left_ == 0;
    state_ = State::content;
    if (left_ == 0) after_content();
    return true;
}

void Decoder::after_content() {
    left_ = header_.padding;
    state_ = left_ == 0 ? State::header : State::padding;
}

bool Decoder::take_end() {
    const auto byte = [this](std::size_t at) { return static_cast<std::uint8_t>(partial_[at]); };
    end_.app_status = static_cast<std::uint32_t>(byte(0)) << 24 |
                      static_cast<std::uint32_t>(byte(1)) << 16 |
                      static_cast<std::uint32_t>(byte(2)) << 8 | byte(3);
    if (byte(4) > static_cast<std::uint8_t>(ProtocolStatus::unknown_role)) return false;
    end_.status = static_cast<ProtocolStatus>(byte(4));
    // The request has ended, so this does not wait for the padding.
    state_ = State::done;
    return true;
}

result<Decoder::Piece> Decoder::next(std::string_view bytes) {
    const std::size_t size = bytes.size();
    while (!bytes.empty() && state_ != State::done && state_ != State::broken) {
        bool good = true;
        if (state_ == State::header) {
            good = !fill(bytes, header_size) || begin_record();
        } else if (state_ == State::end_body) {
            good = !fill(bytes, end_size) || take_end();
        } else if (state_ == State::padding) {
            const std::size_t skipped = std::min(left_, bytes.size());
            bytes.remove_prefix(skipped);
            left_ -= skipped;
            if (left_ == 0) state_ = State::header;
        } else {
            const auto payload = bytes.substr(0, left_);
            left_ -= payload.size();
            const Kind kind = header_.type == Type::out ? Kind::out : Kind::err;
            if (left_ == 0) after_content();
            return Piece{kind, payload, size - bytes.size() + payload.size()};
        }
        if (!good) state_ = State::broken;
    }
    if (state_ == State::broken) return error_code(errc::upstream_bad_response);
    return Piece{Kind::nothing, {}, size - bytes.size()};
}

}  // namespace ticketgate::fcgi

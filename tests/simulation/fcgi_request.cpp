#include "simulation/fcgi_request.hpp"

#include <algorithm>

namespace ticketgate::sim {
namespace {

constexpr std::size_t header_size = 8, begin_size = 8;

std::size_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

}  // namespace

std::string record(RecordType type, std::string_view content, unsigned padding, unsigned request) {
    std::string out;
    for (const std::size_t byte :
         {std::size_t{1}, static_cast<std::size_t>(type), std::size_t{request >> 8},
          std::size_t{request & 0xff}, content.size() >> 8, content.size() & 0xff,
          std::size_t{padding}, std::size_t{0}})
        out += static_cast<char>(byte);
    return out.append(content).append(padding, 'p');
}

std::size_t FcgiRequest::feed(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !complete() && !broken()) {
        begun_ = true;
        const std::string_view rest = bytes.substr(used);
        if (!in_record_) {
            partial_ += rest.front();
            ++used;
            if (partial_.size() == header_size) take_header();
        } else {
            const std::size_t n = std::min(rest.size(), content_ != 0 ? content_ : padding_);
            used += n;
            if (content_ != 0) take_content(rest.substr(0, n));
            (content_ != 0 ? content_ : padding_) -= n;
        }
        if (in_record_ && content_ == 0 && padding_ == 0) record_ends();
    }
    return used;
}

void FcgiRequest::take_header() {
    const auto type = static_cast<RecordType>(byte_at(partial_, 1));
    const bool ours =
        byte_at(partial_, 0) == 1 && byte_at(partial_, 2) == 0 && byte_at(partial_, 3) == 1;
    content_ = byte_at(partial_, 4) << 8 | byte_at(partial_, 5);
    padding_ = byte_at(partial_, 6);
    partial_.clear();
    in_record_ = true;
    const RecordType expected = state_ == State::begin    ? RecordType::begin
                                : state_ == State::params ? RecordType::params
                                                          : RecordType::in;
    if (!ours || type != expected) state_ = State::broken;
    if (broken() || content_ != 0) return;
    // An empty record ends its stream.
    if (state_ == State::params) {
        state_ = pairs_.empty() && !script.empty() ? State::in : State::broken;
    } else if (state_ == State::in) {
        const bool kept = (length_.empty() ? "0" : length_) == std::to_string(body.size());
        state_ = kept ? State::complete : State::broken;
    } else {
        state_ = State::broken;
    }
}

void FcgiRequest::take_content(std::string_view content) {
    if (state_ == State::begin) partial_ += content;
    if (state_ == State::in) body += content;
    if (state_ != State::params) return;
    pairs_ += content;
    take_pairs();
}

void FcgiRequest::record_ends() {
    in_record_ = false;
    if (state_ == State::begin) take_begin();
}

void FcgiRequest::take_begin() {
    const bool responder = partial_.size() == begin_size && byte_at(partial_, 1) == 1;
    keeps_ = responder && (byte_at(partial_, 2) & 1) != 0;
    state_ = responder ? State::params : State::broken;
    partial_.clear();
}

// False: not here yet.
bool FcgiRequest::take_size(std::size_t& at, std::size_t& size) const {
    if (at >= pairs_.size()) return false;
    size = byte_at(pairs_, at++);
    if (size < 128) return true;
    if (at + 3 > pairs_.size()) return false;
    size = (size & 0x7f) << 24 | byte_at(pairs_, at) << 16 | byte_at(pairs_, at + 1) << 8 |
           byte_at(pairs_, at + 2);
    at += 3;
    return true;
}

// A pair may be cut by the end of a record.
void FcgiRequest::take_pairs() {
    for (;;) {
        std::size_t at = 0, name = 0, value = 0;
        if (!take_size(at, name) || !take_size(at, value)) return;
        if (pairs_.size() < at + name + value) return;
        take_pair(std::string_view(pairs_).substr(at, name),
                  std::string_view(pairs_).substr(at + name, value));
        pairs_.erase(0, at + name + value);
    }
}

void FcgiRequest::take_pair(std::string_view name, std::string_view value) {
    if (name == "REQUEST_METHOD") method = value;
    if (name == "REQUEST_URI") target = value;
    if (name == "SCRIPT_NAME") script = value;
    if (name == "QUERY_STRING") query = value;
    if (name == "CONTENT_LENGTH") length_ = value;
    if (name == "HTTP_X_REQUEST_ID") request_id_ = value;
}

}  // namespace ticketgate::sim

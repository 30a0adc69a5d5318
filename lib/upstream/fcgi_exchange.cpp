#include "upstream/fcgi_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "base/text.hpp"
#include "fcgi/response.hpp"

namespace ticketgate {
namespace {

// The most of a script's error stream to keep: enough to find the fault, one line of the log.
constexpr std::size_t max_remarks = 4 << 10;

error_code refused(http::ResponseHead& head, error_code error, std::string_view complaint) {
    head.complaint = complaint;
    return error;
}

}  // namespace

// The first frame also ends the parameters, which the head holds.
Frame FcgiExchange::frame(std::size_t piece, bool last) noexcept {
    const auto append = [](FrameBytes& to, fcgi::Type type, std::size_t length) {
        const auto header = fcgi::encode_header(type, length);
        to.append({header.data(), header.size()});
    };
    Frame around;
    if (!params_ended_) append(around.before, fcgi::Type::params, 0);
    params_ended_ = true;
    if (piece != 0) append(around.before, fcgi::Type::in, piece);
    if (last) append(around.after, fcgi::Type::in, 0);
    return around;
}

// The next bytes of the response that the last read brought; empty when there are none left.
result<std::string_view> FcgiExchange::next_output() {
    while (!unread_.empty() && !ended_) {
        const auto piece = decoder_.next(unread_);
        if (!piece) return piece.error();
        unread_.remove_prefix(piece->consumed);
        if (piece->kind == fcgi::Decoder::Kind::err) remark(piece->payload);
        if (decoder_.done()) {
            if (const auto failure = take_end()) return failure;
        }
        if (piece->kind == fcgi::Decoder::Kind::out && !piece->payload.empty())
            return piece->payload;
    }
    return std::string_view();
}

error_code FcgiExchange::take_end() {
    ended_ = true;
    early_end_ = early();
    const fcgi::End& end = decoder_.end();
    if (end.app_status != 0) {
        if (!remarks_.empty() && !remarks_.ends_with('\n')) remark("\n");
        std::array<char, 64> text;
        std::snprintf(text.data(), text.size(), "the script ended with status %u",
                      unsigned{end.app_status});
        remark(text.data());
    }
    if (end.status == fcgi::ProtocolStatus::overloaded) return errc::upstream_overloaded;
    if (end.status != fcgi::ProtocolStatus::request_complete) return errc::upstream_bad_response;
    return {};
}

// What is wrong with an answer whose records cannot be used.
std::string_view FcgiExchange::record_complaint() const {
    if (decoder_.broken()) return "no FastCGI record";
    switch (decoder_.end().status) {
        case fcgi::ProtocolStatus::cant_mpx_conn:
            return "the FastCGI server wants to serve one request at a time";
        case fcgi::ProtocolStatus::overloaded:
            return "it reports FCGI_OVERLOADED";
        case fcgi::ProtocolStatus::unknown_role:
            return "the FastCGI server does not serve the role of a responder";
        default:
            return "an unknown FastCGI status";
    }
}

// For the log only: without memory the exchange continues without it.
void FcgiExchange::remark(std::string_view text) noexcept {
    try {
        remarks_ += text.substr(0, max_remarks - remarks_.size());
    } catch (const std::bad_alloc&) {
        remarks_.clear();
    }
}

result<Step> FcgiExchange::read_head(bool to_head_request, http::ResponseHead& head) {
    for (;;) {
        const auto output = next_output();
        if (!output) return refused(head, output.error(), record_complaint());
        if (!output->empty()) {
            const std::size_t scanned = block_.size();
            block_ += *output;
            const std::size_t size = fcgi::head_block_size(block_, scanned);
            if (size == 0 && block_.size() < settings().head_limits.max_head) continue;
            if (size == 0)
                return refused(head, errc::upstream_bad_response, "a head longer than max_head");
            const auto failure =
                fcgi::parse_head_block(std::string_view(block_).substr(0, size),
                                       settings().head_limits, to_head_request, text_, head);
            if (failure) return failure;
            body_in_block_ = block_.size() - size;
            framing_ = head.framing;
            left_ = head.content_length;
            return Step::done;
        }
        if (ended_)
            return refused(head, errc::upstream_bad_response,
                           block_.empty() ? "an empty answer" : "no end of its head");
        const auto got = read(unread_);
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status != net::Io::ok) return read_failure();
    }
}

// A script may send more than it announced, or a body that its method or status does not allow.
// Drops that, as nginx does.
std::string_view FcgiExchange::wanted(std::string_view output) {
    if (framing_ == http::Framing::none) return {};
    if (framing_ != http::Framing::length) return output;
    output = output.substr(0, left_);
    left_ -= output.size();
    return output;
}

error_code FcgiExchange::read_buffered(std::string_view& out) {
    out = {};
    if (body_in_block_ != 0) {
        out = wanted(std::string_view(block_).substr(block_.size() - body_in_block_));
        body_in_block_ = 0;
    }
    while (out.empty()) {
        const auto output = next_output();
        if (!output) return output.error();
        if (output->empty()) break;
        out = wanted(*output);
    }
    // The client was told a greater length.
    if (ended_ && out.empty() && framing_ == http::Framing::length && left_ != 0)
        return errc::upstream_broke;
    return {};
}

result<Step> FcgiExchange::read_body(std::string_view& out) {
    for (;;) {
        if (const auto failure = read_buffered(out)) return failure;
        if (!out.empty() || ended_) return Step::done;
        const auto got = read(unread_);
        if (got.status == net::Io::blocked) return Step::blocked;
        if (got.status == net::Io::ok) continue;
        if (!over() || !connection_ended()) return read_failure();
        return Step::done;
    }
}

// Without END_REQUEST only a response of declared length is known to be whole.
bool FcgiExchange::connection_ended() {
    ended_ = has_declared();
    return ended_;
}

bool FcgiExchange::has_declared() const {
    return framing_ == http::Framing::none || (framing_ == http::Framing::length && left_ == 0);
}

// Reads to END_REQUEST while the records make sense, else to the end of the connection. A server
// that keeps its connection learns from a FIN that nothing more comes.
Step FcgiExchange::outlast(bool, http::ResponseHead&) noexcept {
    for (;;) {
        for (;;) {
            const auto output = next_output();
            if (!output || output->empty()) break;
        }
        if (settled()) return Step::done;
        if (decoder_.broken() && (all_sent() || mute()) && !half_closed()) finish_sending();
        if (read(unread_).status == net::Io::blocked) return Step::blocked;
    }
}

void FcgiExchange::part_if_spent() {
    const bool answered = decoder_.done() || decoder_.broken();
    if (answered && all_sent() && !half_closed() && !over() && !kept()) finish_sending();
}

void FcgiExchange::drop_rest() {
    while (decoder_.done() && read(unread_).status == net::Io::ok) dropped_ = true;
    if (!dropped_) return;
    unread_ = {};
    if (all_sent() && !half_closed()) finish_sending();
}

// END_REQUEST may be among records that make no sense.
bool FcgiExchange::worker_gone() const {
    return over() && !decoder_.done() && !decoder_.broken();
}

// Padding of END_REQUEST that is still to come would be read as the beginning of the next answer. A
// server that ends a request before it has read it may take the rest for the next one, or close.
bool FcgiExchange::answered_whole() const {
    if (dropped_ || early_end_) return false;
    return decoder_.done() && unread_.size() == decoder_.padding();
}

void FcgiExchange::renew() {
    decoder_ = {};
    unread_ = {};
    params_ended_ = ended_ = dropped_ = early_end_ = false;
    for (std::string* const text : {&block_, &text_, &remarks_}) release_large(*text);
}

}  // namespace ticketgate

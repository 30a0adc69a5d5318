#include "proxy/response_writer.hpp"

#include <array>

#include "http/body.hpp"
#include "http/rewrite.hpp"
#include "net/pieces.hpp"

namespace ticketgate {
namespace {

// A backend may send its body byte by byte, each in a chunk or record of its own. Past this many
// pieces in one read they are copied together: a system call takes 1,024 (IOV_MAX).
constexpr std::size_t most_pieces = 32;
// The head, the body in a chunk, and the end.
constexpr std::size_t usual_pieces = 6;

bool has_unknown_length(const http::ResponseHead& head) {
    return head.framing == http::Framing::chunked || head.framing == http::Framing::until_close;
}

}  // namespace

void ResponseWriter::interim(const http::ResponseHead& head, const ClientFacts& client) {
    if (client.http_1_0 || head.malformed || !reply_.drained()) return;
    std::string out;
    http::ResponseEdits edits;
    edits.id_names = client.id_names;
    http::rewrite_response(head, edits, out);
    reply_.write_interim(out);
}

bool ResponseWriter::begin(const http::ResponseHead& head, const ClientFacts& client) {
    http::ResponseEdits edits;
    edits.id_names = client.id_names;
    edits.added = client.added;
    edits.drop_redirects = client.drop_redirects;
    edits.framing = head.framing;
    edits.content_length = head.content_length;
    edits.client_1_0 = client.http_1_0;
    edits.upgrade = head.upgrade;
    // RFC 9110 15.3.6: a 205 has no content.
    const bool emptied = head.status == 205 && head.framing != http::Framing::none;
    edits.keep_content_length =
        (client.to_head || head.framing == http::Framing::none) && head.has_content_length;
    coding_ = Coding::plain;
    if (emptied) edits.framing = http::Framing::length, edits.content_length = 0;
    if (client.to_head) edits.framing = http::Framing::none;
    if (emptied || client.to_head) {
        coding_ = Coding::none;
    } else if (has_unknown_length(head)) {
        if (!client.http_1_0) coding_ = Coding::chunked;
        edits.framing = client.http_1_0 ? http::Framing::until_close : http::Framing::chunked;
    }
    edits.keep_alive = client.keep_alive && edits.framing != http::Framing::until_close;
    std::string& out = *head_.fresh();
    out.clear();
    http::rewrite_response(head, edits, out);
    head_waits_ = true;
    return edits.keep_alive;
}

void ResponseWriter::body(std::string_view bytes) {
    if (coding_ == Coding::none) return;
    if (pieces_.size() == most_pieces) {
        *joined_.view() += bytes;
        return;
    }
    if (pieces_.empty()) pieces_.reserve(usual_pieces);
    pieces_.push_back(net::piece(bytes));
    if (pieces_.size() == most_pieces) joined_.fresh()->clear();
}

std::size_t ResponseWriter::flush(bool ended, bool hold) {
    if (pieces_.size() == most_pieces && !joined_.view()->empty())
        pieces_.push_back(net::piece(*joined_.view()));
    const std::size_t payload = net::size_of(pieces_);
    const std::size_t told = reply_.wanted() ? payload : 0;
    std::array<char, 20> chunk_head;
    if (coding_ == Coding::chunked && payload != 0) {
        const std::size_t size = http::write_chunk_head(chunk_head.data(), payload);
        pieces_.insert(pieces_.begin(), net::piece(std::string_view(chunk_head.data(), size)));
        pieces_.push_back(net::piece("\r\n"));
    }
    if (head_waits_) pieces_.insert(pieces_.begin(), net::piece(*head_.view()));
    if (coding_ == Coding::chunked && ended) pieces_.push_back(net::piece("0\r\n\r\n"));
    head_waits_ = false;
    if (!pieces_.empty()) reply_.write(pieces_, hold);
    pieces_.clear();
    return told;
}

}  // namespace ticketgate

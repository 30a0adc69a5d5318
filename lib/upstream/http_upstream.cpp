#include "upstream/http_upstream.hpp"

#include "upstream/http_exchange.hpp"

namespace ticketgate {

Prepared HttpUpstream::prepare(const http::RequestHead& head, const RequestFacts& facts,
                               std::string& out) const {
    http::RequestEdits edits = facts.edits;
    Prepared how;
    // A queued body is spooled before it is sent, so its length is known by then.
    const bool ends_later = facts.ends_later && !head.has_body();
    const bool chunked = head.framing == http::Framing::chunked || ends_later;
    how.needs_length = chunked && facts.queued;
    how.chunked = chunked && !facts.queued;
    edits.framing = chunked ? http::Framing::chunked : head.framing;
    if (how.needs_length) edits.framing = http::Framing::until_close;
    edits.content_length = head.content_length;
    how.upgrade = edits.upgrade = facts.upgrade;
    // RFC 9110 9.3.2 lets a gateway ask with GET. The answer to a HEAD ends with its head, while
    // its script may run on; the body that GET brings ends with the script (CONTRACT 2.12).
    how.asks_with_get = facts.queued && head.method == "HEAD";
    if (how.asks_with_get) edits.method = "GET";
    http::rewrite_request(head, edits, out);
    return how;
}

// Inserts it before the empty line.
void HttpUpstream::add_length(std::string& head, std::uint64_t length) const {
    head.insert(head.size() - 2, "Content-Length: " + std::to_string(length) + "\r\n");
}

void HttpUpstream::add_fencing(std::string& head, const Fencing& fencing) const {
    std::string lines;
    lines.append(fencing.header).append(": ").append(std::to_string(fencing.token));
    lines.append("\r\n").append(fencing_queue_header).append(": ").append(fencing.queue);
    head.insert(head.size() - 2, lines.append("\r\n"));
}

std::unique_ptr<PooledExchange> HttpUpstream::make_exchange(Pool& pool, net::Loop& loop) {
    return std::make_unique<HttpExchange>(shared_from_this(), pool, loop);
}

}  // namespace ticketgate

// How a run passes the backend's answer on to the client.
#include "http/redirect.hpp"
#include "proxy/run_state.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {

// Does not forward a 100: the session sends its own. One that tells a place is for this replica.
void Run::forward_interim() {
    const http::ResponseHead& head = *station_.response.view();
    if (head.status != 100 && !keep_place()) writer_.interim(head, client_facts({}));
}

ClientFacts Run::client_facts(std::string_view added) const {
    return {.to_head = request_->to_head,
            .http_1_0 = request_->client_1_0,
            .keep_alive = request_->keep_alive,
            .id_names = request_->snapshot->id_names,
            .added = added};
}

// Makes the client's head, which goes out with the first bytes of the body.
void Run::begin_reply() {
    const http::ResponseHead& head = *station_.response.view();
    Record& record = request_->record;
    note_backend_time();
    record.upstream_status = head.status;
    if (request_->reply.wanted()) record.status = head.status;
    if (!request_->body.complete || station_.ends_connections() || head.status == 101)
        request_->keep_alive = false;
    std::string& lines = *station_.lines.fresh();
    lines.clear();
    if (!head.has_date) lines.append(station_.date_line());
    // The keeper of the line has told the times.
    const bool timing = settings().server_timing && !request_->peer;
    stamp_response(request_->ids(), record, timing, head.version, lines);
    if (request_->by_replica)
        stamp_place(record, false, monotonic_now() - request_->started, lines);
    const bool redirects = rewrite_redirects(lines);
    ClientFacts client = client_facts(lines);
    client.drop_redirects = redirects;
    request_->keep_alive = writer_.begin(head, client);
    streaming_ = head.event_stream;
}

// The backend must not send clients to its own port, past the queue.
bool Run::rewrite_redirects(std::string& lines) {
    const http::BackendAddress* const own = request_->to().redirects();
    return own != nullptr &&
           http::rewrite_redirects(*station_.response.view(), *own, request_->head, lines);
}

// Passes the bytes of one read on in one write, before the next read into the same buffer and
// before any suspension: so it does not wait for room until the head and what came with it are
// written.
task<error_code> Run::relay_body() {
    for (bool first = true;; first = false) {
        if (!first && request_->reply.wanted() && !request_->reply.room()) {
            if (const auto failure = co_await wait_for_room()) co_return failure;
        }
        std::string_view bytes;
        const auto step = exchange_->read_body(bytes);
        error_code failure = step ? error_code() : step.error();
        // The answer to a HEAD has no byte, and its script may run as long as that of a GET.
        const bool begun = streaming_ && (!bytes.empty() || request_->asks_for_head());
        if (begun && settings().tunnel == config::Tunnel::release) hold_.let_go();
        while (!failure && !bytes.empty()) {
            writer_.body(bytes);
            failure = exchange_->read_buffered(bytes);
        }
        const bool ended = !failure && exchange_->ended();
        flush(ended);
        if (failure || ended) co_return failure;
        // A script may work on behind its answer; the client's next request does not wait for it.
        if (exchange_->answered()) request_->reply.finish();
        if (*step == Step::blocked) {
            if (const auto waited = co_await wait()) co_return waited;
        } else {
            arm_silence();
        }
    }
}

// On a queued route the end of a response waits for the session, so that the next request goes to
// the backend first (ARCHITECTURE 9b rule 6).
void Run::flush(bool ended) {
    request_->record.bytes += writer_.flush(ended, ended && hold_.held());
}

}  // namespace ticketgate

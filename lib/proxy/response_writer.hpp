// The client's codec: the backend's answer as HTTP/1.1 or 1.0 for one client (RFC 9112 6, 7). It
// re-frames: a body of unknown length goes out in chunks, or to an HTTP/1.0 client until the close.
// What one read brought goes out in one write. Owned by a run; one loop; no socket, no clock.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/head.hpp"
#include "proxy/reply.hpp"
#include "task/scratch.hpp"

namespace ticketgate {

/// What a client asked for, and what its response head needs besides the backend's.
struct ClientFacts {
    bool to_head = false;  ///< HEAD: its answer has no body, whatever the backend sends
    bool http_1_0 = false;
    bool keep_alive = true;
    std::span<const std::string> id_names = {};  ///< cgi_name()s of fields to drop
    std::string_view added = {};                 ///< complete lines for the head
    bool drop_redirects = false;                 ///< those in `added` replace the backend's
};

class ResponseWriter {
 public:
    /// `head` and `joined` are in use from begin() or body() to the next flush(), between which the
    /// caller must not suspend.
    ResponseWriter(Reply& reply, Scratch<std::string>& head, Scratch<std::string>& joined)
        : reply_(reply), head_(head), joined_(joined) {}

    /// Writes an interim response (1xx). An HTTP/1.0 client gets none, nor does one that has not
    /// taken the ones before (RFC 9110 15.2).
    void interim(const http::ResponseHead& head, const ClientFacts& client);
    /// Takes the head of the final response, which goes out with the first flush(). False: only the
    /// end of its connection can tell the client the end, so that is not kept.
    [[nodiscard]] bool begin(const http::ResponseHead& head, const ClientFacts& client);
    /// Takes a piece of the body, valid until flush(). Drops it if the client gets no body.
    void body(std::string_view bytes);
    /// Writes the head and the pieces to the reply. `ended`: the response is whole. `hold`: its
    /// last bytes wait for the session. Returns the bytes of the body that go to a client.
    std::size_t flush(bool ended, bool hold);

 private:
    enum class Coding : std::uint8_t { none, plain, chunked };

    Reply& reply_;
    Scratch<std::string>&head_, &joined_;
    bool head_waits_ = false;  // for the next flush
    Coding coding_ = Coding::plain;
    std::vector<iovec> pieces_;  // of the body; the joined ones come after them
};

}  // namespace ticketgate

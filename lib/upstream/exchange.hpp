// One request and one response with a backend over one connection. Pulled, never pushed: each step
// does what it can without blocking and says what it waits for; back-pressure is the absence of a
// call. Behind this face stand HTTP/1.1 and FastCGI. Owned by a run, or by its pool while
// idle; one loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "fcgi/origin.hpp"
#include "fcgi/status_page.hpp"
#include "fcgi/workers.hpp"
#include "http/head.hpp"
#include "http/redirect.hpp"
#include "http/rewrite.hpp"
#include "http/spool.hpp"
#include "net/loop.hpp"
#include "task/scheduler.hpp"

namespace ticketgate {

/// What of a request body is here. Written by the session, read by the run.
struct Body {
    explicit Body(http::SpoolBudget& budget) : spool(budget) {}
    http::Spool spool;
    bool complete = true;  ///< no more will come
    bool chunked =
        false;  ///< goes to the backend in chunked coding (its length was not known in time)
};

enum class Step : std::uint8_t {
    done,
    blocked,  ///< waits for the backend
    starved   ///< waits for more of the request body
};

class Exchange {
 public:
    virtual ~Exchange() = default;

    /// Who hears when a blocked step may go on.
    virtual void observe(Observer*) = 0;

    /// Connects and sends `head`, then the body. `head` must stay until done. Errors:
    /// upstream_refused, upstream_untrusted, upstream_broke.
    virtual result<Step> send(std::string_view head, Body& body) = 0;
    /// The connection stands: from here on bytes may have reached the backend.
    virtual bool connected() const = 0;
    /// Why it could not be connected, for the log, where the error does not say it all.
    virtual std::string fault() const { return {}; }
    /// What to do about that, or about an answer that breaks the protocol; empty: nothing is known.
    virtual std::string remedy() const { return {}; }
    /// Where the connection leads, as `10.0.0.1:80` or `unix:/path`; a name that has no address by
    /// now as the config has it.
    virtual std::string address() const { return {}; }
    /// The errno of a connection that could not be made; 0: none, or not known.
    virtual int refusal() const { return 0; }
    /// Bytes that came from the backend so far, whatever they are.
    virtual std::uint64_t received() const = 0;
    /// Bytes of requests that the connection has taken so far.
    virtual std::uint64_t written() const = 0;
    /// Of these, what the backend's system has not taken yet. One system call.
    virtual std::uint64_t backlog() const = 0;
    /// Something of the response is here although send() is not done.
    virtual bool answering() const = 0;

    /// The response head when done; 1xx heads come one by one, then the final one. Views are good
    /// until the next step. Errors: upstream_broke, upstream_bad_response.
    virtual result<Step> read_head(bool to_head_request, http::ResponseHead& head) = 0;

    /// Payload pieces, each good until the next step. done with an empty piece is the end of the
    /// body.
    virtual result<Step> read_body(std::string_view& piece) = 0;
    /// The body has ended.
    virtual bool ended() const = 0;
    /// One more piece of what the last read brought, empty if that is used up. Pieces before it
    /// stay good, as nothing is read from the connection. What is here must not be put off past a
    /// suspension. Error: upstream_bad_response.
    virtual error_code read_buffered(std::string_view& piece) = 0;

    /// After a 101: from here on both directions are bytes without a frame. send() goes on with
    /// what comes into the body, read_body() until the backend ends; the connection is not used
    /// again.
    virtual void upgrade() = 0;
    /// Nothing more is sent (FIN); the backend may still answer.
    virtual void finish_sending() = 0;

    /// Was the connection an old one, and has no byte of a response come? Then its end says nothing
    /// about this request, and one that may be repeated is (CONTRACT 2.7).
    virtual bool untouched() const = 0;

    /// The backend is done with the request, as far as the connection can tell: it was never sent
    /// any of it, or has ended the connection, or its answer is whole and tells the end of its work
    /// (CONTRACT 2.12). Until then it may be running the request.
    virtual bool settled() const = 0;
    /// Drops what still comes, and asks for the end of the connection where nothing else can tell
    /// the end of the work. done when settled(). A head that has not been read is read into
    /// `scratch` first, as in read_head(); it may be this one that there is no memory for.
    virtual Step outlast(bool to_head_request, http::ResponseHead& scratch) noexcept = 0;

    /// What the backend said beside its response, for the operational log; bounded. May be empty.
    virtual std::string_view remarks() const { return {}; }

    /// The end. A connection that can be used again goes back to its pool; `self` is used up.
    virtual void finish(std::unique_ptr<Exchange> self) = 0;
};

/// Where a request came in. Asked only by a backend that is told of it, in CGI variables.
class OriginSource {
 public:
    virtual fcgi::Origin origin() = 0;  ///< views, good as long as the source

 protected:
    ~OriginSource() = default;
};

/// What is known of a request beside its head.
struct RequestFacts {
    http::RequestEdits edits;  ///< but for framing, method and upgrade: these are the upstream's
    bool queued = false;       ///< its body is whole before it is sent
    std::string_view upgrade = {};  ///< the protocol that client and route ask for; empty: none
    OriginSource* origin = nullptr;
};

/// How the backend gets a request.
struct Prepared {
    bool needs_length = false;   ///< add_length() before it is sent, when its body is whole
    bool chunked = false;        ///< its body goes out in chunks
    bool asks_with_get = false;  ///< a HEAD: the answer brings a body, whose end is the work's end
    std::string_view upgrade = {};  ///< the protocol that the backend is asked for; empty: none
};

/// A request whose response has ended, and when its backend was asked whether it works on.
struct Answered {
    std::string_view method, target;  ///< as the client wrote them
    Time sent, ended;
    Time asked, told;
};

/// A backend that tells what its workers do (CONTRACT 2.6). Any thread.
class WorkerStatus {
 public:
    /// The exchange that asks, and in `head` what to send over it.
    virtual std::unique_ptr<Exchange> ask(net::Loop& loop, std::string& head) = 0;
    /// Reads the answer: does a worker still run a request that was answered? Error,
    /// upstream_bad_response: it tells nothing.
    virtual result<fcgi::Working> still_runs(std::string_view answer,
                                             const Answered& request) const = 0;
    /// The same error for an answer that tells nothing of any request.
    virtual error_code readable(std::string_view answer) const = 0;
    virtual fcgi::StatusAdvice advice(const fcgi::StatusFailure& failure) const = 0;

 protected:
    ~WorkerStatus() = default;
};

/// A named backend, shared by all loops; each loop has its own connections to it.
class Upstream {
 public:
    virtual ~Upstream() = default;

    /// Appends the head of a request as this backend gets it. Any thread.
    virtual Prepared prepare(const http::RequestHead& head, const RequestFacts& facts,
                             std::string& out) const = 0;
    /// Tells the length of the body in such a head. Any thread.
    virtual void add_length(std::string& head, std::uint64_t length) const = 0;
    /// Its name, for the Host of a request whose client named none. Empty: it is told of none.
    virtual std::string_view host() const { return {}; }
    /// Its address, if redirects to there are rewritten for clients. Null: they are not.
    virtual const http::BackendAddress* redirects() const { return nullptr; }
    /// A connection to it can become a tunnel (RFC 9110 7.8).
    virtual bool upgrades() const { return false; }
    /// It asks for the origin of requests.
    virtual bool uses_origin() const { return false; }
    /// Null: nobody can be asked.
    virtual WorkerStatus* worker_status() { return nullptr; }

    /// `fresh`: not a pooled connection. `careful`: the request must not be sent twice, so a pooled
    /// connection is looked at once more before use.
    virtual std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful) = 0;
    /// The config names it no longer: the loop's idle connections are closed, none is kept from now
    /// on.
    virtual void retire(net::Loop& loop) = 0;
};

}  // namespace ticketgate

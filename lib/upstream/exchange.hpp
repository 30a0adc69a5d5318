// One request and one response with a backend over one connection. Pulled, never pushed: each step
// does what it can without blocking and returns what it waits for; back-pressure is the absence of
// a call. Implemented by HTTP/1.1 and FastCGI. Owned by a run, or by its pool while idle; one loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "fcgi/origin.hpp"
#include "fcgi/script.hpp"
#include "fcgi/status_page.hpp"
#include "fcgi/workers.hpp"
#include "http/head.hpp"
#include "http/redirect.hpp"
#include "http/rewrite.hpp"
#include "http/spool.hpp"
#include "net/endpoint.hpp"
#include "net/loop.hpp"
#include "task/scheduler.hpp"
#include "upstream/failures.hpp"

namespace ticketgate {

/// The part of a request body that is here. Written by the session, read by the run.
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

    /// The observer to notify when a blocked step may go on.
    virtual void observe(Observer*) = 0;

    /// The id of the request, for the operator's view of what a worker runs. Valid as long as this.
    virtual void carries(std::string_view request_id) { (void)request_id; }
    /// How long connecting may take. Each address of a name that has several gets its share of it;
    /// the caller looks after the end of the whole time. Before the first connect() or send().
    virtual void connect_within(Duration time) { (void)time; }
    /// How many addresses have failed before the one that it is connected to.
    virtual std::size_t passed_over() const { return 0; }
    /// Connects, and sends nothing of the request. done: send() may send. An exchange that cannot
    /// do the one without the other leaves both to send(). Errors: upstream_refused,
    /// upstream_untrusted.
    virtual result<Step> connect() { return Step::done; }
    /// Connects and sends `head`, then the body. `head` must stay until done. Errors:
    /// upstream_refused, upstream_untrusted, upstream_broke.
    virtual result<Step> send(std::string_view head, Body& body) = 0;
    /// True once the connection is established: from here on bytes may have reached the backend.
    virtual bool connected() const = 0;
    /// The reason of a failed connect for the log, if it is more precise than the error.
    virtual std::string fault() const { return {}; }
    /// The remedy for fault(), or for an answer that breaks the protocol; empty if unknown.
    virtual std::string remedy() const { return {}; }
    /// Tells the call that failed on this machine though the connection stands, for example for
    /// want of memory. It is tried again, or was the last one. Empty: no call failed.
    virtual std::string trouble() const { return {}; }
    /// The address of the connection, as `10.0.0.1:80` or `unix:/path`; a name without an address
    /// so far, as in the config.
    virtual std::string address() const { return {}; }
    /// The address that the request goes to; of family AF_UNSPEC until it is known.
    virtual net::Endpoint peer() const { return {}; }
    /// The errno of a failed connect; 0: none, or not known.
    virtual int refusal() const { return 0; }
    /// Bytes that came from the backend so far, of any kind.
    virtual std::uint64_t received() const = 0;
    /// Bytes of requests that the connection has taken so far.
    virtual std::uint64_t written() const = 0;
    /// The written bytes that the backend's system has not taken yet. One system call.
    virtual std::uint64_t backlog() const = 0;
    /// A part of the response is here although send() is not done.
    virtual bool answering() const = 0;

    /// Reads the response head; 1xx heads come one by one, then the final one. Views are valid
    /// until the next step. Errors: upstream_broke, upstream_bad_response.
    virtual result<Step> read_head(bool to_head_request, http::ResponseHead& head) = 0;

    /// Reads a piece of the payload, valid until the next step. done with an empty piece is the end
    /// of the body.
    virtual result<Step> read_body(std::string_view& piece) = 0;
    /// The body has ended.
    virtual bool ended() const = 0;
    /// All bytes of the body that the head declares were read, although the backend goes on: the
    /// client has its whole answer. Only after read_head().
    virtual bool answered() const { return ended(); }
    /// One more piece of what the last read brought, empty if that is used up. Pieces before it
    /// stay valid, as nothing is read from the connection. These bytes must be used before a
    /// suspension. Error: upstream_bad_response.
    virtual error_code read_buffered(std::string_view& piece) = 0;

    /// After a 101: from here on both directions are bytes without framing. send() continues with
    /// what comes into the body, read_body() until the backend ends; the connection is not used
    /// again.
    virtual void upgrade() = 0;
    /// Sends nothing more (FIN); the backend may still answer.
    virtual void finish_sending() = 0;

    /// The connection was a reused one, no byte of a response came, and the backend's system took
    /// nothing of the request: its end says nothing about this request (CONTRACT 2.7). One system
    /// call.
    virtual bool untouched() const = 0;

    /// True when the backend is done with the request, as far as the connection can tell: it got
    /// nothing of it, or has ended the connection, or its answer is whole and shows the end of its
    /// work (CONTRACT 2.12). Until then it may be running the request.
    virtual bool settled() const = 0;
    /// It learns the end of the backend's work a moment after each answer, also where no slot
    /// depends on it.
    virtual bool proves_end() const { return false; }
    /// The connection ended before the backend told the end of the request: the process that ran it
    /// is gone, unless something in between cut the connection. Good where no status page tells.
    virtual bool worker_gone() const { return false; }
    /// Drops what still comes, and asks for the end of the connection where nothing else can tell
    /// the end of the work; where the answer announced that end, it only waits for it. done when
    /// settled(). A head that is still unread is first read into `scratch`, as in read_head(); it
    /// may be the one that there was no memory for.
    virtual Step outlast(bool to_head_request, http::ResponseHead& scratch) noexcept = 0;

    /// The answer is read and announced the end of its connection, which has not come; the backend
    /// was not asked for it yet.
    virtual bool announced_end() const { return false; }
    /// Asks then, or where the framing of the answer makes no sense, so that a backend that is done
    /// closes. False: it may not ask, or has done so.
    virtual bool ask_for_end() noexcept { return false; }

    /// The backend's text beside its response, for the operational log; bounded. May be empty.
    virtual std::string_view remarks() const { return {}; }

    /// Ends the exchange. A reusable connection goes back to its pool; `self` is used up.
    virtual void finish(std::unique_ptr<Exchange> self) = 0;
};

/// The origin of a request. Only a backend that passes it on, in CGI variables, asks for it.
class OriginSource {
 public:
    virtual fcgi::Origin origin() = 0;  ///< views, valid as long as the source

 protected:
    ~OriginSource() = default;
};

/// The facts of a request besides its head.
struct RequestFacts {
    http::RequestEdits edits;  ///< without framing, method and upgrade: the upstream sets these
    bool queued = false;       ///< its body is whole before it is sent
    std::string_view upgrade = {};  ///< the protocol that client and route ask for; empty: none
    OriginSource* origin = nullptr;
    fcgi::Choice choice = {};  ///< of the script, beside the path
    bool ends_later = false;   ///< without a body its end is sent apart from its head, as a body is
};

/// The fencing number of a request of a clustered queue (CLUSTER.md section 6).
struct Fencing {
    std::string_view header;  ///< in which the number goes
    std::uint64_t token = 0;
    std::string_view queue;
};
/// The header beside it, with the queue's name.
inline constexpr std::string_view fencing_queue_header = "Fencing-Queue";

/// How the backend gets the request.
struct Prepared {
    bool needs_length = false;      ///< add_length() before it is sent, when its body is whole
    bool chunked = false;           ///< its body goes out in chunks
    bool asks_with_get = false;     ///< a HEAD: the answer brings a body, and the work ends with it
    std::string_view upgrade = {};  ///< the protocol that the backend is asked for; empty: none
};

/// A request whose response has ended, and when its backend was asked whether it still works.
struct Answered {
    std::string_view method, target;  ///< as the client wrote them
    Time sent, ended;
    net::Endpoint sent_to = {};
    Time asked = {}, told = {};
    const fcgi::Script* script = nullptr;  ///< chosen beside the path; null: the path selects it
};

/// A backend that reports what its workers do (CONTRACT 2.6). Any thread.
class WorkerStatus {
 public:
    /// The exchange that asks; puts what to send over it into `head`. `sent_to`: the address of the
    /// backend that got the request. A name may have moved to another machine since, whose workers
    /// say nothing about the request. Of family AF_UNSPEC: any.
    virtual std::unique_ptr<Exchange> ask(net::Loop& loop, const net::Endpoint& sent_to,
                                          std::string& head) = 0;
    /// The same request to the listener of the scripts, on a new connection: when it is answered,
    /// in any way, a worker has taken each connection that came to that listener before.
    virtual std::unique_ptr<Exchange> knock(net::Loop& loop, std::string& head) = 0;
    /// Reads the answer: does a worker still run a request that was answered? Error:
    /// upstream_bad_response if the answer does not tell.
    virtual result<fcgi::Working> still_runs(std::string_view answer,
                                             const Answered& request) const = 0;
    /// The same error for an answer that cannot tell about any request.
    virtual error_code readable(std::string_view answer) const = 0;
    virtual fcgi::StatusAdvice advice(const fcgi::StatusFailure& failure) const = 0;
    /// Compares the answers to ask() and to knock(). Returns why they are of two pools of php-fpm:
    /// such a page says nothing about requests. Empty: they are of one, and pages of this run of
    /// php-fpm free slots from now on. Any thread.
    virtual std::string compare_pools(std::string_view page, std::string_view at_scripts) = 0;
    /// A comparison found that the php-fpm of this page has the pool of the scripts, and none has
    /// found two pools since. False: the page frees no slot until one has. Any thread.
    virtual bool one_pool(std::string_view page) const = 0;
    virtual fcgi::StatusAdvice advice_for_other_pool() const = 0;

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
    /// Adds the length of the body to such a head. Any thread.
    virtual void add_length(std::string& head, std::uint64_t length) const = 0;
    /// Adds the fencing number to such a head. Any thread.
    virtual void add_fencing(std::string& head, const Fencing& fencing) const = 0;
    /// Its name, for the Host of a request whose client sent none. Empty: it needs no Host.
    virtual std::string_view host() const { return {}; }
    /// Its address, if redirects to it are rewritten for clients. Null: they are not.
    virtual const http::BackendAddress* redirects() const { return nullptr; }
    /// True if it asks for the origin of requests.
    virtual bool uses_origin() const { return false; }
    /// The folder whose real path its requests name, as a deployment moves it; null: none.
    virtual const std::string* moving_root() const { return nullptr; }
    /// Null: its workers' status cannot be read.
    virtual WorkerStatus* worker_status() { return nullptr; }

    /// `fresh`: not a pooled connection. `careful`: the request must not be sent twice, so a pooled
    /// connection is checked once more before use.
    virtual std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful) = 0;
    /// The config no longer names it, or another process takes over: closes the loop's idle
    /// connections, and keeps none from now on.
    virtual void retire(net::Loop& loop) = 0;
    /// Keeps connections again.
    virtual void unretire(net::Loop&) {}

    Failures failures{};
};

}  // namespace ticketgate

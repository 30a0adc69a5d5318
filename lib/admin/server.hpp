// The operator's listener for health, metrics and the state of the queues, separate from traffic.
// Runs on the control thread with plain Asio and Beast: no proxied request passes here. Owned by
// App. Invariants: it holds at most `max_connections` descriptors and a few spare ones, so it takes
// none from traffic. A new connection always gets in: at the limit it replaces the one that has had
// its answer for longest, or else the oldest, and each connection gets one answer.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "net/endpoint.hpp"
#include "net/listener.hpp"

namespace ticketgate::admin {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// Server-sent events for one connection, in their order. Control thread.
class Events {
 public:
    virtual ~Events() = default;
    /// Whole events as text; null: none yet.
    virtual std::shared_ptr<const std::string> next() = 0;
    /// Called when there may be a next one. May be empty.
    std::function<void()> wake;
};

/// `local`: the peer came over loopback or a unix socket.
using Handler = std::function<HttpResponse(const HttpRequest&, bool local)>;

/// Returns the events that this request asks for; null: an ordinary request, for the Handler.
using Watch = std::function<std::unique_ptr<Events>(const HttpRequest&)>;

/// Takes a connection that has no answer, with what has arrived on it, to the process that answers.
using PassOn = std::function<void(Descriptor connection, std::string arrived)>;

struct Limits {
    std::size_t max_connections = 64;  ///< at the limit, a new one replaces another
    milliseconds read_timeout = 10s;   ///< until the whole request has arrived
    milliseconds write_timeout = 10s;  ///< until the whole answer has been sent
};

class Server {
 public:
    /// The errno of a failed accept; at most one report a pause.
    using Report = std::function<void(int error)>;

    /// Listens on a socket from `open`, which may throw; accepts from start() on. The functions run
    /// on the control thread. A null `watch`: there are no events.
    Server(boost::asio::io_context& control, const net::Endpoint& at, Limits limits, Handler handle,
           Report report, Watch watch = nullptr,
           const net::OpenListener& open = net::open_listener);
    ~Server();
    void start();

    const net::Endpoint& local() const;
    int descriptor() const;
    /// Another process accepts from this socket from now on, and this one answers nothing more: its
    /// state is no longer the service's. Connections without an answer yet pass on; one of which
    /// more has arrived than a message of an upgrade holds is closed. A null function: the other
    /// process does so no more.
    void hand_over(PassOn pass_on);
    /// Serves a connection that another process has passed on; it ends if it is of another family
    /// than the listener.
    void adopt(Descriptor connection, std::string arrived);
    /// Accepts on, after an exception.
    void go_on();
    /// The file of the unix socket that it listens on.
    net::SocketFile& file();

 private:
    struct Listening;
    std::shared_ptr<Listening> listening_;  // shared with the accept under way
};

}  // namespace ticketgate::admin

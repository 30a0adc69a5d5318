// A backend whose every move a test decides. Each connection has a thread that reads a request,
// writes it down and calls the handler of its path. What is written down tells the order of starts
// and ends exactly: both are numbered under one lock, the end together with the last byte of the
// answer.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/message.hpp"

namespace ticketgate::test {

/// One request as the backend saw it.
struct Seen {
    int connection = 0;     ///< which one, from 1
    int on_connection = 0;  ///< the how-many-th there, from 1
    std::string method, target, version, raw_head;
    Fields fields;
    std::string body;
    bool body_whole = false;
    std::string noted;                 ///< by the handler
    std::uint64_t start = 0, end = 0;  ///< places in the order of events; 0: not yet

    std::string path() const { return target.substr(0, target.find('?')); }
    std::string header(std::string_view name) const { return fields.get(name); }
};

class Backend;

/// One request at hand; the handler's means.
class Call {
 public:
    Seen seen() const;
    /// Reads the body to its end; handlers that are not `early` find it read.
    void read_body();
    /// Until at least `bytes` of it are here.
    void read_body_until(std::size_t bytes);

    /// A whole answer; `lines` are more header lines, each with its CRLF.
    void respond(int status, std::string_view body = {}, std::string_view lines = {});
    /// Exact bytes; the request is not over.
    void send(std::string_view bytes);
    /// The same, past TLS: to the other side they are no record.
    void send_past_tls(std::string_view bytes);
    /// The last bytes: with them the request is over.
    void finish(std::string_view bytes = {});
    /// Of a tunnel: what comes next, empty at the end; a FIN to the other side; what a test is
    /// told.
    std::string receive() { return reader_.take_some(); }
    void finish_writing() { socket_.finish_writing(); }
    void note(std::string_view text);
    /// Ends the connection, and with it the request.
    void close();
    void reset();
    /// Ends it without TLS's close_notify.
    void drop();

    /// Sleeps until the test calls release(name).
    void wait_for(const std::string& name);

 private:
    friend class Backend;
    Call(Backend& backend, Socket& socket, Reader& reader, std::size_t index)
        : backend_(backend), socket_(socket), reader_(reader), index_(index) {}
    Backend& backend_;
    Socket& socket_;
    Reader& reader_;
    std::size_t index_;
    std::string unread_chunk_;
    bool body_read_ = false, closed_ = false;
};

using Handler = std::function<void(Call&)>;

class Backend {
 public:
    Backend();                                       ///< on 127.0.0.1, any port
    explicit Backend(const std::string& unix_path);  ///< on a unix socket
    explicit Backend(TlsEnd tls);                    ///< https, on 127.0.0.1
    ~Backend();
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    /// As it stands in the config.
    std::string url() const { return url_; }

    /// Requests of this path (query left out) from now on; any other path gets 200 and its target
    /// as body.
    void on(const std::string& path, Handler handler) { set(path, std::move(handler), false); }
    /// The handler is called as soon as the head is here.
    void on_head(const std::string& path, Handler handler) { set(path, std::move(handler), true); }
    /// Requests of this path wait until release(path), then get 200 and their target.
    void hold(const std::string& path);
    /// Lets whoever waits for `name`, now or later, go on.
    void release(const std::string& name);
    /// Ends all connections that are between two requests; the other side's kernel has it then.
    void close_idle();

    std::vector<Seen> all() const;
    /// Those of one path, in the order of their starts.
    std::vector<Seen> of(std::string_view path) const;
    std::size_t count(std::string_view path) const { return of(path).size(); }
    /// Targets in the order of their starts.
    std::vector<std::string> order() const;
    bool wait_for(std::string_view path, std::size_t starts = 1) const;
    bool wait_for_end(std::string_view path, std::size_t ends = 1) const;
    /// How many were at most in flight at one time, among the paths that begin so.
    int most_in_flight(std::string_view path = "/") const;
    int connections() const;

 private:
    friend class Call;
    struct Connection {
        Socket socket;
        bool idle = true;
    };
    struct Route {
        Handler handler;
        bool early = false;
    };
    void set(const std::string& path, Handler handler, bool early);
    void listen(const net::Endpoint& at);
    void accept_all();
    void serve(Connection& connection, int number);
    bool serve_one(Connection& connection, Reader& reader, int number, int on_connection);
    std::size_t write_down(Connection& connection, Seen seen);
    void end(std::size_t index);
    Route route_of(const std::string& path) const;

    int listener_ = -1;
    std::string url_;
    std::optional<TlsEnd> tls_;
    mutable std::mutex lock_;  // guards all below
    std::condition_variable changed_;
    std::map<std::string, Route> routes_;
    std::set<std::string> released_;
    std::vector<Seen> seen_;
    std::uint64_t events_ = 0;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<std::thread> threads_;
    bool stopping_ = false;
    std::thread acceptor_;
};

/// A port on which nobody listens, and nobody else can begin to.
class RefusingPort {
 public:
    RefusingPort();
    ~RefusingPort();
    std::string url() const { return url_; }

 private:
    int descriptor_;
    std::string url_;
};

}  // namespace ticketgate::test

// A backend that the test controls in detail. Each connection has a thread that reads a request,
// records it and calls the handler of its path. The records show the exact order of starts and
// ends: both are numbered under one lock, the end together with the last byte of the answer.
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

/// The request that a handler answers, and the operations on it.
class Call {
 public:
    Seen seen() const;
    /// Reads the body to its end; already done unless the handler is `early`.
    void read_body();
    /// Reads until at least `bytes` of the body are here.
    void read_body_until(std::size_t bytes);

    /// Sends a whole answer; `lines` are further header lines, each with its CRLF.
    void respond(int status, std::string_view body = {}, std::string_view lines = {});
    /// Sends exact bytes; the request goes on.
    void send(std::string_view bytes);
    /// Sends exact bytes below TLS, where the peer reads them as a broken record.
    void send_past_tls(std::string_view bytes);
    /// Drops what comes, TLS or not, until the FIN.
    void drop_to_fin();
    /// Sends the last bytes and ends the request.
    void finish(std::string_view bytes = {});
    /// For a tunnel: receives the next bytes, empty at the end; sends a FIN; records text for the
    /// test.
    std::string receive() { return reader_.take_some(); }
    void finish_writing() { socket_.finish_writing(); }
    void note(std::string_view text);
    /// Ends the connection and the request.
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

    /// The URL for the config.
    std::string url() const { return url_; }

    /// Sets the handler of this path (without query). Any other path gets 200 with its target as
    /// body.
    void on(const std::string& path, Handler handler) { set(path, std::move(handler), false); }
    /// Sets a handler that is called as soon as the head is here.
    void on_head(const std::string& path, Handler handler) { set(path, std::move(handler), true); }
    /// Makes requests of this path wait for release(path), then answer 200 with their target.
    void hold(const std::string& path);
    /// Ends every wait for `name`, now and later.
    void release(const std::string& name);
    /// Ends all connections between two requests; returns when the peer's kernel has the FINs.
    void close_idle();

    std::vector<Seen> all() const;
    /// Returns the records of one path in order of start.
    std::vector<Seen> of(std::string_view path) const;
    std::size_t count(std::string_view path) const;
    /// Returns the targets in order of start.
    std::vector<std::string> order() const;
    bool wait_for(std::string_view path, std::size_t starts = 1) const;
    bool wait_for_end(std::string_view path, std::size_t ends = 1) const;
    /// Returns the most requests in flight at one time among paths with this prefix.
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
    mutable std::mutex lock_;  // guards everything below
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

/// A port that is reserved but on which nothing listens.
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

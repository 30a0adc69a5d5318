// The operator's listener, apart from traffic: health, metrics, the state of the line. Runs on the
// control thread with Asio and Beast as they come (nothing here is on a request's path). Owned by
// App.
// Invariants: it holds no more than `max_connections` descriptors and a few spare ones, so that it
// takes none from traffic; a new connection always gets in, since the one that is silent longest
// ends.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "net/endpoint.hpp"

namespace ticketgate::admin {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;
/// `local`: the peer came over loopback or a unix socket.
using Handler = std::function<HttpResponse(const HttpRequest&, bool local)>;

struct Limits {
    std::size_t max_connections = 64;  ///< one more ends the one that has asked for nothing longest
    milliseconds read_timeout = 10s;   ///< until a request is there, whole
    milliseconds write_timeout = 10s;  ///< until its answer is taken
};

class Server {
 public:
    /// errno of an accept that failed; once a pause.
    using Report = std::function<void(int error)>;

    /// Binds; throws std::system_error that names the address. `handle` and `report` run on the
    /// control thread.
    Server(boost::asio::io_context& control, const net::Endpoint& at, Limits limits, Handler handle,
           Report report);
    ~Server();

    const net::Endpoint& local() const;

 private:
    struct Listening;
    std::shared_ptr<Listening> listening_;  // shared with the accept under way
};

}  // namespace ticketgate::admin

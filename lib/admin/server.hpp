// The operator's listener, apart from traffic: health, metrics, the state of the line. Runs on the
// control thread with Asio and Beast as they come (nothing here is on a request's path). Owned by
// App.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <string>

#include "net/endpoint.hpp"

namespace ticketgate::admin {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;
/// `local`: the peer came over loopback or a unix socket.
using Handler = std::function<HttpResponse(const HttpRequest&, bool local)>;

class Server {
 public:
    /// Binds; throws std::system_error that names the address. `handle` runs on the control thread.
    Server(boost::asio::io_context& control, const net::Endpoint& at, Handler handle);
    ~Server();

    const net::Endpoint& local() const;

 private:
    struct Listening;
    std::shared_ptr<Listening> listening_;  // shared with the accept under way
};

}  // namespace ticketgate::admin

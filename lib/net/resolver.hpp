// Names to addresses without blocking a loop: Asio's resolver on the control thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "net/endpoint.hpp"

namespace ticketgate::net {

class Resolver {
 public:
    using Done = std::function<void(const error_code&, std::vector<Endpoint>)>;

    explicit Resolver(boost::asio::io_context& control) : control_(control), resolver_(control) {}

    /// Any thread. `done` is called on the control thread, once, unless this throws bad_alloc.
    void resolve(std::string host, std::uint16_t port, Done done);

 private:
    struct Question {
        std::string host;
        std::uint16_t port;
        Done done;
    };
    using Found = boost::asio::ip::tcp::resolver::results_type;
    void ask(const std::shared_ptr<Question>& asked);
    static void answer(const Question& asked, const error_code& error, const Found& found);

    boost::asio::io_context& control_;
    boost::asio::ip::tcp::resolver resolver_;  // used on the control thread only
};

}  // namespace ticketgate::net

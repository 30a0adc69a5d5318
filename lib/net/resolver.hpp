// Names to addresses without blocking a loop. A look-up in the system cannot be ended and may hang
// for half a minute, so each runs on a thread of its own: no name waits for another one, and the
// end of the process waits for none. Look-ups of one name at one time are one look-up.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "net/endpoint.hpp"

namespace ticketgate::net {

class Resolver {
 public:
    /// So many names are looked up at one time; the others wait for the first that has an answer.
    static constexpr std::size_t most_lookups = 32;

    struct Found {
        error_code error;
        std::vector<Endpoint> endpoints;  ///< with any port
    };
    /// Any thread; may take long.
    using LookUp = std::function<Found(const std::string& host)>;
    using Done = std::function<void(const error_code&, std::vector<Endpoint>)>;

    /// `control` has one thread.
    explicit Resolver(boost::asio::io_context& control, LookUp look_up = ask_system);
    /// On the control thread, or when it does not run any more. Drops the questions that have no
    /// answer.
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    /// Any thread. `done` is called on the control thread, once, unless this throws bad_alloc.
    void resolve(std::string host, std::uint16_t port, Done done);

    static Found ask_system(const std::string& host);

 private:
    class Work;
    boost::asio::io_context& control_;
    const std::shared_ptr<Work> work_;  // a thread that hangs outlives the resolver
};

}  // namespace ticketgate::net

// What the connections of the admin listener share, one connection, and the events for one that
// watches. A part of server.cpp. Control thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <memory>
#include <string>
#include <utility>

#include "admin/guests.hpp"
#include "admin/server.hpp"
#include "base/error.hpp"
#include "net/bounded_stream.hpp"

namespace ticketgate::admin {

// After so long without an event a viewer gets a comment, so that a dead connection is noticed.
inline constexpr auto quiet_time = std::chrono::seconds(15);

/// Shared by the listener and its connections, which may outlive it.
struct House {
    House(Limits l, Handler h, Watch w)
        : limits(l), handle(std::move(h)), watch(std::move(w)), guests(l.max_connections) {}
    const Limits limits;
    const Handler handle;
    const Watch watch;
    Guests guests;
    PassOn pass_on;  ///< not empty: another process answers; a connection ends with its answer
    bool handed_over() const { return pass_on != nullptr; }
};

template <class Protocol>
class Connection final : public Guest {
 public:
    Connection(std::shared_ptr<House> house, typename Protocol::socket socket)
        : house_(std::move(house)), stream_(std::move(socket)) {
        house_->guests.join(*this);
    }
    ~Connection() {
        if (is_linked()) house_->guests.leave(*this);
    }
    // Frees the descriptor at once; the coroutine ends at its next resumption.
    void close() override {
        stream().close();
        house_->guests.leave(*this);
    }

    void stop_reading() override { stream().cancel(); }
    Descriptor release() { return Descriptor(stream().release_socket().release()); }

    bool closed() const { return !is_linked(); }
    House& house() { return *house_; }
    boost::beast::basic_stream<Protocol>& stream() { return stream_.next_layer(); }
    /// The same, for requests.
    net::BoundedStream<boost::beast::basic_stream<Protocol>>& requests() { return stream_; }

 private:
    const std::shared_ptr<House> house_;
    net::BoundedStream<boost::beast::basic_stream<Protocol>> stream_;
};

inline const std::shared_ptr<const std::string>& head_of_events() {
    static const auto head = std::make_shared<const std::string>(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nTicketgate-Admin: 1\r\nConnection: close\r\n\r\n");
    return head;
}

inline const std::shared_ptr<const std::string>& sign_of_life() {
    static const auto comment = std::make_shared<const std::string>(": still here\n\n");
    return comment;
}

// Until the client leaves. One text at a time: a client that reads slowly misses events.
template <class Protocol>
boost::asio::awaitable<void> send_events(Connection<Protocol>& self,
                                         std::unique_ptr<Events> events) {
    auto& stream = self.stream();
    error_code error;
    auto token = boost::asio::redirect_error(boost::asio::use_awaitable, error);
    boost::asio::steady_timer alarm(stream.get_executor());
    events->wake = [&alarm] { alarm.cancel(); };
    auto text = head_of_events();
    for (;;) {
        stream.expires_after(self.house().limits.write_timeout);
        co_await boost::asio::async_write(stream, boost::asio::buffer(*text), token);
        if (error || self.closed()) co_return;
        text = events->next();
        if (text != nullptr) continue;
        alarm.expires_after(quiet_time);
        co_await alarm.async_wait(token);
        if (self.closed()) co_return;
        text = events->next();
        if (text == nullptr) text = sign_of_life();
    }
}

}  // namespace ticketgate::admin

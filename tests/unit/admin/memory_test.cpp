// The admin listener without memory: each allocation for a client is the first to fail once. That
// client may lose its connection; the next one is served.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <string>

#include "../../support/no_memory.hpp"
#include "admin/server.hpp"
#include "base/descriptor.hpp"
#include "base/spare_memory.hpp"

namespace ticketgate::admin {
namespace {

using namespace std::chrono_literals;

constexpr auto most = 60s;

// On one thread, so that each shortage strikes the same piece each time.
struct AdminWithoutMemory : testing::Test {
    Descriptor ask() const {
        Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const net::Endpoint at = server.local();
        EXPECT_EQ(::connect(client.get(), at.address(), at.size()), 0);
        const std::string_view request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        EXPECT_EQ(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        return client;
    }
    static bool readable(const Descriptor& client) {
        pollfd look{.fd = client.get(), .events = POLLIN, .revents = 0};
        return ::poll(&look, 1, 0) == 1;
    }
    // Serves until the client has an answer, or its end. As the control thread does, goes on after
    // an exception.
    void serve(const Descriptor& client, int pieces) {
        const NoMemory shortage(pieces);
        const auto end = std::chrono::steady_clock::now() + most;
        while (!readable(client) && std::chrono::steady_clock::now() < end) {
            try {
                io.run_one_for(1s);
            } catch (const std::bad_alloc&) {
                return;
            }
        }
    }
    std::string answer(const Descriptor& client) {
        serve(client, std::numeric_limits<int>::max());
        std::array<char, 4096> bytes;
        const auto size = ::recv(client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }

    boost::asio::io_context io;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
        io.get_executor()};
    int asked = 0;
    Server server{io, *net::Endpoint::from_ip("127.0.0.1", 0),
                  Limits{.max_connections = 4, .read_timeout = 60s, .write_timeout = 60s},
                  [this](const HttpRequest&, bool) {
                      ++asked;
                      return HttpResponse(boost::beast::http::status::ok, 11);
                  },
                  [](int) {}};

    AdminWithoutMemory() {
        set_spare_memory_aside();
        server.start();
    }
};

TEST_F(AdminWithoutMemory, LosesAtMostTheConnectionThatNeedsIt) {
    int unanswered = 0;
    for (int pieces = 0; pieces < 60; ++pieces) {
        const int before = asked;
        const Descriptor first = ask();
        serve(first, pieces);
        unanswered += asked == before;
        server.go_on();
        const Descriptor second = ask();
        ASSERT_TRUE(answer(second).starts_with("HTTP/1.1 200 "))
            << "after a shortage from piece " << pieces;
    }
    EXPECT_GT(unanswered, 0) << "no shortage has struck";
    EXPECT_LT(unanswered, 60) << "each has struck";
}

}  // namespace
}  // namespace ticketgate::admin

// The id service without memory: each allocation for a new client is the first to fail once. That
// client may lose its connection; the next one is served.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../support/no_memory.hpp"
#include "base/descriptor.hpp"
#include "noeq/server.hpp"

namespace ticketgate::noeq {
namespace {

enum class Got { ids, end, nothing };

// A client that needs no memory itself. Fails the test if it gets neither an id nor an end.
Got ask(const net::Endpoint& at) {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval longest{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
    if (::connect(client.get(), at.address(), at.size()) != 0) return Got::nothing;
    (void)!::send(client.get(), "\1", 1, MSG_NOSIGNAL);
    std::array<char, 8> id;
    const auto size = ::recv(client.get(), id.data(), id.size(), MSG_WAITALL);
    if (size == static_cast<ssize_t>(id.size())) return Got::ids;
    const bool reset = size < 0 && errno == ECONNRESET;
    return size == 0 || reset ? Got::end : Got::nothing;
}

struct Service {
    Service() {
        Settings settings;
        settings.max_connections = 2;
        settings.max_connections_per_client = 2;
        server =
            std::make_unique<Server>(*net::Endpoint::from_ip("127.0.0.1", 0), settings,
                                     std::make_unique<IdSource>(0, 0, std::nullopt), log, metrics);
        server->start();
    }
    Log log{Level::off};
    metrics::Registry metrics;
    std::unique_ptr<Server> server;
};

TEST(NoeqWithoutMemory, LosesAtMostTheConnectionThatNeedsIt) {
    const Service service;
    const net::Endpoint at = service.server->local();
    int ended = 0;
    // The last clients need fewer pieces than that, so none of them loses its connection.
    for (int pieces = 0, served = 0; served < 20; ++pieces) {
        ASSERT_LT(pieces, 1000);
        Got got{};
        {
            const NoMemory shortage(pieces);
            got = ask(at);
        }
        ASSERT_NE(got, Got::nothing) << pieces;
        ended += got == Got::end;
        served = got == Got::ids ? served + 1 : 0;
        ASSERT_EQ(ask(at), Got::ids) << "after a shortage from piece " << pieces << " on";
    }
    EXPECT_GT(ended, 0) << "no shortage has struck";
}

}  // namespace
}  // namespace ticketgate::noeq

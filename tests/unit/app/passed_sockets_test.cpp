#include "app/passed_sockets.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "net/listener.hpp"

namespace ticketgate {
namespace {

const auto any_port = *net::Endpoint::from_ip("127.0.0.1", 0);

net::Endpoint address_of(const Descriptor& socket) {
    net::Endpoint at;
    socklen_t size = sizeof(sockaddr_storage);
    getsockname(socket.get(), at.address(), &size);
    at.set_size(size);
    return at;
}

TEST(PassedSockets, GoToTheListenerOfTheirAddress) {
    Descriptor one = net::open_listener(any_port), two = net::open_listener(any_port);
    const int first = one.get(), second = two.get();
    const auto at = address_of(two);
    PassedSockets sockets;
    sockets.add(std::move(one));
    sockets.add(std::move(two));
    const net::Opened opened = sockets.open(at);
    EXPECT_EQ(opened.socket.get(), second);
    EXPECT_TRUE(opened.passed);
    EXPECT_EQ(sockets.left().size(), 1u);
    EXPECT_EQ(sockets.open(any_port).socket.get(), first) << "port 0 means any of that host";
    EXPECT_TRUE(sockets.left().empty());
}

TEST(PassedSockets, OfAUnixSocketWhoseFileIsGoneAreMadeAgain) {
    const std::string path = testing::TempDir() + "ticketgate-passed." + std::to_string(::getpid());
    const auto at = *net::Endpoint::from_unix(path);
    PassedSockets sockets;
    sockets.add(net::open_listener(at));
    ASSERT_EQ(::unlink(path.c_str()), 0);
    EXPECT_FALSE(sockets.open(at).passed);
    EXPECT_EQ(::unlink(path.c_str()), 0) << "there is a file again";
    EXPECT_TRUE(sockets.left().empty());
}

TEST(PassedSockets, LeaveOtherAddressesToTheSystem) {
    Descriptor passed = net::open_listener(any_port);
    const int number = passed.get();
    const std::string address = address_of(passed).text();
    PassedSockets sockets;
    sockets.add(std::move(passed));
    const net::Opened own = sockets.open(*net::Endpoint::from_ip("127.0.0.2", 0));
    EXPECT_NE(own.socket.get(), number);
    EXPECT_FALSE(own.passed);
    EXPECT_EQ(sockets.left(), std::vector<std::string>{address});
}

bool refused(const net::Endpoint& at) {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(client.get(), at.address(), at.size()) != 0 && errno == ECONNREFUSED;
}

TEST(PassedSockets, ThatAreLeftRefuseTheirClientsAndMayListenAgain) {
    const Descriptor of_old = net::open_listener(any_port), kept = net::open_listener(any_port);
    const auto at = address_of(of_old);
    PassedSockets sockets;
    for (const Descriptor* one : {&of_old, &kept}) sockets.add(Descriptor(::dup(one->get())));
    EXPECT_FALSE(refused(at));
    EXPECT_EQ(sockets.end_left(address_of(kept)), std::vector<std::string>{at.text()});
    EXPECT_TRUE(refused(at)) << "the old process has the socket, too";
    EXPECT_FALSE(refused(address_of(kept)));
    EXPECT_EQ(sockets.left(), std::vector<std::string>{address_of(kept).text()});
    net::listen_again(of_old.get());
}

TEST(PassedSockets, LeaveNoFileOfAUnixSocketThatNoListenerHas) {
    const std::string path = testing::TempDir() + "ticketgate-passed." + std::to_string(::getpid());
    const auto at = *net::Endpoint::from_unix(path);
    PassedSockets sockets;
    sockets.add(net::open_listener(at));
    EXPECT_EQ(sockets.end_left(), std::vector<std::string>{at.text()});
    EXPECT_EQ(::access(path.c_str(), F_OK), 0) << "the old process may accept again";
    sockets.remove_files();
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(PassedSockets, OfSystemdAreOnlyClosed) {
    const Descriptor of_systemd = net::open_listener(any_port);
    PassedSockets sockets;
    sockets.of_systemd = true;
    sockets.add(Descriptor(::dup(of_systemd.get())));
    EXPECT_EQ(sockets.end_left().size(), 1u);
    EXPECT_FALSE(refused(address_of(of_systemd)));
}

TEST(PassedSockets, NeitherBlockNorReachAChild) {
    Descriptor passed = net::open_listener(any_port);
    (void)::fcntl(passed.get(), F_SETFL, 0);
    (void)::fcntl(passed.get(), F_SETFD, 0);
    PassedSockets sockets;
    sockets.add(std::move(passed));
    const Descriptor taken = sockets.open(any_port).socket;
    EXPECT_NE(::fcntl(taken.get(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(taken.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(PassedSockets, MustListen) {
    PassedSockets sockets;
    EXPECT_THROW(sockets.add(Descriptor(::socket(AF_INET, SOCK_STREAM, 0))), std::runtime_error);
    EXPECT_THROW(sockets.add(Descriptor(::open("/dev/null", O_RDONLY))), std::runtime_error);
    EXPECT_TRUE(sockets.left().empty());
}

}  // namespace
}  // namespace ticketgate

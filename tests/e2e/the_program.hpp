// The program as a child process with its own config file, and a stand-in for systemd.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "support/configs.hpp"
#include "support/program.hpp"

namespace ticketgate::test {

inline const std::string good_routes = "routes: [{ prefix: /, upstream: app }]\n";

// Stands in for systemd: its notify socket, and the variable that names it.
class NotifySocket {
 public:
    explicit NotifySocket(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        path.copy(at.sun_path, sizeof at.sun_path - 1);
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
            throw std::runtime_error("cannot bind " + path);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    ~NotifySocket() { ::unsetenv("NOTIFY_SOCKET"); }

    /// Tells whether the next message begins with this text.
    bool hears(const std::string& text) const {
        pollfd waits{socket_.get(), POLLIN, 0};
        if (::poll(&waits, 1, static_cast<int>(milliseconds(patience).count())) != 1) return false;
        std::array<char, 4096> message;
        const auto size = ::recv(socket_.get(), message.data(), message.size(), 0);
        return size > 0 &&
               std::string(message.data(), static_cast<std::size_t>(size)).starts_with(text);
    }

 private:
    Descriptor socket_;
};

class TheProgram : public testing::Test {
 protected:
    std::string config(const std::string& text) { return folder.write("c.yaml", text); }
    std::string head(const std::string& address = "127.0.0.1:0") const {
        return "listen: [{ address: \"" + address + "\" }]\n" +
               "upstreams: { app: { url: \"http://127.0.0.1:9\" } }\n";
    }
    // Checks for exit code 78 and exactly one message, with the place and the problem.
    void expect_bad(const std::string& text, const std::string& message) {
        Program program({"-c", config(text)});
        EXPECT_EQ(program.wait(), 78) << text;
        const std::string told = program.err();
        EXPECT_NE(told.find(message), std::string::npos) << told;
        EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
        EXPECT_NE(told.find("c.yaml:"), std::string::npos) << told;
        EXPECT_EQ(program.out(), "");
    }
    // A config with an admin listener on a unix socket, and one queue for all requests.
    std::string administered(const Backend& backend) const {
        return "listen: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:" +
               folder.file("admin.sock") + "\" }\nupstreams: { app: { url: \"" + backend.url() +
               "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q }]\n";
    }
    // Returns the address that a started program prints as its listener.
    net::Endpoint address_of(const Program& program) const {
        EXPECT_TRUE(program.says("listening"));
        const std::string told = program.err(), host = "127.0.0.1:";
        const auto at = told.find(host, told.find("listening"));
        if (at == std::string::npos) throw std::runtime_error("no address in: " + told);
        const auto port = std::stoul(told.substr(at + host.size()));
        return *net::Endpoint::from_ip("127.0.0.1", static_cast<std::uint16_t>(port));
    }
    TemporaryFolder folder;
};

}  // namespace ticketgate::test

#include "admin/server.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "admin/house.hpp"
#include "admin/service.hpp"
#include "base/error.hpp"
#include "base/spare_memory.hpp"
#include "net/listen_error.hpp"
#include "net/listener.hpp"

namespace ticketgate::admin {
namespace {

namespace asio = boost::asio;

// The pause after a failed accept.
constexpr auto accept_pause = std::chrono::milliseconds(100);

int family_of(const Descriptor& socket) {
    int family = 0;
    socklen_t size = sizeof family;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 ? family : 0;
}

bool no_descriptors(const error_code& error) {
    return error == boost::system::errc::too_many_files_open ||
           error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

struct Server::Listening {
    virtual ~Listening() = default;
    virtual void accept() = 0;
    virtual void close() = 0;
    virtual void hand_over(PassOn pass_on) = 0;
    virtual void adopt(Descriptor connection, std::string arrived) = 0;
    virtual void go_on() = 0;
    virtual int descriptor() = 0;
    net::Endpoint local;
    std::optional<net::SocketFile> file;  // until close()
};

namespace {

template <class Protocol>
asio::awaitable<void> serve(std::unique_ptr<Connection<Protocol>> owned, std::string arrived) {
    Service<Protocol> service(*owned, arrived);
    co_await service.run();
}

template <class Protocol, class Listening>
struct Acceptor final : Listening, std::enable_shared_from_this<Acceptor<Protocol, Listening>> {
    Acceptor(asio::io_context& control, const Protocol& protocol, net::Opened opened,
             std::shared_ptr<House> h, Server::Report r)
        : acceptor(control), retry(control), house(std::move(h)), report(std::move(r)) {
        acceptor.assign(protocol, opened.socket.get());
        (void)opened.socket.release();
        const auto bound = acceptor.local_endpoint();
        this->local = net::Endpoint(bound.data(), static_cast<socklen_t>(bound.size()));
        this->file.emplace(this->local, !opened.passed);
    }

    void accept() override {
        acceptor.async_accept(
            [self = this->shared_from_this()](error_code error, typename Protocol::socket socket) {
                const bool cancelled = error == asio::error::operation_aborted;
                if (cancelled || !self->acceptor.is_open()) return;
                if (!error) self->begin(std::move(socket), {});
                if (self->house->handed_over()) return;
                if (!error) return self->accept();
                if (no_descriptors(error)) {
                    // The system says so before it looks whether a client waits.
                    if (!self->has_client()) return self->await_client();
                    if (self->house->guests.make_room()) return self->accept();
                }
                self->report(error.value());
                self->accept_later();
            });
    }

    bool has_client() {
        pollfd entry{acceptor.native_handle(), POLLIN, 0};
        return ::poll(&entry, 1, 0) > 0;
    }

    void await_client() {
        acceptor.async_wait(
            asio::socket_base::wait_read, [self = this->shared_from_this()](error_code error) {
                if (!error && self->acceptor.is_open() && !self->house->handed_over())
                    self->accept();
            });
    }

    // An exception may have ended an accept before its handler ran.
    void go_on() override {
        if (house->handed_over()) return;
        acceptor.cancel();
        retry.cancel();
        accept();
    }

    void begin(typename Protocol::socket socket, std::string arrived) {
        if (!refill_spare_memory()) throw std::bad_alloc();
        auto connection = std::make_unique<Connection<Protocol>>(house, std::move(socket));
        asio::co_spawn(acceptor.get_executor(), serve(std::move(connection), std::move(arrived)),
                       asio::detached);
    }

    void adopt(Descriptor connection, std::string arrived) override {
        const auto protocol = acceptor.local_endpoint().protocol();
        if (family_of(connection) != protocol.family()) return;
        typename Protocol::socket socket(acceptor.get_executor());
        error_code error;
        socket.assign(protocol, connection.get(), error);
        if (error) return;
        (void)connection.release();
        begin(std::move(socket), std::move(arrived));
    }

    // Waits before the next accept: no descriptor is free yet, so an immediate retry would spin.
    void accept_later() {
        retry.expires_after(accept_pause);
        retry.async_wait([self = this->shared_from_this()](error_code error) {
            if (!error && self->acceptor.is_open() && !self->house->handed_over()) self->accept();
        });
    }

    // A socket that another process holds as well stays in the epoll set when it is closed;
    // release() takes it out.
    void close() override {
        if (house->handed_over()) ::close(acceptor.release());
        acceptor.close();
        retry.cancel();
        this->file.reset();
    }

    // The file of a unix socket is the other process's while that lives. A viewer that stayed would
    // see this process's line, and a health check that it drains.
    void hand_over(PassOn pass_on) override {
        const bool on = pass_on != nullptr;
        const bool was = house->handed_over();
        house->pass_on = std::move(pass_on);
        if (on == was) return;
        on ? this->file->lend() : this->file->take_back();
        if (!on) {
            net::listen_again(acceptor.native_handle());
            return accept();
        }
        house->guests.send_idle_away();
        house->guests.stop_reading();
        acceptor.cancel();
        retry.cancel();
    }

    int descriptor() override { return acceptor.native_handle(); }

    typename Protocol::acceptor acceptor;
    asio::steady_timer retry;
    const std::shared_ptr<House> house;  // shared with the connections
    const Server::Report report;
};

template <class Protocol, class Listening>
std::shared_ptr<Listening> listen_on(asio::io_context& control, const Protocol& protocol,
                                     net::Opened opened, std::shared_ptr<House> house,
                                     Server::Report report) {
    return std::make_shared<Acceptor<Protocol, Listening>>(control, protocol, std::move(opened),
                                                           std::move(house), std::move(report));
}

}  // namespace

Server::Server(asio::io_context& control, const net::Endpoint& at, Limits limits, Handler handle,
               Report report, Watch watch, const net::OpenListener& open) {
    auto house = std::make_shared<House>(limits, std::move(handle), std::move(watch));
    try {
        using Local = asio::local::stream_protocol;
        using Tcp = asio::ip::tcp;
        if (at.is_unix())
            listening_ = listen_on<Local, Listening>(control, Local(), open(at), std::move(house),
                                                     std::move(report));
        else
            listening_ =
                listen_on<Tcp, Listening>(control, at.family() == AF_INET6 ? Tcp::v6() : Tcp::v4(),
                                          open(at), std::move(house), std::move(report));
    } catch (const boost::system::system_error& error) {
        throw net::ListenError(at, error.code().value());
    }
}

Server::~Server() {
    listening_->close();
}

// Not before: a client that is accepted by a process whose start fails would get no answer.
void Server::start() {
    listening_->accept();
}

const net::Endpoint& Server::local() const {
    return listening_->local;
}

int Server::descriptor() const {
    return listening_->descriptor();
}

net::SocketFile& Server::file() {
    return *listening_->file;
}

void Server::hand_over(PassOn pass_on) {
    listening_->hand_over(std::move(pass_on));
}

void Server::adopt(Descriptor connection, std::string arrived) {
    listening_->adopt(std::move(connection), std::move(arrived));
}

void Server::go_on() {
    listening_->go_on();
}

}  // namespace ticketgate::admin

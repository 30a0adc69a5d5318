#include "support/lossy_relay.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <list>
#include <stdexcept>
#include <vector>

namespace ticketgate::test {
namespace {

constexpr std::string_view write = "POST /v3/kv/txn ";
constexpr int tick = 50;  // milliseconds: how soon it sees that the test is over

Socket listen_anywhere(net::Endpoint& at) {
    at = *net::Endpoint::from_ip("127.0.0.1", 0);
    Socket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socklen_t size = at.size();
    if (::bind(made.descriptor(), at.address(), size) != 0 ||
        ::listen(made.descriptor(), 64) != 0 ||
        ::getsockname(made.descriptor(), at.address(), &size) != 0)
        throw std::runtime_error("cannot listen");
    return made;
}

// Passes on what is there; false: this side has ended.
bool pass(Socket& from, Socket& to, std::string& bytes) {
    bytes.clear();
    return from.receive(bytes, Clock::now()) == Socket::Status::ok &&
           to.send(bytes) == Socket::Status::ok;
}

}  // namespace

struct LossyRelay::Pair {
    Socket caller, node;
    bool loses = false;
};

LossyRelay::LossyRelay(const net::Endpoint& node, std::size_t every)
    : node_(node), every_(every), listener_(listen_anywhere(at_)), thread_([this] { serve(); }) {}

LossyRelay::~LossyRelay() {
    over_ = true;
    thread_.join();
}

// One step of a connection; false: it has ended. The first bytes of an answer prove that the node
// has done what was asked.
bool LossyRelay::take_turn(Pair& pair) {
    std::string bytes;
    if (pair.caller.readable({})) {
        if (!pass(pair.caller, pair.node, bytes)) return false;
        if (bytes.starts_with(write)) pair.loses = ++writes_ % every_ == 0;
    }
    if (!pair.node.readable({})) return true;
    if (pair.loses) ++lost_;
    return !pair.loses && pass(pair.node, pair.caller, bytes);
}

void LossyRelay::serve() {
    std::list<Pair> pairs;
    while (!over_) {
        std::vector<pollfd> watched{{listener_.descriptor(), POLLIN, 0}};
        for (const Pair& pair : pairs)
            for (const Socket* one : {&pair.caller, &pair.node})
                watched.push_back({one->descriptor(), POLLIN, 0});
        ::poll(watched.data(), watched.size(), tick);
        if (listener_.readable({})) {
            const int caller = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
            pairs.push_back({Socket(caller), Socket::connect(node_)});
        }
        pairs.remove_if([this](Pair& pair) { return !take_turn(pair); });
    }
}

}  // namespace ticketgate::test

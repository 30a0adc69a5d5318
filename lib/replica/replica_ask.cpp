// How a replica asks the one that kept a line before for its word.
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cstdlib>
#include <utility>

#include "cluster/forward.hpp"
#include "replica/replica.hpp"

namespace ticketgate::replica {
namespace {

namespace asio = boost::asio;

// Of one question to another replica.
constexpr milliseconds longest_question = 500ms;
constexpr unsigned word_given = 204, no_word = 409;
// Addresses of lost replicas are forgotten together.
constexpr std::size_t most_peers = 64;

// Why what was asked does not treat us as another replica. Empty: it does, or it is not there.
std::string why_no_replica(error_code error, unsigned status) {
    const bool tls = error && error.category() == asio::error::get_ssl_category();
    if (tls)
        return "TLS: " + error.message() +
               ": do both have cluster.peer.tls, and a certificate that the other one trusts?";
    if (error || status == word_given || status == no_word) return {};
    return "it answers " + std::to_string(status) +
           ": do both have cluster.peer.tls, and the same cluster.peer.secret?";
}

}  // namespace

// Throws std::runtime_error that names a bad file for TLS.
std::shared_ptr<etcd::Node> Replica::peer(const std::string& address) {
    const auto found = peers_.find(address);
    if (found != peers_.end()) return found->second;
    if (peers_.size() >= most_peers) peers_.clear();
    const auto colon = address.rfind(':');
    etcd::Endpoint at;
    at.host = address.substr(0, colon);
    if (at.host.starts_with('[')) at.host = at.host.substr(1, at.host.size() - 2);
    at.port = static_cast<std::uint16_t>(std::strtoul(address.c_str() + colon + 1, nullptr, 10));
    at.tls = settings_.peers_speak_tls;
    auto made = std::make_shared<etcd::Node>(io_, at, settings_.peer_tls);
    return peers_.emplace(address, std::move(made)).first->second;
}

void Replica::read_files_again() {
    asio::post(io_, [this] { peers_.clear(); });
}

// A replica that is gone gives no answer, and that is no news. It is asked many times a second: one
// line for many answers of a kind.
void Replica::tell_peer(const Line& line, const std::string& address, const std::string& why) {
    if (told_.size() >= most_peers) told_.clear();
    if (std::exchange(told_[address], why) == why) return;
    log_.warn("the replica that kept the queue before cannot be asked whether its requests ended",
              {{"queue", line.queue()}, {"address", address}, {"why", why}});
}

// Straight, so that a keeper without the store can give its word. `by`: the epoch in the record.
Replica::Awaitable<void> Replica::ask(Line& line, cluster::Prior prior, cluster::Epoch by) {
    const std::string address = prior.keeper.address;
    std::shared_ptr<etcd::Node> there;
    try {
        there = peer(address);
    } catch (const std::exception& bad) {
        tell_peer(line, address, bad.what());
    }
    if (there != nullptr) {
        etcd::HttpRequest question{boost::beast::http::verb::get, "/", 11};
        question.set(boost::beast::http::field::host, address);
        question.set(cluster::ask_header, cluster::write_ask({settings_.secret, line.queue(),
                                                              prior.keeper.id, prior.epoch, by}));
        etcd::HttpResponse answer;
        const auto error =
            co_await there->ask(std::move(question), answer, monotonic_now() + longest_question);
        if (!error && answer.result_int() == word_given) line.over(prior.epoch);
        if (!error) line.answered(prior.epoch);
        if (const auto why = why_no_replica(error, answer.result_int()); !why.empty())
            tell_peer(line, address, why);
    }
    line.asks = false;
    drive(line);
}

}  // namespace ticketgate::replica

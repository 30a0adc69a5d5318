#include "app/cluster_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "config/syntax.hpp"

namespace ticketgate {

namespace wire = cluster::etcd;

etcd::Settings store_settings(const config::ClusterStore& store) {
    etcd::Settings out;
    for (const std::string& text : store.endpoints) {
        config::Upstream at;
        std::string why;
        (void)config::parse_url(text, at, why);  // good since the config was read
        out.endpoints.push_back({at.host, at.port, at.https});
    }
    out.user = store.username;
    out.password = store.password;
    out.tls.ca_file = store.ca_file;
    out.tls.certificate = store.certificate;
    out.tls.key = store.key;
    out.timeout = store.timeout;
    return out;
}

ClusterStore::ClusterStore(const config::Cluster& cluster)
    : client_(io_, store_settings(cluster.store)), keys_(cluster.name) {}

etcd::Answer ClusterStore::call(const wire::Call& one, std::size_t times) {
    etcd::Answer answer;
    for (std::size_t i = 0; i < times && !answer.body; ++i) {
        const auto keep = [&answer](const std::exception_ptr& failed, etcd::Answer got) {
            if (failed) std::rethrow_exception(failed);
            answer = std::move(got);
        };
        boost::asio::co_spawn(io_, client_.call(one), keep);
        io_.restart();
        io_.run();
    }
    return answer;
}

std::optional<cluster::Contents> ClusterStore::read(std::string& why) {
    const auto answer = call(wire::read_all(keys_.prefix()), client_.endpoints());
    why = answer.failure.message;
    if (!answer.body) return std::nullopt;
    const auto snapshot = wire::read_snapshot(*answer.body);
    if (snapshot) return cluster::read_contents(keys_, *snapshot, why);
    why = "not an answer of etcd";
    return std::nullopt;
}

// Once: it may happen without an answer, and would be refused the next time.
cluster::Written ClusterStore::write(const wire::Transaction& transaction, std::string& why) {
    const auto answer = call(wire::write(transaction), 1);
    why = answer.failure.message;
    if (answer.failure.fault == wire::Fault::no_space) return cluster::Written::failed;
    const auto outcome = answer.body ? wire::read_outcome(*answer.body) : std::nullopt;
    if (!outcome) return cluster::Written::unknown;
    return outcome->done ? cluster::Written::done : cluster::Written::refused;
}

}  // namespace ticketgate

#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

using Store = ClusterStore;

constexpr std::array cluster_rows{
    like("shop",
         required(plain("name", Kind::text, field_by<read_cluster_name, &Cluster::name>,
                        "The name of the cluster, the same in all its replicas: 1 to 63 of a-z, "
                        "0-9 and -. It is part of every key in the store."))),
    like("web-1", plain("replica", Kind::text, field<&Cluster::replica>,
                        "The name of this replica, for people. Without it, the name of the host.")),
    number("lease", Kind::duration, field<&Cluster::lease>, 2'000, 60'000,
           "A replica that has given no sign of life for this time, in whole seconds, is lost, and "
           "another one may keep its queues. A replica that cannot reach the store grants nothing "
           "after 0.9 of it.",
           {}),
    number("idle_after", Kind::duration, field<&Cluster::idle_after>, 100, 3'600'000,
           "A queue without a request for this time is written down as idle: a crash then costs no "
           "more than the lease. never: each crash of its keeper needs the word.",
           "never"),
    required(nested("store", Kind::section, Section::cluster_store, part<&Cluster::store>,
                    "The etcd that holds the state of the lines.")),
    required(nested("peer", Kind::section, Section::cluster_peer, part<&Cluster::peer>,
                    "How the replicas reach each other. Requests of a clustered queue go to the "
                    "replica that keeps it.")),
};

constexpr std::array peer_rows{
    like("\"0.0.0.0:8081\"",
         required(plain("listen", Kind::address, field_by<read_address, &ClusterPeer::listen>,
                        "The address for the other replicas, on a port of its own, no unix socket. "
                        "Clients must not reach it."))),
    like("\"${POD_IP:-127.0.0.1}:8081\"",
         required(plain("advertise", Kind::text, field_by<read_advertised, &ClusterPeer::advertise>,
                        "host:port at which the other replicas reach listen."))),
    like("\"${TICKETGATE_PEER_SECRET:-change-this-secret}\"",
         required_unless(
             "secret_file",
             plain("secret", Kind::text, field_by<read_peer_secret, &ClusterPeer::secret>,
                   "What a replica shows to the others, the same in all of them: at "
                   "least 16 characters."))),
    like("/etc/ticketgate/peer.secret",
         instead_of("secret", "secret_file", Kind::body_file,
                    "A file with the secret, relative to this file.")),
    commented(nested("tls", Kind::section, Section::peer_tls, part<&ClusterPeer::tls>,
                     "TLS between replicas, for a network that others can listen to. Each replica "
                     "proves itself with its certificate. Set it in all replicas or in none.")),
};

constexpr std::array peer_tls_rows{
    like("/etc/ticketgate/replica.pem",
         required(plain("certificate", Kind::file, field<&PeerTls::certificate>,
                        "A PEM file with this replica's certificate, for servers and for clients, "
                        "which names the host that it advertises, relative to this file. A reload "
                        "reads the files again."))),
    like("/etc/ticketgate/replica-key.pem",
         required(plain("key", Kind::file, field<&PeerTls::key>, "The private key of it."))),
    like("/etc/ticketgate/replicas-ca.pem",
         required(plain("ca_file", Kind::file, field<&PeerTls::ca_file>,
                        "A PEM file with the CAs that sign the certificates of all replicas."))),
    like("replica.internal",
         plain("server_name", Kind::text, field<&PeerTls::server_name>,
               "The name that must be in each replica's certificate. Without it, the host of its "
               "address.")),
};

constexpr std::array store_rows{
    like("[\"http://127.0.0.1:2379\"]",
         required(plain("endpoints", Kind::endpoints, field_by<read_endpoints, &Store::endpoints>,
                        "1 to 9 of http://host:port or https://host:port, all of one etcd, version "
                        "3.4 or later. They are tried in turn."))),
    like("ticketgate", plain("username", Kind::text, field<&Store::username>,
                             "The user, for an etcd with authentication. Needs password.")),
    like("\"${ETCD_PASSWORD}\"",
         plain("password", Kind::text, field<&Store::password>, "Its password. Needs username.")),
    like("/etc/ticketgate/etcd.password",
         instead_of("password", "password_file", Kind::body_file,
                    "A file with the password, relative to this file.")),
    like("/etc/ticketgate/etcd-ca.pem",
         plain("ca_file", Kind::file, field<&Store::ca_file>,
               "For https: a PEM file with the CAs that may sign the etcd's certificate, relative "
               "to this file. Without it, the system's CAs.")),
    like("/etc/ticketgate/etcd-client.pem",
         plain("certificate", Kind::file, field<&Store::certificate>,
               "For https: a PEM file with ticketgate's own certificate, for an etcd that asks for "
               "one. Needs key.")),
    like("/etc/ticketgate/etcd-client-key.pem",
         plain("key", Kind::file, field<&Store::key>, "The private key of certificate.")),
    number("timeout", Kind::duration, field<&Store::timeout>, 100, 20'000,
           "The longest time of one call of the store, at most a third of lease: one that is not "
           "answered must leave time for the next.",
           {}),
};

}  // namespace

constinit const std::span<const Key> cluster_keys = cluster_rows;
constinit const std::span<const Key> cluster_store_keys = store_rows;
constinit const std::span<const Key> cluster_peer_keys = peer_rows;
constinit const std::span<const Key> peer_tls_keys = peer_tls_rows;

}  // namespace ticketgate::config

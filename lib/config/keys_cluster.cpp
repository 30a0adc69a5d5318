#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

using Store = ClusterStore;

constexpr std::array cluster_rows{
    like("shop",
         required(plain("name", Kind::text, field_by<read_cluster_name, &Cluster::name>,
                        "The name of the cluster, the same in all its processes: 1 to 63 of a-z, "
                        "0-9 and -. It is part of every key in the store."))),
    required(nested("store", Kind::section, Section::cluster_store, part<&Cluster::store>,
                    "The etcd that holds the state of the lines.")),
};

constexpr std::array store_rows{
    like("[\"http://127.0.0.1:2379\"]",
         required(plain("endpoints", Kind::endpoints, field_by<read_endpoints, &Store::endpoints>,
                        "1 to 9 of http://host:port or https://host:port, all of one etcd, version "
                        "3.4 or later. They are tried in turn."))),
    like("ticketgate", plain("username", Kind::text, field<&Store::username>,
                             "The user, for an etcd with authentication.")),
    like("\"${ETCD_PASSWORD}\"",
         plain("password", Kind::text, field<&Store::password>, "Its password.")),
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
               "one.")),
    like("/etc/ticketgate/etcd-client-key.pem",
         plain("key", Kind::file, field<&Store::key>, "The private key of certificate.")),
    number("timeout", Kind::duration, field<&Store::timeout>, 100, 20'000,
           "The longest time of one call of the store.", {}),
};

}  // namespace

constinit const std::span<const Key> cluster_keys = cluster_rows;
constinit const std::span<const Key> cluster_store_keys = store_rows;

}  // namespace ticketgate::config

// The rows of each section. Only for keys.cpp; all other code uses keys_of().
#pragma once

#include <span>

#include "config/keys.hpp"

namespace ticketgate::config {

extern const std::span<const Key> top_keys;

// keys_listen.cpp
extern const std::span<const Key> listen_keys;
extern const std::span<const Key> listen_tls_keys;
extern const std::span<const Key> certificate_keys;
extern const std::span<const Key> admin_keys;

// keys_upstream.cpp
extern const std::span<const Key> upstream_keys;
extern const std::span<const Key> upstream_tls_keys;
extern const std::span<const Key> fcgi_keys;
extern const std::span<const Key> fcgi_status_keys;

// keys_workers.cpp
extern const std::span<const Key> workers_keys;

// keys_files.cpp
extern const std::span<const Key> files_keys;
extern const std::span<const Key> file_io_keys;

// keys_route.cpp
extern const std::span<const Key> settings_keys;
extern const std::span<const Key> answer_keys;
extern const std::span<const Key> route_keys;

// keys_ids.cpp
extern const std::span<const Key> ids_keys;
extern const std::span<const Key> id_keys;
extern const std::span<const Key> machine_keys;
extern const std::span<const Key> route_ids_keys;
extern const std::span<const Key> route_id_keys;

extern const std::span<const Key> queue_keys;
extern const std::span<const Key> clients_keys;
extern const std::span<const Key> spool_keys;
extern const std::span<const Key> id_service_keys;

// keys_cluster.cpp
extern const std::span<const Key> cluster_keys;
extern const std::span<const Key> cluster_store_keys;
extern const std::span<const Key> cluster_peer_keys;
extern const std::span<const Key> peer_tls_keys;

// keys_tracing.cpp
extern const std::span<const Key> tracing_keys;

extern const std::span<const Key> log_keys;

}  // namespace ticketgate::config

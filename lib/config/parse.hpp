// Parses nodes into a Config, and checks each key by itself. Never stops at a problem: the result
// is then incomplete, and serves only to find further problems. The table in keys_*.cpp maps keys
// to fields; the functions here read keys that fill more than one field.
#pragma once

#include "config/config.hpp"
#include "config/nested.hpp"
#include "config/section.hpp"

namespace ticketgate::config {

/// Adds to `text_files` the bodies and secrets that the keys name.
Config parse(const Node& root, const std::filesystem::path& folder, Problems& problems,
             std::vector<std::string>& text_files);

/// Reads `admin:` into `config.admin` and its token; null: it is not in the file.
void parse_admin(const Entry* entry, Config& config, Reading& reading);

/// Sections with checks of their own.
void parse_section(SectionReader& section, Upstream& out);         // parse_upstream.cpp
void parse_section(SectionReader& section, Fcgi& out);             // parse_upstream.cpp
void parse_section(SectionReader& section, Workers& out);          // parse_workers.cpp
void parse_section(SectionReader& section, FilesOverrides& out);   // parse_files.cpp
void parse_section(SectionReader& section, AnswerOverrides& out);  // parse_route.cpp
void parse_section(SectionReader& section, Id& out);               // parse_ids.cpp
void parse_section(SectionReader& section, IdOverrides& out);      // parse_ids.cpp
void parse_section(SectionReader& section, IdService& out);        // parse_id_service.cpp
void parse_section(SectionReader& section, ClusterStore& out);     // parse_cluster.cpp
void parse_section(SectionReader& section, ClusterPeer& out);      // parse_cluster.cpp
void parse_section(SectionReader& section, Cluster& out);          // parse_cluster.cpp
void parse_section(SectionReader& section, Tracing& out);          // parse_tracing.cpp

/// Read single keys that fill several fields. parse_listen.cpp
bool read_address(const Value& value, Listen& out);
bool read_listens(const Value& value, std::vector<Listen>& out);
bool read_certificates(const Value& value, std::vector<CertificateFiles>& out);
bool read_admin(const Value& value, Config& out);
bool read_admin_address(const Value& value, Config& out);

/// parse_upstream.cpp
bool read_url(const Value& value, Upstream& out);
bool read_status_url(const Value& value, FcgiStatus& out);
bool read_status_path(const Value& value, FcgiStatus& out);
bool read_root(const Value& value, Fcgi& out);

/// Reads the key `secret`_file of the section, if it is there, in place of the key `secret`, whose
/// value is `out`. parse_secret.cpp
void read_secret_file(SectionReader& section, const std::string& secret, std::string& out);
/// Reports a secret with control characters, which no client could send in a line. Its place is
/// that of the key `name`.
void check_secret(SectionReader& section, const std::string& name, const std::string& secret);

/// parse_cluster.cpp
bool read_cluster_name(const Value& value, std::string& out);
bool read_endpoints(const Value& value, std::vector<std::string>& out);
bool read_advertised(const Value& value, std::string& out);
bool read_peer_secret(const Value& value, std::string& out);
bool read_token(const Value& value, std::optional<std::string>& out);

/// parse_tracing.cpp
bool read_share(const Value& value, Share& out);
bool read_collector(const Value& value, CollectorUrl& out);

/// Checks that an upstream has a url, or workers and what they need. parse_workers.cpp
void check_workers(SectionReader& section, Upstream& out);

/// What a route asks of a request besides its path. parse_conditions.cpp
bool read_hosts(const Value& value, std::vector<std::string>& out);
bool read_listener_names(const Value& value, std::vector<std::string>& out);
bool read_filled_list(const Value& value, std::vector<std::string>& out);
bool read_header_conditions(const Value& value, std::vector<HeaderCondition>& out);

/// Reads `routes:` at all levels, in file order. parse_route.cpp
bool read_routes(const Value& value, std::vector<RouteNode>& out);

}  // namespace ticketgate::config

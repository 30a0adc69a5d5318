#include "config/keys.hpp"

#include <algorithm>
#include <array>

#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

struct Table {
    std::string_view name;  // in the schema
    const std::span<const Key>* keys;
};

// In the order of enum Section.
constexpr std::array tables{
    Table{"config", &top_keys},
    Table{"listen", &listen_keys},
    Table{"listen_tls", &listen_tls_keys},
    Table{"certificate", &certificate_keys},
    Table{"admin", &admin_keys},
    Table{"upstream", &upstream_keys},
    Table{"upstream_tls", &upstream_tls_keys},
    Table{"fastcgi", &fcgi_keys},
    Table{"fastcgi_status", &fcgi_status_keys},
    Table{"workers", &workers_keys},
    Table{"files", &files_keys},
    Table{"file_io", &file_io_keys},
    Table{"queue", &queue_keys},
    Table{"settings", &settings_keys},
    Table{"answer", &answer_keys},
    Table{"route", &route_keys},
    Table{"clients", &clients_keys},
    Table{"spool", &spool_keys},
    Table{"ids", &ids_keys},
    Table{"id", &id_keys},
    Table{"machine", &machine_keys},
    Table{"route_ids", &route_ids_keys},
    Table{"route_id", &route_id_keys},
    Table{"id_service", &id_service_keys},
    Table{"cluster", &cluster_keys},
    Table{"cluster_store", &cluster_store_keys},
    Table{"cluster_peer", &cluster_peer_keys},
    Table{"peer_tls", &peer_tls_keys},
    Table{"tracing", &tracing_keys},
    Table{"log", &log_keys},
};
static_assert(tables.size() == section_count);

const Table& table_of(Section section) {
    return tables[static_cast<std::size_t>(section)];
}

}  // namespace

std::span<const Key> keys_of(Section section) {
    return *table_of(section).keys;
}

std::string_view name_of(Section section) {
    return table_of(section).name;
}

const Key* find_key(Section section, std::string_view name) {
    const auto keys = keys_of(section);
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

std::string default_of(const Key& key) {
    const Binding& field = key.bound.field;
    if (key.kind == Kind::section_or_off) return "off";
    if (key.kind == Kind::body || key.kind == Kind::page) return "null";
    if (key.required || key.varies || field.spell == nullptr) return {};
    return field.spell(key, field.make().get());
}

}  // namespace ticketgate::config

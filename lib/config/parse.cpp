#include "config/parse.hpp"

#include "config/nested.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

void parse_queue(SectionReader& section, Queue& out) {
    section.read("max_in_flight", out.max_in_flight);
    section.read("order", out.order);
    section.read("hold_timeout", out.hold_timeout);
    section.read("on_hold_timeout", out.on_hold_timeout);
    section.read("release", out.release);
}

void parse_clients(SectionReader& section, Clients& out) {
    section.read("max_connections", out.max_connections);
    section.read("max_connections_per_client", out.max_connections_per_client);
    section.read("max_requests", out.max_requests);
    section.read("max_head", out.max_head);
    section.read("max_uri", out.max_uri);
    section.read("max_headers", out.max_headers);
    section.read("max_input", out.max_input);
    section.read("head_timeout", out.head_timeout);
    section.read("idle_timeout", out.idle_timeout);
    section.read("write_timeout", out.write_timeout);
    section.read("linger_time", out.linger_time);
    section.read("linger_timeout", out.linger_timeout);
    section.read("unusual_names", out.unusual_names);
    section.read("trusted_proxies", out.trusted_proxies);
    section.read("address_headers", out.address_headers);
    section.read("path_headers", out.path_headers);
}

void parse_spool(SectionReader& section, Spool& out) {
    section.read("memory_per_body", out.memory_per_body);
    section.read("max_memory", out.max_memory);
    section.read("max_disk", out.max_disk);
    section.read("directory", out.directory);
}

void parse_log(SectionReader& section, Log& out) {
    section.read("access", out.access);
    section.read("access_file", out.access_file);
    section.read("level", out.level);
    section.read("max_buffer", out.max_buffer);
}

std::optional<Listen> take_address(SectionReader& section) {
    const Entry* address = section.take("address");
    if (address == nullptr) return std::nullopt;
    std::string why = address->value.kind == Node::Kind::scalar ? "" : "expected text";
    auto listen = why.empty() ? parse_address(address->value.text, why) : std::nullopt;
    if (!listen)
        section.reading().problems.error(address->value.mark, section.path_of("address"),
                                         "\"" + address->value.text + "\": " + why);
    return listen;
}

// False: it is no map, which is told.
bool expect_address(const Node& node, const std::string& path, Reading& reading) {
    if (node.kind == Node::Kind::map) return true;
    const auto shown = node.kind == Node::Kind::scalar ? node.text : "0.0.0.0:8080";
    reading.problems.error(
        node.mark, path,
        "expected {address: \"" + shown + "\"}; here is " + std::string(name_of(node.kind)));
    return false;
}

void parse_certificates(SectionReader& above, std::vector<CertificateFiles>& out) {
    const Entry* entry = above.take("certificates");
    if (entry == nullptr) return;
    const Node& list = entry->value;
    const auto path = above.path_of("certificates");
    if (list.kind != Node::Kind::list || list.items.empty())
        return above.reading().problems.error(
            list.mark, path, "expected a list: [{certificate: chain.pem, key: key.pem}]");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const auto item = path + "[" + std::to_string(i) + "]";
        if (list.items[i].kind != Node::Kind::map) {
            above.reading().problems.error(list.items[i].mark, item,
                                           "expected {certificate: chain.pem, key: key.pem}");
            continue;
        }
        SectionReader section(list.items[i], Section::certificate, item, above.reading());
        CertificateFiles files;
        section.read("certificate", files.certificate);
        section.read("key", files.key);
        out.push_back(std::move(files));
    }
}

void parse_listen_tls(SectionReader& section, ListenTls& out) {
    parse_certificates(section, out.certificates);
    section.read("min_version", out.min_version);
    section.read("client_ca", out.client_ca);
    section.read("client_auth", out.client_auth);
}

std::optional<Listen> parse_listen(const Node& node, const std::string& path, Reading& reading) {
    if (!expect_address(node, path, reading)) return std::nullopt;
    SectionReader section(node, Section::listen, path, reading);
    auto listen = take_address(section);
    bool proxy_protocol = false;
    section.read("proxy_protocol", proxy_protocol);
    if (listen) listen->proxy_protocol = proxy_protocol;
    parse_map(section, "tls", Section::listen_tls, [&](auto& s) {
        ListenTls tls;
        parse_listen_tls(s, tls);
        if (listen) listen->tls = std::move(tls);
    });
    return listen;
}

void parse_listens(SectionReader& top, std::vector<Listen>& out) {
    const Entry* entry = top.take("listen");
    if (entry == nullptr) return;
    const Node& list = entry->value;
    if (list.kind != Node::Kind::list || list.items.empty()) {
        top.reading().problems.error(list.mark, "listen",
                                     "expected a list of addresses: [{address: \"0.0.0.0:8080\"}]");
        return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const auto path = "listen[" + std::to_string(i) + "]";
        if (auto listen = parse_listen(list.items[i], path, top.reading()))
            out.push_back(*std::move(listen));
    }
}

// As for the keys of TLS.
void warn_of_readers(const Value& file) {
    const auto name = file.reading.folder / file.node.text;
    std::error_code error;
    const auto mode = std::filesystem::status(name, error).permissions();
    if (error || (mode & std::filesystem::perms::others_read) == std::filesystem::perms::none)
        return;
    file.reading.problems.warn(
        file.node.mark, file.path,
        name.string() + ": everybody on this machine can read the token; chmod o-r");
}

// `token_file` holds the token; a line end behind it does not count.
void parse_token(SectionReader& section, std::string& out) {
    section.read("token", out);
    const bool given = !out.empty();
    const Entry* file = section.take("token_file");
    if (file != nullptr) {
        const auto path = section.path_of("token_file");
        const Value value{file->value, section.key("token_file"), path, section.reading()};
        if (given) {
            (void)value.fail("stands beside token; keep one of them");
        } else if (read_body_file(value, out)) {
            while (out.ends_with('\n') || out.ends_with('\r')) out.pop_back();
            if (out.empty()) (void)value.fail("the file holds no token");
            warn_of_readers(value);
        }
    }
    if (out.size() > 255)
        section.reading().problems.error(
            section.reading().marks[section.path_of(given ? "token" : "token_file")],
            section.path_of(given ? "token" : "token_file"), "a token has at most 255 bytes");
}

void parse_id_service(SectionReader& top, std::optional<IdService>& out) {
    const Entry* entry = top.take("id_service");
    if (entry == nullptr || is_off(entry->value)) return;
    if (!has_map(entry, top.key("id_service"), "id_service", top.reading())) return;
    SectionReader section(entry->value, Section::id_service, "id_service", top.reading());
    IdService service;
    if (auto address = take_address(section)) service.address = *std::move(address);
    section.read("datacenter", service.datacenter);
    section.read("worker", service.worker);
    parse_token(section, service.token);
    section.read("state_file", service.state_file);
    section.read("max_connections", service.max_connections);
    section.read("max_connections_per_client", service.max_connections_per_client);
    section.read("login_timeout", service.login_timeout);
    section.read("idle_timeout", service.idle_timeout);
    section.read("write_timeout", service.write_timeout);
    section.read("clock_wait", service.clock_wait);
    out = std::move(service);
}

}  // namespace

void parse_admin(const Entry* entry, Config& config, Reading& reading) {
    if (entry == nullptr || is_off(entry->value)) return;
    if (!expect_address(entry->value, "admin", reading)) return;
    SectionReader section(entry->value, Section::admin, "admin", reading);
    config.admin = take_address(section);
    section.read("token", config.admin_token);
    section.read("max_connections", config.admin_limits.max_connections);
    section.read("read_timeout", config.admin_limits.read_timeout);
    section.read("write_timeout", config.admin_limits.write_timeout);
}

Config parse(const Node& root, const std::filesystem::path& folder, Problems& problems) {
    Config config;
    Reading reading{problems, folder, config.marks};
    if (root.kind != Node::Kind::map) {
        problems.error(root.mark, "",
                       "expected a map of keys such as listen:, upstreams: and routes:");
        return config;
    }
    SectionReader top(root, Section::top, "", reading);
    parse_listens(top, config.listen);
    parse_admin(top.take("admin"), config, reading);
    top.read("threads", config.threads);
    parse_named(top, "upstreams", Section::upstream, config.upstreams, parse_upstream);
    parse_named(top, "queues", Section::queue, config.queues, parse_queue);
    parse_map(top, "defaults", Section::settings,
              [&](SectionReader& section) { parse_settings(section, config.defaults); });
    parse_routes(top.take("routes"), "routes", -1, config.routes, reading);
    top.read("route_cache", config.route_cache);
    parse_map(top, "clients", Section::clients, [&](auto& s) { parse_clients(s, config.clients); });
    parse_map(top, "spool", Section::spool, [&](auto& s) { parse_spool(s, config.spool); });
    parse_map(top, "ids", Section::ids, [&](auto& s) { parse_ids(s, config.ids); });
    parse_id_service(top, config.id_service);
    parse_map(top, "log", Section::log, [&](auto& s) { parse_log(s, config.log); });
    top.read("drain_timeout", config.drain_timeout);
    return config;
}

}  // namespace ticketgate::config

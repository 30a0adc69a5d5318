#include "config/parse.hpp"

#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

// A key whose value is empty in the file (`clients:` and nothing below) is as good as no key,
// unless required.
bool has_map(const Entry* entry, const Key& key, const std::string& path, Reading& reading) {
    if (entry == nullptr || (entry->value.kind == Node::Kind::null && !key.required)) return false;
    if (entry->value.kind == Node::Kind::map) return true;
    reading.problems.error(
        entry->value.mark, path,
        "expected " + expected(key) + "; here is " + std::string(name_of(entry->value.kind)));
    return false;
}

template <class Read>
void parse_map(SectionReader& above, std::string_view name, Section section, Read use) {
    const Entry* entry = above.take(name);
    const auto path = above.path_of(name);
    if (!has_map(entry, *find_key(Section::top, name), path, above.reading())) return;
    SectionReader reader(entry->value, section, path, above.reading());
    use(reader);
}

// `upstreams:` and `queues:`: each name once, each value a map (or nothing: all defaults).
template <class T, class Read>
void parse_named(SectionReader& above, std::string_view name, Section section,
                 std::map<std::string, T>& out, Read use) {
    const Entry* entry = above.take(name);
    const Key& key = *find_key(Section::top, name);
    Reading& reading = above.reading();
    if (!has_map(entry, key, above.path_of(name), reading)) return;
    for (const Entry& each : entry->value.entries) {
        const auto path = join(above.path_of(name), each.key);
        reading.marks[path] = each.mark;
        if (!is_name(each.key) || each.key == "off")
            reading.problems.error(each.mark, path,
                                   "not a name: 1 to 64 of A-Z a-z 0-9 _ . - and not off");
        T& made = out[each.key];
        const Node empty{
            .kind = Node::Kind::map, .text = {}, .mark = each.mark, .items = {}, .entries = {}};
        const bool nothing = each.value.kind == Node::Kind::null;
        if (!nothing && each.value.kind != Node::Kind::map) {
            reading.problems.error(
                each.value.mark, path,
                "expected a map; here is " + std::string(name_of(each.value.kind)));
            continue;
        }
        SectionReader reader(nothing ? empty : each.value, section, path, reading);
        use(reader, made);
    }
}

void parse_upstream(SectionReader& section, Upstream& out) {
    if (const Entry* url = section.take("url")) {
        std::string why;
        if (url->value.kind != Node::Kind::scalar)
            why = "expected http://host:port or unix:/path";
        else
            (void)parse_url(url->value.text, out, why);  // false exactly when it gives a reason
        if (!why.empty())
            section.reading().problems.error(url->value.mark, section.path_of("url"),
                                             "\"" + url->value.text + "\": " + why);
    }
    section.read("max_idle", out.max_idle);
    section.read("idle_timeout", out.idle_timeout);
}

void parse_queue(SectionReader& section, Queue& out) {
    section.read("max_in_flight", out.max_in_flight);
    section.read("order", out.order);
    section.read("hold_timeout", out.hold_timeout);
    section.read("on_hold_timeout", out.on_hold_timeout);
}

void parse_clients(SectionReader& section, Clients& out) {
    section.read("max_connections", out.max_connections);
    section.read("max_requests", out.max_requests);
    section.read("max_head", out.max_head);
    section.read("max_uri", out.max_uri);
    section.read("max_headers", out.max_headers);
    section.read("head_timeout", out.head_timeout);
    section.read("idle_timeout", out.idle_timeout);
    section.read("write_timeout", out.write_timeout);
    section.read("trusted_proxies", out.trusted_proxies);
}

void parse_spool(SectionReader& section, Spool& out) {
    section.read("memory_per_body", out.memory_per_body);
    section.read("max_memory", out.max_memory);
    section.read("max_disk", out.max_disk);
    section.read("directory", out.directory);
}

void parse_ids(SectionReader& section, Ids& out) {
    section.read("request_id_header", out.request_id_header);
    section.read("unique_id_headers", out.unique_id_headers);
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

std::optional<Listen> parse_listen(const Node& node, const std::string& path, Reading& reading) {
    if (!expect_address(node, path, reading)) return std::nullopt;
    SectionReader section(node, Section::address, path, reading);
    return take_address(section);
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

void parse_admin(SectionReader& top, Config& config) {
    const Entry* entry = top.take("admin");
    if (entry == nullptr || is_off(entry->value)) return;
    if (!expect_address(entry->value, "admin", top.reading())) return;
    SectionReader section(entry->value, Section::admin, "admin", top.reading());
    config.admin = take_address(section);
    section.read("token", config.admin_token);
}

}  // namespace

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
    parse_admin(top, config);
    top.read("threads", config.threads);
    parse_named(top, "upstreams", Section::upstream, config.upstreams, parse_upstream);
    parse_named(top, "queues", Section::queue, config.queues, parse_queue);
    parse_map(top, "defaults", Section::settings,
              [&](SectionReader& section) { parse_settings(section, config.defaults); });
    parse_routes(top.take("routes"), "routes", -1, config.routes, reading);
    parse_map(top, "clients", Section::clients, [&](auto& s) { parse_clients(s, config.clients); });
    parse_map(top, "spool", Section::spool, [&](auto& s) { parse_spool(s, config.spool); });
    parse_map(top, "ids", Section::ids, [&](auto& s) { parse_ids(s, config.ids); });
    parse_map(top, "log", Section::log, [&](auto& s) { parse_log(s, config.log); });
    top.read("drain_timeout", config.drain_timeout);
    return config;
}

}  // namespace ticketgate::config

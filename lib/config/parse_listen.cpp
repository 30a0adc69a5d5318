// Parses the addresses of listeners: for clients and for the operator.
#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// Returns false if the node is not a map, and reports it with the given address, or a usual one.
bool expect_address(const Node& node, const std::string& path, const std::string& usual,
                    Reading& reading) {
    if (node.kind == Node::Kind::map) return true;
    std::string unused;
    const bool given = node.kind == Node::Kind::scalar && parse_address(node.text, unused);
    const auto& shown = given ? node.text : usual;
    reading.problems.error(
        node.mark, path,
        "expected {address: \"" + shown + "\"}; here is " + std::string(name_of(node.kind)));
    return false;
}

bool has_items(const Value& value, const char* example) {
    if (value.node.kind == Node::Kind::list && !value.node.items.empty()) return true;
    return value.fail(std::string("expected a list") + example);
}

}  // namespace

bool read_address(const Value& value, Listen& out) {
    std::string why = value.node.kind == Node::Kind::scalar ? "" : "expected text";
    const auto address = why.empty() ? parse_address(value.node.text, why) : std::nullopt;
    if (!address) return value.fail("\"" + value.node.text + "\": " + why);
    out.address = address->address;
    out.host = address->host;
    out.port = address->port;
    out.unix_path = address->unix_path;
    return true;
}

bool read_listens(const Value& value, std::vector<Listen>& out) {
    if (!has_items(value, " of addresses: [{address: \"0.0.0.0:8080\"}]")) return false;
    for (std::size_t i = 0; i < value.node.items.size(); ++i) {
        const auto path = value.item_path(i);
        Listen& listen = out.emplace_back();  // also of a wrong one: positions are paths
        if (!expect_address(value.node.items[i], path, "0.0.0.0:8080", value.reading)) continue;
        SectionReader section(value.node.items[i], value.key.section, path, value.reading);
        section.read_all(listen);
    }
    return true;
}

bool read_certificates(const Value& value, std::vector<CertificateFiles>& out) {
    if (!has_items(value, ": [{certificate: chain.pem, key: key.pem}]")) return false;
    for (std::size_t i = 0; i < value.node.items.size(); ++i) {
        const Node& item = value.node.items[i];
        CertificateFiles& files = out.emplace_back();
        if (item.kind != Node::Kind::map) {
            value.reading.problems.error(item.mark, value.item_path(i),
                                         "expected {certificate: chain.pem, key: key.pem}");
            continue;
        }
        SectionReader section(item, value.key.section, value.item_path(i), value.reading);
        section.read_all(files);
    }
    return true;
}

bool read_admin_address(const Value& value, Config& out) {
    Listen listen;
    if (!read_address(value, listen)) return false;
    out.admin = std::move(listen);
    return true;
}

bool read_admin(const Value& value, Config& out) {
    if (is_off(value.node)) return true;
    if (!expect_address(value.node, value.path, "127.0.0.1:9901", value.reading)) return false;
    SectionReader section(value.node, value.key.section, value.path, value.reading);
    section.read_all(out);
    check_secret(section, "token", out.admin_token);
    return true;
}

void parse_admin(const Entry* entry, Config& config, Reading& reading) {
    const std::string path = "admin";
    if (entry != nullptr)
        (void)read_admin({entry->value, *find_key(Section::top, path), path, reading}, config);
}

}  // namespace ticketgate::config

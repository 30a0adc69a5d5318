#include "proxy/stamp.hpp"

#include <algorithm>

#include "base/milliseconds.hpp"
#include "base/text.hpp"
#include "cluster/forward.hpp"
#include "http/host.hpp"
#include "net/endpoint.hpp"
#include "net/stream.hpp"
#include "proxy/identify.hpp"

namespace ticketgate {
namespace {

void line(std::string& out, std::string_view name, std::string_view value) {
    append_all(out, name, ": ", value, "\r\n");
}

void id_lines(const config::Ids& ids, const Record& record, std::string& lines) {
    for_each_id(ids, record, [&](const config::Id& id, const ids::Id& value) {
        if (value.empty()) return;
        for (const auto& name : id.headers) line(lines, name, value.view());
    });
}

// A line that another replica has stamped.
void copy_line(const http::RequestHead& head, std::string_view name, std::string& lines) {
    for (const auto& field : head.fields)
        if (iequals(field.name, name)) return line(lines, field.name, field.value);
}

// The client's own id, where it was replaced and `keep_client_in` names a header for it.
void client_id_lines(const config::Ids& ids, const http::RequestHead& head, const Peer& peer,
                     const Record& record, std::string& lines) {
    for_each_id(ids, record, [&](const config::Id& id, const ids::Id& value) {
        if (id.keep_client_in.empty()) return;
        if (peer.replica) return copy_line(head, id.keep_client_in, lines);
        const auto sent = sent_id(head, id);
        if (ids::harmless(sent) && sent != value.view()) line(lines, id.keep_client_in, sent);
    });
}

bool has(const http::RequestHead& head, http::FieldName id) {
    return std::ranges::find(head.fields, id, &http::Field::id) != head.fields.end();
}

// The chain so far, if the peer may speak for others, and the peer itself (RFC 7239 section 7.4
// names the field; each proxy appends the address it got the request from). A peer on a unix socket
// has no address, and backends could not read an invented one.
void forwarded_for(const http::RequestHead& head, const Peer& peer, std::string& lines) {
    const auto begin = lines.size();
    const auto add = [&](std::string_view address) {
        const std::string_view before = lines.size() == begin ? "X-Forwarded-For: " : ", ";
        append_all(lines, before, address);
    };
    if (peer.trusted) {
        for (const auto& field : head.fields)
            if (field.id == http::FieldName::x_forwarded_for && !field.value.empty())
                add(field.value);
    }
    if (peer.ip != net::unix_peer && !peer.replica) add(peer.ip);
    if (lines.size() != begin) lines.append("\r\n");
}

// What a trusted proxy says of its client's scheme, or else the scheme of our connection.
bool https(const http::RequestHead& head, const Peer& peer) {
    if (peer.trusted)
        for (const auto& field : head.fields)
            if (field.id == http::FieldName::x_forwarded_proto)
                return iequals(field.value, "https");
    return peer.https();
}

// A backend makes URLs of it, so it is the client's port, as in SERVER_PORT over FastCGI. A unix
// socket has none.
void forwarded_port(const http::RequestHead& head, const Peer& peer, std::string& lines) {
    if (peer.trusted && has(head, http::FieldName::x_forwarded_port)) return;
    constexpr std::string_view name = "X-Forwarded-Port";
    if (peer.port != 0 && (peer.proxied_port || head.host.empty()))
        line(lines, name, Decimal(peer.port));
    else
        line(lines, name, http::client_port(head.host, https(head, peer)));
}

void via_line(unsigned version, std::string& lines) {
    line(lines, "Via", version == 10 ? "1.0 ticketgate" : "1.1 ticketgate");
}

}  // namespace

void stamp_request(const http::RequestHead& head, const config::Ids& ids, const Peer& peer,
                   const Record& record, std::string_view host_otherwise, std::string& lines) {
    using enum http::FieldName;
    id_lines(ids, record, lines);
    client_id_lines(ids, head, peer, record, lines);
    if (peer.replica) {
        copy_line(head, "X-Request-Start", lines);
    } else {
        append_all(lines, "X-Request-Start: t=", Decimal(record.received.unix_us), "\r\n");
    }
    forwarded_for(head, peer, lines);
    if (!peer.trusted || !has(head, x_forwarded_proto))
        line(lines, "X-Forwarded-Proto", peer.https() ? "https" : "http");
    if (!head.host.empty() && (!peer.trusted || !has(head, x_forwarded_host)))
        line(lines, "X-Forwarded-Host", head.host);
    forwarded_port(head, peer, lines);
    // HTTP/1.1 needs a Host even where an HTTP/1.0 client sent none (RFC 9112 3.2).
    if (head.version == 10 && !has(head, host))
        line(lines, "Host", head.host.empty() ? host_otherwise : head.host);
    via_line(head.version, lines);
}

void stamp_client_certificate(const http::RequestHead& head, const Peer& peer, std::string& lines) {
    const auto [verify, subject, fingerprint] = client_certificate_headers;
    if (peer.replica) {
        for (const auto name : client_certificate_headers) copy_line(head, name, lines);
        return;
    }
    const bool given = peer.secured != nullptr && !peer.secured->client_fingerprint.empty();
    line(lines, verify, given ? "SUCCESS" : "NONE");
    if (!given) return;
    line(lines, subject, peer.secured->client_subject);
    line(lines, fingerprint, peer.secured->client_fingerprint);
}

namespace {

// Of answers that no backend was asked for, there is no time of one.
void timing_line(const Record& record, std::string& lines) {
    const bool queued = !record.queue.empty();
    const bool asked = record.upstream != Duration{0} || record.upstream_status != 0;
    if (!queued && !asked) return;
    const Milliseconds queue(record.queue_wait), upstream(record.upstream);
    append_all(lines, "Server-Timing: ");
    if (queued) append_all(lines, "queue;dur=", queue.whole(), queue.places());
    if (queued && asked) append_all(lines, ", ");
    if (asked) append_all(lines, "upstream;dur=", upstream.whole(), upstream.places());
    append_all(lines, "\r\n");
}

}  // namespace

void stamp_response(const config::Ids& ids, const Record& record, bool server_timing,
                    unsigned version, std::string& lines) {
    id_lines(ids, record, lines);
    via_line(version, lines);
    if (server_timing) timing_line(record, lines);
}

void stamp_place(const Record& record, bool moved, Duration age, std::string& lines) {
    cluster::Place place;
    place.moved = moved;
    place.number = record.number;
    place.position = record.position;
    place.blocked_by = record.blocked_by;
    place.waited = record.queue_wait;
    place.age = age;
    if (record.cluster) place.token = record.cluster->token;
    line(lines, cluster::place_header, cluster::write_place(place));
}

std::string_view upgrade_of(const http::RequestHead& head, const config::Settings& settings) {
    std::string_view chosen;
    if (head.upgrade.empty() || head.framing != http::Framing::none || head.method == "HEAD")
        return chosen;
    for_each_element(head.upgrade, [&](std::string_view asked) {
        for (const auto& known : settings.upgrades)
            if (chosen.empty() && iequals(asked, known)) chosen = asked;
    });
    return chosen;
}

// RFC 6455 4.1 and the EventSource of browsers: both are a GET.
bool bypasses(const http::RequestHead& head, const config::Settings& settings, bool upgrades) {
    if (settings.tunnel != config::Tunnel::bypass || head.method != "GET") return false;
    if (upgrades && !upgrade_of(head, settings).empty()) return true;
    return std::ranges::any_of(head.fields, [](const http::Field& field) {
        return iequals(field.name, "accept") && list_has(field.value, "text/event-stream");
    });
}

// The address in an element of X-Forwarded-For, which may have a port and brackets. Empty: not an
// address, but some text that a client sent and its proxy passed on.
std::string address_in(std::string_view element) {
    const auto bracket = element.starts_with('[') ? element.find(']') : std::string_view::npos;
    const bool one_colon = element.find(':') == element.rfind(':');
    if (bracket != std::string_view::npos)
        element = element.substr(1, bracket - 1);
    else if (one_colon)
        element = element.substr(0, element.find(':'));
    const auto address = net::Endpoint::from_ip(element, 0);
    return address ? address->ip() : std::string();
}

std::string known_client_ip(const http::RequestHead& head, const Peer& peer) {
    if (peer.speaks_for == SpeaksFor::nobody) return {};
    if (!peer.trusted || peer.replica) return peer.ip;
    const http::Field* last = nullptr;
    for (const auto& field : head.fields)
        if (field.id == http::FieldName::x_forwarded_for) last = &field;
    if (last == nullptr) return peer.ip;
    // Where the proxy added nothing behind the last comma, the element before it is a client's.
    return address_in(trim(last->value.substr(last->value.rfind(',') + 1)));
}

std::string client_ip(const http::RequestHead& head, const Peer& peer) {
    std::string ip = known_client_ip(head, peer);
    if (ip.empty()) ip = peer.ip;
    return ip;
}

// The port is the peer's, so it does not hold for a client behind a proxy.
fcgi::Origin origin_of(const Peer& peer, std::string_view client_ip, const Record& record) {
    const std::uint16_t port = client_ip == peer.ip ? peer.from_port : std::uint16_t{0};
    return {client_ip, port, peer.local_ip, peer.port, record.unique_id.view()};
}

void describe(Record& record, const http::RequestHead& head, const Peer& peer) {
    record.client_ip = client_ip(head, peer);
    if (peer.secured == nullptr || peer.replica) return;  // the client has its own connection
    record.tls = peer.secured->version;
    record.tls_cipher = peer.secured->cipher;
    const std::string& subject = peer.secured->client_subject;
    if (!subject.empty()) record.client_certificate = std::make_unique<const std::string>(subject);
}

}  // namespace ticketgate

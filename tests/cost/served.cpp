#include "cost/served.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "config/load.hpp"
#include "config/route_index.hpp"
#include "fcgi/params.hpp"
#include "http/framing.hpp"
#include "http/parser.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "log/access.hpp"
#include "proxy/identify.hpp"
#include "proxy/input.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate::cost {
namespace {

// Limits so large that no head is refused: the work must be small without them.
constexpr http::HeadLimits wide{.max_head = 1 << 20, .max_uri = 1 << 20, .max_headers = 10'000};
const std::vector<std::string> id_names{"unique-id", "x-request-id"};

const config::RouteIndex& routes() {
    static const config::RouteIndex index = [] {
        auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:80\"}]\n"
            "upstreams: {app: {url: \"http://127.0.0.1:81\"}}\n"
            "routes: [{prefix: /, upstream: app, routes: [{prefix: /a, routes: [{prefix: /a/}]}]},"
            " {regex: '\\.php$'}, {regex: '^/a/.*b'}]\n",
            "cost.yaml", config::environment_of({}));
        return config::RouteIndex(*loaded.config);
    }();
    return index;
}

void route(const http::RequestHead& head) {
    const auto path = http::path_of(head.target);
    std::string normal;
    if (!http::normalise_path(path, normal)) return;
    (void)routes().match(normal);
    for (const auto& other : http::other_readings(path)) (void)routes().match(other);
}

void write(const http::RequestHead& head, const Peer& peer) {
    static ids::Generator generator(ids::Machine{}, ids::Lane{0, 1});
    const config::Settings settings;
    Record record;
    identify(settings.ids, &head, peer.trusted ? Sender::trusted : Sender::client, generator,
             record);
    describe(record, head, peer);
    std::string lines, out, params, line;
    stamp_request(head, settings.ids, peer, record, "backend", lines);
    http::RequestEdits edits;
    edits.id_names = id_names;
    edits.added = lines;
    edits.keep_forwarded = peer.trusted;
    edits.keep_unusual = true;
    edits.upgrade = upgrade_of(head, settings);
    (void)bypasses(head, settings, true);
    http::rewrite_request(head, edits, out);
    std::string written;
    const http::RequestHead edited = http::edit_request(head, edits, written);
    const std::string client = client_ip(head, peer);
    const fcgi::Scripts scripts{.root = "/srv"};
    fcgi::append_params(edited, 11, id_names, origin_of(peer, client, record), scripts, {}, params);
    format_json(record, line);
}

}  // namespace

void serve(std::string_view bytes) {
    http::RequestHead head;
    const auto progress = http::parse_request(bytes, wide, head);
    if (!progress || *progress != http::Progress::done) return;
    route(head);
    for (const bool trusted : {false, true})
        write(head, {.ip = "10.0.0.1", .trusted = trusted, .port = 80});
}

void trickle(std::string_view bytes) {
    http::RequestHead head;
    // A session consumes empty lines as they arrive.
    bytes.remove_prefix(http::leading_empty_lines(bytes));
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        const auto progress = http::parse_request(bytes.substr(0, size), wide, head, size - 1);
        if (!progress || *progress == http::Progress::done) return;
    }
}

namespace {

class OneRead final : public net::Stream {
 public:
    explicit OneRead(std::string_view bytes) : bytes_(bytes) {}
    net::IoResult read_some(std::span<char> into) override {
        const std::size_t n = std::min(bytes_.size(), into.size());
        std::memcpy(into.data(), bytes_.data(), n);
        bytes_.remove_prefix(n);
        return {n == 0 ? net::Io::ended : net::Io::ok, n, 0};
    }
    net::IoResult write_some(std::span<const iovec>) override { return {}; }
    void finish_writing() override {}
    void detach() override {}
    void attach(net::Loop&) override {}

 private:
    std::string_view bytes_;
};

}  // namespace

void serve_pipelined(std::string_view heads) {
    InputBudget budget(1 << 20);
    Input input(budget);
    OneRead stream(heads);
    std::vector<char> buffer(heads.size());
    (void)input.read(stream, buffer, buffer.size());
    http::RequestHead head;
    while (!input.empty()) {
        const auto progress = http::parse_request(input.view(), wide, head);
        if (!progress || *progress != http::Progress::done) return;
        input.consume(head.bytes.size());
        input.keep();
    }
}

void relay(std::string_view request) {
    const std::string response =
        "HTTP/1.1 200 OK" +
        std::string(request.substr(std::min(request.find('\r'), request.size())));
    http::ResponseHead head;
    const auto progress = http::parse_response(response, wide, false, head);
    if (!progress || *progress != http::Progress::done) return;
    http::ResponseEdits edits;
    edits.id_names = id_names;
    std::string out;
    http::rewrite_response(head, edits, out);
}

}  // namespace ticketgate::cost

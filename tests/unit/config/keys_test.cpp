// The table of keys against the model, the parser, the reference config and the shipped schema.
#include "config/keys.hpp"

#include <boost/json.hpp>
#include <set>

#include "config/inherit.hpp"
#include "config/schema.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

namespace json = boost::json;

constexpr std::array sections{Section::address,     Section::listen,      Section::listen_tls,
                              Section::certificate, Section::upstream,    Section::upstream_tls,
                              Section::fcgi,        Section::fcgi_status, Section::queue,
                              Section::settings,    Section::answer,      Section::route,
                              Section::clients,     Section::spool,       Section::ids,
                              Section::id,          Section::machine,     Section::route_ids,
                              Section::route_id,    Section::id_service,  Section::log};

std::set<std::string> table_names(Section section) {
    std::set<std::string> names;
    for (const Key& key : keys_of(section)) names.emplace(key.name);
    return names;
}

std::set<std::string> schema_names(const json::value& object) {
    std::set<std::string> names;
    for (const auto& property : object.at("properties").as_object()) names.emplace(property.key());
    return names;
}

// `name: fallback` for every key of a section that has a default, as a flow map.
std::string with_defaults(Section section) {
    std::string out;
    for (const Key& key : keys_of(section)) {
        if (key.fallback.empty()) continue;
        out += (out.empty() ? "" : ", ") + std::string(key.name) + ": " + std::string(key.fallback);
    }
    return "{" + out + "}";
}

TEST(Keys, ShippedSchemaIsTheOneWePrint) {
    EXPECT_EQ(file_text(source_dir + "/config/schema.json"), json_schema())
        << "run: ticketgate schema > config/schema.json";
}

TEST(Keys, SchemaAndParserKnowTheSameOnes) {
    const auto schema = json::parse(json_schema());
    EXPECT_EQ(schema_names(schema), table_names(Section::top));
    for (const Section section : sections) {
        const auto& object = schema.at("$defs").at(name_of(section));
        EXPECT_EQ(schema_names(object), table_names(section)) << name_of(section);
        EXPECT_EQ(object.at("additionalProperties"), json::value(false));
        for (const auto& [name, property] : object.at("properties").as_object())
            EXPECT_FALSE(property.at("description").as_string().empty()) << name;
    }
}

TEST(Keys, EveryReferenceInTheSchemaExists) {
    const auto text = json_schema();
    const auto schema = json::parse(text);
    constexpr std::string_view start = "#/$defs/";
    for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
        const auto name = text.substr(at + start.size(), text.find('"', at) - at - start.size());
        EXPECT_TRUE(schema.at("$defs").as_object().contains(name)) << name;
    }
}

TEST(Keys, DefaultsInTheTableAreThoseOfTheModel) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:80\"}]\nadmin: off\nthreads: 1\ndrain_timeout: 30s\n"
        "upstreams: {app: {url: \"http://h\", max_idle: 64, idle_timeout: 4s}}\n"
        "queues: {q: " +
        with_defaults(Section::queue) + "}\n" + "clients: " + with_defaults(Section::clients) +
        "\n" + "spool: " + with_defaults(Section::spool) + "\n" + "ids: {machine: " +
        with_defaults(Section::machine) + "}" + "\n" + "log: " + with_defaults(Section::log) +
        "\n" + "defaults: " + with_defaults(Section::settings) + "\n" +
        "routes: [{prefix: /, upstream: app, on_full: " + with_defaults(Section::answer) + "}]\n");
    Upstream app;
    app.url = "http://h";
    app.host = "h";
    app.port = 80;
    EXPECT_EQ(config.upstreams.at("app"), app);
    const auto fcgi = good(
        "listen: [{address: \"127.0.0.1:80\"}]\nroutes: [{prefix: /, upstream: a}]\n"
        "upstreams: {a: {url: \"fastcgi://h\", fastcgi: {root: /w, " +
        with_defaults(Section::fcgi).substr(1) + "}}\n");
    Fcgi php;
    php.root = "/w";
    EXPECT_EQ(fcgi.upstreams.at("a").fcgi, php);
    EXPECT_EQ(find_key(Section::fcgi_status, "path")->fallback, FcgiStatus{}.path);
    EXPECT_EQ(config.queues.at("q"), Queue{});
    EXPECT_EQ(config.clients, Clients{});
    EXPECT_EQ(config.spool, Spool{});
    EXPECT_EQ(config.ids, Ids{});
    EXPECT_EQ(config.log, Log{});
    EXPECT_EQ(config.threads, Config{}.threads);
    EXPECT_EQ(config.drain_timeout, Config{}.drain_timeout);
    EXPECT_FALSE(config.admin);
    EXPECT_EQ(resolve(Settings{}, config.defaults), Settings{});
    Settings route;
    route.upstream = "app";
    EXPECT_EQ(resolve(Settings{}, config.routes.at(0).overrides), route);
}

TEST(Keys, TopLevelDefaultsAreThoseOfTheModel) {
    EXPECT_EQ(find_key(Section::top, "threads")->fallback, std::to_string(Config{}.threads));
    EXPECT_EQ(find_key(Section::top, "drain_timeout")->fallback, "30s");
    EXPECT_EQ(find_key(Section::top, "admin")->fallback, "off");
    EXPECT_EQ(find_key(Section::upstream, "max_idle")->fallback,
              std::to_string(Upstream{}.max_idle));
    EXPECT_EQ(find_key(Section::upstream, "idle_timeout")->fallback, "4s");
}

TEST(Keys, DefaultsOfTlsAreThoseOfTheModel) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:80\", tls: {certificates: [{certificate: c, key: k}], "
        "min_version: 1.2, client_auth: off}}]\n"
        "upstreams: {app: {url: \"https://h\", tls: " +
        with_defaults(Section::upstream_tls) + "}}\nroutes: [{prefix: /, upstream: app}]\n");
    ListenTls expected;
    expected.certificates = {{"c", "k"}};
    EXPECT_EQ(config.listen.at(0).tls, expected);
    EXPECT_EQ(config.upstreams.at("app").tls, UpstreamTls{});
    EXPECT_EQ(config.upstreams.at("app").port, 443);
}

TEST(Keys, ChoicesStandInTheOrderOfTheirEnumerations) {
    const auto config =
        good(base +
             "queues: {a: {order: arrival, on_hold_timeout: release}, b: {order: ready}}\n"
             "routes: [{prefix: /, queue: a, body_timeout: 1s, client_half_close: stay},\n"
             "         {prefix: /b, queue: b}]\n"
             "log: {access: combined, level: warn}\n");
    EXPECT_EQ(config.queues.at("a").order, Order::arrival);
    EXPECT_EQ(config.queues.at("b").order, Order::ready);
    EXPECT_EQ(config.queues.at("a").on_hold_timeout, OnHoldTimeout::release);
    EXPECT_EQ(config.routes.at(0).overrides.client_half_close.value, HalfClose::stay);
    EXPECT_EQ(config.log.access, AccessFormat::combined);
    EXPECT_EQ(config.log.level, LogLevel::warn);
    const auto tls = good(
        "listen: [{address: \"127.0.0.1:80\", tls: {certificates: [{certificate: c, key: k}], "
        "min_version: 1.3, client_auth: optional, client_ca: a}}]\n"
        "upstreams: {app: {url: \"http://h\"}}\nroutes: [{prefix: /, upstream: app}]\n");
    EXPECT_EQ(tls.listen.at(0).tls->min_version, TlsVersion::v1_3);
    EXPECT_EQ(tls.listen.at(0).tls->client_auth, ClientAuth::optional);
    for (const auto& [word, level] :
         {std::pair{"debug", LogLevel::debug}, std::pair{"info", LogLevel::info},
          std::pair{"error", LogLevel::error}})
        EXPECT_EQ(good(base + one_route + "log: {level: " + word + "}\n").log.level, level);
}

}  // namespace
}  // namespace ticketgate::config

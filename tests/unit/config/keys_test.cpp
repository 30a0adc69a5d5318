// The table of keys: each row against the parser, the model, the schema and the generated files.
#include "config/keys.hpp"

#include <boost/json.hpp>
#include <set>

#include "config/dump.hpp"
#include "config/example.hpp"
#include "config/inherit.hpp"
#include "config/route_index.hpp"
#include "config/schema.hpp"
#include "loading.hpp"
#include "rows.hpp"

namespace ticketgate::config {
namespace {

namespace json = boost::json;

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

const json::value& in_schema(const json::value& schema, Section section) {
    return section == Section::top ? schema : schema.at("$defs").at(name_of(section));
}

// The first line where the shipped file differs from what the program prints; empty: none.
std::string first_difference(const std::string& file, const std::string& printed) {
    std::istringstream ours(file_text(source_dir + "/" + file)), wanted(printed);
    for (int number = 1;; ++number) {
        std::string a, b;
        const bool more = static_cast<bool>(std::getline(ours, a));
        if (more != static_cast<bool>(std::getline(wanted, b)) || a != b)
            return file + ":" + std::to_string(number) + " is \"" + a + "\", printed is \"" + b +
                   "\"";
        if (!more) return "";
    }
}

TEST(Keys, ShippedSchemaIsTheOneWePrint) {
    EXPECT_EQ(first_difference("config/schema.json", json_schema()), "")
        << "run: build/dev/ticketgate schema > config/schema.json";
}

TEST(Keys, ShippedExampleIsTheOneWePrint) {
    EXPECT_EQ(first_difference("config/ticketgate.yaml", example_config()), "")
        << "run: build/dev/ticketgate example > config/ticketgate.yaml";
}

TEST(Keys, ShippedReferencePageIsTheOneWePrint) {
    EXPECT_EQ(first_difference("docs/reference.md", reference_page()), "")
        << "run: build/dev/ticketgate reference > docs/reference.md";
}

TEST(Keys, SchemaAndParserKnowTheSameKeys) {
    const auto schema = json::parse(json_schema());
    for (const Section section : all_sections()) {
        const auto& object = in_schema(schema, section);
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

TEST(Keys, SchemaHasTheBoundsOfTheParser) {
    const auto schema = json::parse(json_schema());
    for_each_key([&](Section section, const Key& key) {
        const bool number =
            key.kind == Kind::count || key.kind == Kind::status || key.kind == Kind::size;
        if (!number) return;
        const auto& property = in_schema(schema, section).at("properties").at(key.name);
        const auto& integer = property.at("anyOf").at(0);
        EXPECT_EQ(integer.at("minimum").to_number<std::uint64_t>(), key.min) << key.name;
        EXPECT_EQ(integer.at("maximum").to_number<std::uint64_t>(), key.max) << key.name;
    });
}

TEST(Keys, ReferencePageHasARowForEachKey) {
    const auto page = reference_page();
    for_each_key([&](Section section, const Key& key) {
        const auto title = section == Section::top ? "top level" : std::string(name_of(section));
        const auto begin = page.find("\n## " + title + "\n");
        ASSERT_NE(begin, std::string::npos) << title;
        const auto chapter = page.substr(begin, page.find("\n## ", begin + 1) - begin);
        const bool of_settings = section == Section::route && find_key(Section::settings, key.name);
        EXPECT_NE(chapter.find("\n| `" + std::string(key.name) + "` | "),
                  of_settings ? 0 : std::string::npos)
            << title << "." << key.name;
    });
}

TEST(Keys, SentencesOfTheTableEndWithAFullStop) {
    for_each_key([](Section section, const Key& key) {
        EXPECT_TRUE(key.why.ends_with('.')) << name_of(section) << "." << key.name;
        EXPECT_EQ(key.why.find('|'), std::string::npos) << key.name << ": breaks a table's row";
    });
}

TEST(Keys, ExplainShowsEverySettingOfARouteAndItsQueue) {
    const auto config = good(base + "routes: [{prefix: /, queue: a}]\n");
    const auto out = explained(config, "GET", "/");
    const auto shown = [&](const std::string& name) {
        EXPECT_NE(out.find("  " + name + " "), std::string::npos) << name;
    };
    for (const Key& key : keys_of(Section::settings)) {
        if (key.bound.inherit != nullptr) shown(std::string(key.name));
        if (key.section != Section::answer) continue;
        for (const Key& part : keys_of(Section::answer))
            if (part.bound.inherit != nullptr)
                shown(std::string(key.name) + "." + std::string(part.name));
    }
    for (const Key& key : keys_of(Section::queue)) shown("queues.a." + std::string(key.name));
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

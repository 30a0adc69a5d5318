#include "config/schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.hpp"
#include "config/kinds.hpp"
#include "config/schema_types.hpp"

namespace ticketgate::config {
namespace {

namespace json = boost::json;

// Converts the text `[a, b]` to JSON.
json::array json_list(std::string_view list) {
    json::array out;
    for_each_element(list.substr(1, list.size() - 2),
                     [&](std::string_view item) { out.push_back(to_json(item)); });
    return out;
}

// Converts a default to text, or to a plain JSON value for the kinds that have one.
json::value json_default(const Key& key, const std::string& text) {
    const bool plain = key.kind == Kind::flag || key.kind == Kind::body || key.kind == Kind::page ||
                       key.kind == Kind::headers || key.kind == Kind::variables ||
                       key.kind == Kind::environment || key.kind == Kind::rlimits ||
                       ((key.kind == Kind::count || key.kind == Kind::status) && text != key.word);
    if (text.starts_with('[')) return json_list(text);
    return plain ? json::parse(text) : json::value(text);
}

json::object property(const Key& key) {
    json::object out{{"description", to_json(key.why)}};
    if (const auto text = default_of(key); !text.empty()) out["default"] = json_default(key, text);
    for (auto& [name, value] : row_of(key.kind).schema(key)) out[name] = std::move(value);
    return out;
}

json::object not_both(const char* one, const char* other) {
    return {{"required", json::array{one, other}}};
}

// A prefix, a pattern without routes below it, or conditions alone.
void add_route_rules(json::object& out) {
    json::array any;
    for (const char* key : {"prefix", "regex", "host", "listener", "methods", "from", "header"})
        any.push_back(json::object{{"required", json::array{key}}});
    out["anyOf"] = std::move(any);
    out["not"] = {{"anyOf", json::array{not_both("prefix", "regex"), not_both("regex", "routes")}}};
}

// The rules between the keys of a section.
void add_rules(Section section, json::object& out) {
    if (section == Section::route) add_route_rules(out);
    if (section == Section::answer)
        out["not"] = json::object{
            {"anyOf", json::array{not_both("body", "body_file"), not_both("page", "page_file")}}};
    if (section == Section::upstream)
        out["anyOf"] = json::array{json::object{{"required", json::array{"url"}}},
                                   json::object{{"required", json::array{"workers"}}}};
    if (section == Section::id) out["not"] = not_both("header", "headers");
    if (section == Section::id_service) out["not"] = not_both("token", "token_file");
    if (section == Section::cluster_store) out["not"] = not_both("password", "password_file");
    if (section == Section::cluster_peer) {
        out["not"] = not_both("secret", "secret_file");
        out["anyOf"] = json::array{json::object{{"required", json::array{"secret"}}},
                                   json::object{{"required", json::array{"secret_file"}}}};
    }
    if (section == Section::upstream_tls || section == Section::cluster_store)
        out["dependentRequired"] =
            json::object{{"certificate", json::array{"key"}}, {"key", json::array{"certificate"}}};
}

void add_object(Section section, json::object& out) {
    json::object properties;
    json::array required;
    for (const Key& key : keys_of(section)) {
        properties[to_json(key.name)] = property(key);
        if (key.required && key.unless.empty()) required.push_back(to_json(key.name));
    }
    out["type"] = "object";
    out["additionalProperties"] = false;
    if (!required.empty()) out["required"] = std::move(required);
    add_rules(section, out);
    out["properties"] = std::move(properties);
}

// Prints each property on one line, however long, and enclosing objects member by member.
std::string printed(const json::object& object, const std::string& indent) {
    const std::string inside = indent + "    ";
    std::string out;
    for (const auto& [name, value] : object) {
        const bool wide = name == "properties" || name == "$defs" ||
                          (value.is_object() && value.as_object().contains("properties"));
        out += (out.empty() ? "{\n" : ",\n") + inside + json::serialize(json::value(name)) + ": " +
               (wide ? printed(value.as_object(), inside) : json::serialize(value));
    }
    return out + "\n" + indent + "}";
}

}  // namespace

std::string json_schema() {
    json::object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "ticketgate configuration"}};
    add_object(Section::top, schema);
    json::object sections{{"variable", pattern_schema(R"(\$\{)")}};
    for (std::size_t i = 1; i < section_count; ++i) {
        const auto section = static_cast<Section>(i);
        json::object object;
        add_object(section, object);
        sections[to_json(name_of(section))] = std::move(object);
    }
    schema["$defs"] = std::move(sections);
    return printed(schema, "") + "\n";
}

}  // namespace ticketgate::config

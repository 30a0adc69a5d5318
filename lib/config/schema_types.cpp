#include "config/schema_types.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <utility>

namespace ticketgate::config {
namespace {

namespace json = boost::json;

json::object reference(std::string_view name) {
    return {{"$ref", "#/$defs/" + std::string(name)}};
}

json::object text() {
    return {{"type", "string"}, {"minLength", 1}};
}

// Also accepts text with a variable, for a value that is not text.
json::object or_variable(json::array schemas) {
    schemas.push_back(reference("variable"));
    return {{"anyOf", std::move(schemas)}};
}

json::object with_word(const Key& key, json::object schema) {
    json::array schemas{std::move(schema)};
    if (!key.word.empty()) schemas.push_back(json::object{{"const", to_json(key.word)}});
    return or_variable(std::move(schemas));
}

json::object whole_number(const Key& key) {
    return {{"type", "integer"}, {"minimum", key.min}, {"maximum", key.max}};
}

json::object list(json::object items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

}  // namespace

json::object pattern_schema(std::string_view expression) {
    return {{"type", "string"}, {"pattern", to_json(expression)}};
}

json::object flag_schema(const Key& /*key*/) {
    return or_variable({json::object{{"type", "boolean"}},
                        json::object{{"enum", json::array{"on", "off", "yes", "no"}}}});
}

json::object number_schema(const Key& key) {
    return with_word(key, whole_number(key));
}

json::object share_schema(const Key& /*key*/) {
    return or_variable({json::object{{"type", "boolean"}},
                        json::object{{"enum", json::array{"on", "off"}}},
                        json::object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}});
}

json::object duration_schema(const Key& key) {
    return with_word(key, pattern_schema(R"(^[0-9]+(\.[0-9]+)?(ms|s|m|h)$)"));
}

json::object size_schema(const Key& key) {
    return or_variable(
        {whole_number(key), pattern_schema(R"(^[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|kB|MB|GB)?$)")});
}

json::object choice_schema(const Key& key) {
    json::array words;
    for (auto rest = key.choices; !rest.empty();) {
        const auto word = rest.substr(0, rest.find('|'));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        words.push_back(to_json(word));
        if (word == "off") words.push_back(false);  // YAML 1.1 reads off as false
        if (word[0] >= '0' && word[0] <= '9')
            words.push_back(json::parse(to_json(word)));  // unquoted, it is a number
    }
    return or_variable({json::object{{"enum", std::move(words)}}});
}

json::object text_schema(const Key& /*key*/) {
    return text();
}

json::object text_or_off_schema(const Key& /*key*/) {
    return {{"anyOf", json::array{text(), json::object{{"const", false}}}}};
}

json::object methods_schema(const Key& /*key*/) {
    return list(pattern_schema("^[!#$%&'*+.^_`|~0-9A-Z-]+$"));
}

json::object list_of_text_schema(const Key& /*key*/) {
    return list(text());
}

json::object map_schema(const Key& /*key*/) {
    const json::object value{{"type", json::array{"string", "number"}}};
    return {{"type", "object"}, {"additionalProperties", value}};
}

json::object text_or_list_schema(const Key& /*key*/) {
    json::object items = list(text());
    items["minItems"] = 1;
    return {{"anyOf", json::array{text(), std::move(items)}}};
}

json::object asked_headers_schema(const Key& /*key*/) {
    const auto form = [](const char* name, json::object value) {
        return json::object{{"type", "object"},
                            {"required", json::array{name}},
                            {"additionalProperties", false},
                            {"properties", json::object{{name, std::move(value)}}}};
    };
    const json::array values{json::object{{"type", json::array{"string", "number", "boolean"}}},
                             form("regex", text()),
                             form("present", json::object{{"type", "boolean"}})};
    return {{"type", "object"},
            {"minProperties", 1},
            {"additionalProperties", json::object{{"anyOf", values}}}};
}

json::object body_schema(const Key& /*key*/) {
    return {{"type", json::array{"string", "null"}}};
}

json::object page_schema(const Key& /*key*/) {
    return {{"type", json::array{"string", "boolean", "null"}}};
}

json::object prefix_schema(const Key& /*key*/) {
    return pattern_schema(R"(^(/|\$))");
}

json::object section_schema(const Key& key) {
    return reference(name_of(key.section));
}

json::object section_or_off_schema(const Key& key) {
    return {{"anyOf", json::array{reference(name_of(key.section)),
                                  json::object{{"enum", json::array{false, "off"}}}}}};
}

json::object sections_schema(const Key& key) {
    return {{"type", "array"}, {"minItems", 1}, {"items", reference(name_of(key.section))}};
}

json::object named_schema(const Key& key) {
    const json::array one{reference(name_of(key.section)), json::object{{"type", "null"}}};
    return {{"type", "object"},
            {"propertyNames", json::object{{"pattern", "^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$"}}},
            {"additionalProperties", json::object{{"anyOf", one}}}};
}

}  // namespace ticketgate::config

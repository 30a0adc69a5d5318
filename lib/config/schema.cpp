#include "config/schema.hpp"

#include "base/text.hpp"
#include "config/keys.hpp"

namespace ticketgate::config {
namespace {

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string reference(std::string_view name) {
    return R"({"$ref": "#/$defs/)" + std::string(name) + R"("})";
}

// A value that is not text to begin with may still come from the environment.
std::string or_variable(const std::string& schema) {
    return R"("anyOf": [)" + schema + ", " + reference("variable") + "]";
}

std::string pattern(std::string_view expression) {
    return R"({"type": "string", "pattern": )" + quote(expression) + "}";
}

std::string with_word(const Key& key, std::string schema) {
    if (!key.word.empty()) schema += R"(, {"const": )" + quote(key.word) + "}";
    return or_variable(schema);
}

std::string choices(const Key& key) {
    std::string list;
    for (std::size_t at = 0; at <= key.choices.size();) {
        const auto end = std::min(key.choices.find('|', at), key.choices.size());
        const auto word = key.choices.substr(at, end - at);
        list += (list.empty() ? "" : ", ") + quote(word);
        if (word == "off") list += ", false";  // what YAML 1.1 makes of it
        if (word[0] >= '0' && word[0] <= '9')
            list += ", " + std::string(word);  // unquoted, it is a number
        at = end + 1;
    }
    return or_variable(R"({"enum": [)" + list + "]}");
}

std::string whole_number(const Key& key) {
    return R"({"type": "integer", "minimum": )" + std::to_string(key.min) + R"(, "maximum": )" +
           std::to_string(key.max) + "}";
}

constexpr std::string_view name_pattern = "^[A-Za-z0-9_.-]{1,64}$";

// The inside of the schema of one key, without its description and default.
std::string type_of(const Key& key) {
    switch (key.kind) {
        case Kind::flag:
            return or_variable(R"({"type": "boolean"}, {"enum": ["on", "off", "yes", "no"]})");
        case Kind::count:
        case Kind::status:
            return with_word(key, whole_number(key));
        case Kind::duration:
            return with_word(key, pattern(R"(^[0-9]+(\.[0-9]+)?(ms|s|m|h)$)"));
        case Kind::size:
            return or_variable(whole_number(key) + ", " +
                               pattern(R"(^[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|kB|MB|GB)?$)"));
        case Kind::choice:
            return choices(key);
        case Kind::queue:
            return R"("anyOf": [{"type": "string", "minLength": 1}, {"const": false}])";
        case Kind::methods:
            return R"("type": "array", "items": )" + pattern("^[!#$%&'*+.^_`|~0-9A-Z-]+$");
        case Kind::protocols:
        case Kind::header_names:
        case Kind::networks:
            return R"("type": "array", "items": {"type": "string", "minLength": 1})";
        case Kind::body:
            return R"("type": ["string", "null"])";
        case Kind::headers:
            return R"("type": "object", "additionalProperties": {"type": ["string", "number"]})";
        case Kind::variables:
            return R"("type": "object", "additionalProperties": {"type": ["string", "number"]})";
        case Kind::script:
            return R"("anyOf": [{"type": "string", "minLength": 1}, {"const": false}])";
        case Kind::prefix:
            return R"("type": "string", "pattern": )" + quote(R"(^(/|\$))");
        case Kind::section:
            return R"("$ref": "#/$defs/)" + std::string(name_of(key.section)) + '"';
        case Kind::section_or_off:
            return R"("anyOf": [)" + reference(name_of(key.section)) +
                   R"(, {"enum": [false, "off"]}])";
        case Kind::list:
            return R"("type": "array", "minItems": 1, "items": )" + reference(name_of(key.section));
        case Kind::named:
            return R"("type": "object", "propertyNames": {"pattern": )" + quote(name_pattern) +
                   R"(}, "additionalProperties": {"anyOf": [)" + reference(name_of(key.section)) +
                   R"(, {"type": "null"}]})";
        case Kind::text:
        case Kind::name:
        case Kind::header_name:
        case Kind::address:
        case Kind::url:
        case Kind::fcgi_url:
        case Kind::folder:
        case Kind::file_name:
        case Kind::media_type:
        case Kind::body_file:
        case Kind::file:
        case Kind::regex:
            return R"("type": "string", "minLength": 1)";
    }
    return {};
}

// `[a, b]` as JSON.
std::string json_list(std::string_view list) {
    std::string out;
    for_each_element(list.substr(1, list.size() - 2), [&](std::string_view item) {
        out += (out.empty() ? "" : ", ") + quote(item);
    });
    return "[" + out + "]";
}

// Defaults as text, but for those that are a plain JSON value.
std::string json_default(const Key& key, const std::string& text) {
    const bool json = key.kind == Kind::flag || key.kind == Kind::body ||
                      key.kind == Kind::headers || key.kind == Kind::variables ||
                      ((key.kind == Kind::count || key.kind == Kind::status) && text != key.word);
    if (text.starts_with('[')) return json_list(text);
    return json ? text : quote(text);
}

std::string property(const Key& key) {
    std::string out = "        " + quote(key.name) + R"(: {"description": )" + quote(key.why);
    const auto text = default_of(key);
    if (!text.empty()) out += R"(, "default": )" + json_default(key, text);
    return out + ", " + type_of(key) + "}";
}

std::string object(Section section) {
    std::string properties, required;
    for (const Key& key : keys_of(section)) {
        properties += (properties.empty() ? "" : ",\n") + property(key);
        if (key.required) required += (required.empty() ? "" : ", ") + quote(key.name);
    }
    std::string out = "    \"type\": \"object\",\n    \"additionalProperties\": false,\n";
    if (!required.empty()) out += "    \"required\": [" + required + "],\n";
    if (section == Section::route)
        out += R"(    "oneOf": [{"required": ["prefix"]}, )"
               R"({"required": ["regex"], "not": {"required": ["routes"]}}],)"
               "\n";
    if (section == Section::answer)
        out += "    \"not\": {\"required\": [\"body\", \"body_file\"]},\n";
    if (section == Section::id) out += "    \"not\": {\"required\": [\"header\", \"headers\"]},\n";
    if (section == Section::upstream_tls)
        out +=
            "    \"dependentRequired\": {\"certificate\": [\"key\"], \"key\": "
            "[\"certificate\"]},\n";
    if (section == Section::id_service)
        out += "    \"not\": {\"required\": [\"token\", \"token_file\"]},\n";
    return out + "    \"properties\": {\n" + properties + "\n    }";
}

}  // namespace

std::string json_schema() {
    std::string out =
        "{\n    \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "    \"title\": \"ticketgate configuration\",\n";
    out += object(Section::top) + ",\n    \"$defs\": {\n    \"variable\": " + pattern(R"(\$\{)");
    for (std::size_t i = 1; i < section_count; ++i) {
        const auto section = static_cast<Section>(i);
        out += ",\n    " + quote(name_of(section)) + ": {\n" + object(section) + "\n    }";
    }
    return out + "\n    }\n}\n";
}

}  // namespace ticketgate::config

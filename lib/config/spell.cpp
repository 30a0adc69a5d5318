#include "config/spell.hpp"

#include "base/text.hpp"

namespace ticketgate::config {
namespace {

// Quotes text on one line, truncated if long.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text.substr(0, 60))
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (text.size() > 60) return out + "…\" (" + print_size(text.size()) + ")";
    return out + "\"";
}

}  // namespace

std::string spell(const Key&, const std::string& value) {
    return value;
}

std::string spell(const Key&, bool value) {
    return value ? "true" : "false";
}

std::string spell(const Key&, std::uint16_t value) {
    return std::to_string(value);
}

std::string spell(const Key& key, std::uint32_t value) {
    return value == unlimited ? std::string(key.word) : std::to_string(value);
}

std::string spell(const Key&, Bytes value) {
    return print_size(value);
}

std::string spell(const Key&, milliseconds value) {
    return print_duration(value);
}

std::string spell(const Key&, const Headers& value) {
    std::string out;
    for (const auto& [name, text] : value)
        out += (out.empty() ? "" : ", ") + name + ": " + in_quotes(text);
    return "{" + out + "}";
}

std::string spell(const Key&, const std::vector<HeaderCondition>& value) {
    std::string out;
    for (const auto& one : value) out += (out.empty() ? "" : ", ") + text_of(one);
    return "{" + out + "}";
}

std::string spell(const Key&, const Listen& value) {
    return value.address;
}

std::string spell(const Key&, Share value) {
    if (value.millionths == 0) return "off";
    if (value.millionths >= whole_share) return "on";
    const std::string digits = std::to_string(whole_share + value.millionths).substr(1);
    return "0." + digits.substr(0, digits.find_last_not_of('0') + 1);
}

std::string spell(const Key&, const CollectorUrl& value) {
    return value.url;
}

std::string spell(const Key&, const std::vector<std::string>& value) {
    std::string out;
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + item;
    return "[" + out + "]";
}

std::string spell(const Key&, const std::optional<std::string>& value) {
    return value.value_or("off");
}

std::string spell(const Key&, const std::optional<SharedText>& value) {
    return value ? in_quotes(*value) : "(the default problem document)";
}

std::string spell(const Key&, const Page& value) {
    switch (value.kind) {
        case Page::Kind::off:
            return "off";
        case Page::Kind::on:
            return "on";
        case Page::Kind::own:
            return in_quotes(value.text);
        case Page::Kind::automatic:
            break;
    }
    return "(the built-in page, unless body is set)";
}

std::string spell(const Key&, const std::optional<Listen>& value) {
    return value ? value->address : "";
}

std::string spell_choice(const Key& key, int index) {
    auto choices = key.choices;
    for (; index > 0; --index) choices.remove_prefix(choices.find('|') + 1);
    return std::string(choices.substr(0, choices.find('|')));
}

}  // namespace ticketgate::config

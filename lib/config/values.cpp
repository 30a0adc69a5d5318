#include "config/values.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

bool in_range(const Key& key, std::uint64_t number) {
    return number >= key.min && number <= key.max;
}

// A number without a unit, with each unit that makes it a value of this key: `5s or 5ms`.
std::string with_unit(const Key& key, const std::string& number) {
    std::string out;
    if (!whole_number(number)) return out;
    for (const char* const unit : {"s", "ms"}) {
        const auto duration = parse_duration(number + unit);
        if (!duration || !in_range(key, static_cast<std::uint64_t>(duration->count()))) continue;
        out += (out.empty() ? "" : " or ") + number + unit;
    }
    return out;
}

std::vector<std::string_view> split_choices(std::string_view choices) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at <= choices.size();) {
        const auto end = std::min(choices.find('|', at), choices.size());
        out.push_back(choices.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

}  // namespace

std::string shown(std::string_view text) {
    std::string out = "\"";
    for (const char c : text.substr(0, 60)) out += c < 0x20 && c >= 0 ? '?' : c;
    return out + (text.size() > 60 ? "…\"" : "\"");
}

bool Value::fail(std::string message) const {
    if (!node.broken) reading.problems.error(node.mark, path, std::move(message));
    return false;
}

std::string Value::item_path(std::size_t index) const {
    return path + "[" + std::to_string(index) + "]";
}

bool Value::expect(Node::Kind kind) const {
    if (node.kind == kind) return true;
    return fail("expected " + expected(key) + "; here is " + std::string(name_of(node.kind)));
}

bool Value::unexpected() const {
    return fail(shown(node.text) + " is not " + expected(key));
}

bool is_on(const Node& node) {
    constexpr std::array<std::string_view, 3> words{"on", "true", "yes"};
    return node.kind == Node::Kind::scalar && is_one_of(lower(node.text), words);
}

bool is_off(const Node& node) {
    constexpr std::array<std::string_view, 3> words{"off", "false", "no"};
    return node.kind == Node::Kind::scalar && is_one_of(lower(node.text), words);
}

bool read(const Value& value, bool& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const bool yes = is_on(value.node);
    if (!yes && !is_off(value.node)) return value.unexpected();
    out = yes;
    return true;
}

bool read(const Value& value, std::uint16_t& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const auto number = whole_number(value.node.text);
    if (!number || !in_range(value.key, *number)) return value.unexpected();
    out = static_cast<std::uint16_t>(*number);
    return true;
}

bool read(const Value& value, std::uint32_t& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    if (!value.key.word.empty() && value.node.text == value.key.word) {
        out = unlimited;
        return true;
    }
    const auto number = whole_number(value.node.text);
    if (!number || !in_range(value.key, *number)) return value.unexpected();
    out = static_cast<std::uint32_t>(*number);
    return true;
}

bool read(const Value& value, Bytes& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const auto bytes = parse_size(value.node.text);
    if (!bytes || !in_range(value.key, *bytes)) return value.unexpected();
    out = *bytes;
    return true;
}

bool read(const Value& value, milliseconds& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const std::string& text = value.node.text;
    if (!value.key.word.empty() && text == value.key.word) {
        out = never;
        return true;
    }
    const auto duration = parse_duration(text);
    if (const auto right = with_unit(value.key, text); !duration && !right.empty())
        return value.fail(shown(text) + " has no unit; write " + right);
    if (!duration || !in_range(value.key, static_cast<std::uint64_t>(duration->count())))
        return value.unexpected();
    out = *duration;
    return true;
}

std::optional<int> read_choice(const Value& value) {
    if (!value.expect(Node::Kind::scalar)) return std::nullopt;
    const auto choices = split_choices(value.key.choices);
    const std::string_view word = is_off(value.node) ? "off" : std::string_view(value.node.text);
    const auto found = std::find(choices.begin(), choices.end(), word);
    if (found != choices.end()) return static_cast<int>(found - choices.begin());
    value.fail(shown(value.node.text) + " is not " + expected(value.key) +
               hint(nearest(word, choices)));
    return std::nullopt;
}

}  // namespace ticketgate::config

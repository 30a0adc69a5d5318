// Converts one value of the file to one value of the model, checked against its row in keys.hpp. On
// failure, each function reports exactly one problem, returns false and leaves `out` as it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.hpp"
#include "config/model.hpp"
#include "config/problem.hpp"
#include "config/tree.hpp"

namespace ticketgate::config {

/// The state that all sections of one file share while they are read.
struct Reading {
    Problems& problems;
    std::filesystem::path folder;  ///< of the config file; body files are relative to it
    std::map<std::string, Mark>& marks;
    std::vector<std::string>& text_files;  ///< those that keys name, also unreadable ones
};

struct Value {
    const Node& node;
    const Key& key;
    const std::string& path;
    Reading& reading;

    bool fail(std::string message) const;
    std::string item_path(std::size_t index) const;  ///< of a list's item
    bool expect(Node::Kind kind) const;              ///< false: reports the kind found instead
    bool unexpected() const;  ///< reports text that the key does not accept; returns false
};

bool read(const Value& value, bool& out);
bool read(const Value& value, std::uint16_t& out);
bool read(const Value& value, std::uint32_t& out);
bool read(const Value& value, Bytes& out);
bool read(const Value& value, milliseconds& out);
bool read(const Value& value, std::string& out);
bool read(const Value& value, std::optional<std::string>& out);
bool read(const Value& value, std::optional<SharedText>& out);
bool read(const Value& value, Page& out);
bool read(const Value& value, std::vector<std::string>& out);
bool read(const Value& value, Headers& out);

/// Returns the index of the choice, which is the value of the enumerator.
std::optional<int> read_choice(const Value& value);

template <class Enum>
requires std::is_enum_v<Enum>
bool read(const Value& value, Enum& out) {
    const auto index = read_choice(value);
    if (index) out = static_cast<Enum>(*index);
    return index.has_value();
}

/// Notes the place even if the value is invalid, so that it is not reported as missing.
template <class T>
bool read(const Value& value, Setting<T>& out) {
    out.mark = value.reading.marks[value.path];
    T given{};
    const bool good = read(value, given);
    if (good) out.value = std::move(given);
    return good;
}

/// Reads the file that `value` names.
bool read_body_file(const Value& value, std::string& out);
/// Warns about text in that file that looks like a placeholder but is not one.
void warn_placeholders(const Value& value, std::string_view body);

/// True for YAML's words for true; our files use `on`.
bool is_on(const Node& node);
/// True for YAML's words for false; our files use `off`.
bool is_off(const Node& node);

}  // namespace ticketgate::config

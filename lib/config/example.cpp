#include "config/example.hpp"

#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/keys.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view head =
    R"(# ticketgate: every key with its default, and what it does. Printed by `ticketgate example`.
# Copy what you need. A key that you leave out has the value shown here, except admin: without it,
# there is no admin listener. A key that is shown as a comment has no default. `ticketgate check`
# reads a file without starting anything. `ticketgate explain GET /path` shows what applies to a
# request and which line sets it.
#
# Durations: 500ms 2s 1m 1h. Sizes: 512B 64KiB 8MiB 1GiB. Any value may come from the environment:
# ${VAR}, ${VAR:-default}, ${VAR:?message}; $$ is one $. Six names are placeholders of answer bodies
# instead of variables, filled in for each request: ${request_id} ${unique_id} ${queue} ${waited_ms}
# ${waiting} ${retry_after}.
)";

constexpr std::size_t columns = 100;

using Lines = std::vector<std::string>;

void append(Lines& out, const Lines& more, std::string_view before) {
    for (const auto& line : more) out.push_back(std::string(before) + line);
}

// Wraps the text into comment lines of at most `width` columns.
Lines comment(std::string_view text, std::size_t width) {
    Lines out{"#"};
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (out.back().size() + 1 + end > width) out.emplace_back("#");
        out.back() += ' ' + std::string(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

Lines lines_of(std::string_view text) {
    Lines out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

// Lists the key's words, unless its description already names them all.
std::string words(const Key& key) {
    bool named = key.why.find(key.word) != std::string_view::npos;
    for (auto rest = key.choices; !rest.empty();) {
        const auto end = std::min(rest.find('|'), rest.size());
        named =
            named && key.why.find(std::string(rest.substr(0, end)) + ":") != std::string_view::npos;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (named) return {};
    return key.kind == Kind::choice ? " One of " + limits(key) + "."
                                    : " Or " + std::string(key.word) + ".";
}

// The key's value in this struct: the ids differ in their defaults.
std::string value_of(const Key& key, const void* model) {
    const Binding& field = key.bound.field;
    std::string text(key.example);
    if (text.empty()) text = default_of(key);
    if (text.empty() && !key.required && field.spell != nullptr) text = field.spell(key, model);
    return text == "-" ? "\"-\"" : text;
}

bool is_comment(const Key& key) {
    if (key.kind == Kind::name) return false;
    return key.commented ||
           (key.section == Section::top && !key.required && !key.varies && default_of(key).empty());
}

Lines section_lines(Section section, const void* model, std::size_t width);

// `name:` and the lines below it.
Lines nested_lines(const Key& key, const void* model, std::size_t width) {
    Lines out{std::string(key.name) + ":"};
    const auto below = [&](std::size_t indent) {
        return section_lines(key.section, key.bound.field.inside(model), width - indent);
    };
    if (key.kind == Kind::list) {
        Lines item = below(4);
        std::size_t first = 0;  // the comment of the first key precedes the dash
        for (; item[first].starts_with('#'); ++first) out.push_back("  " + item[first]);
        out.push_back("  - " + item[first]);
        append(out, Lines(item.begin() + static_cast<std::ptrdiff_t>(first) + 1, item.end()),
               "    ");
    } else if (key.kind == Kind::named) {
        out.push_back("  " + std::string(key.example) + ":");
        append(out, below(4), "    ");
    } else {
        append(out, below(2), "  ");
    }
    return out;
}

Lines written_lines(const Key& key, const std::string& value) {
    if (value.find('\n') == std::string::npos) return {std::string(key.name) + ": " + value};
    Lines out{std::string(key.name) + ":"};
    append(out, lines_of(value), "  ");
    return out;
}

bool is_written(const Key& key) {
    if (key.section == Section::top) return true;
    return !key.example.empty() && (key.kind != Kind::named || key.example == "{}");
}

Lines key_lines(const Key& key, const void* model, std::size_t width) {
    Lines out = comment(std::string(key.why) + words(key), width);
    const std::size_t inside = is_comment(key) ? width - 2 : width;
    const Lines lines = is_written(key) ? written_lines(key, value_of(key, model))
                                        : nested_lines(key, model, inside);
    append(out, lines, is_comment(key) ? "# " : "");
    if (is_comment(key) && key.kind == Kind::section_or_off)
        out.push_back(std::string(key.name) + ": off");
    return out;
}

Lines section_lines(Section section, const void* model, std::size_t width) {
    Lines out;
    for (const Key& key : keys_of(section)) {
        if (section == Section::top) out.emplace_back();
        append(out, key_lines(key, model, width), "");
    }
    return out;
}

}  // namespace

std::string example_config() {
    std::string out(head);
    const Config config;
    for (const auto& line : section_lines(Section::top, &config, columns)) out += line + '\n';
    return out;
}

}  // namespace ticketgate::config

#include <string_view>

#include "config/example.hpp"
#include "config/kinds.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view head = R"(# Settings

Every key of the config file, by section. `ticketgate reference` prints this page from the table
with which the program reads the file, so do not edit the page. `config/ticketgate.yaml` shows the
same keys as a file, and `config/schema.json` describes them to an editor.

- A duration is a number with a unit: `500ms`, `2s`, `1.5s`, `1m`, `1h`.
- A size is a number of bytes, or a number with a unit: `512`, `512B`, `64KiB`, `8MiB`, `1GiB`,
  `10MB`.
- Any value may come from the environment: `${VAR}`, `${VAR:-default}`, `${VAR:?message}`. `$$` is
  one `$`.
- Paths of files are relative to the config file, those of `log.access_file` and `spool.directory`
  to the working directory of the process.
- A key with an empty default has none.
)";

std::string title(Section section) {
    return section == Section::top ? "top level" : std::string(name_of(section));
}

// Links to the title by GitHub's anchor.
std::string link(Section section) {
    return "[`" + title(section) + "`](#" + title(section) + ")";
}

std::string type_cell(const Key& key) {
    std::string type(row_of(key.kind).type);
    if (key.section == Section::top) return type;
    const auto linked = "[" + type + "](#" + std::string(name_of(key.section)) + ")";
    return key.kind == Kind::section_or_off ? linked + ", or off" : linked;
}

std::string default_cell(const Key& key) {
    if (key.required) return "required";
    const auto text = default_of(key);
    return text.empty() ? "" : "`" + text + "`";
}

std::string row(const Key& key) {
    return "| `" + std::string(key.name) + "` | " + type_cell(key) + " | " + default_cell(key) +
           " | " + limits(key) + " | " + std::string(key.why) + " |\n";
}

// True for the settings that a route shares with `defaults`; they have their own table.
bool is_inherited(Section section, const Key& key) {
    return section == Section::route && find_key(Section::settings, key.name) != nullptr;
}

// Describes where in a file the section appears, and its purpose.
std::string uses(Section section) {
    std::string out;
    for (std::size_t i = 0; i < section_count; ++i)
        for (const Key& key : keys_of(static_cast<Section>(i))) {
            if (key.section != section || key.section == Section::top ||
                is_inherited(static_cast<Section>(i), key))
                continue;
            const auto above = static_cast<Section>(i);
            out += "- `" + std::string(key.name) + "`" +
                   (above == Section::top ? "" : " in " + link(above)) + ": " +
                   std::string(key.why) + "\n";
        }
    return out;
}

std::string table(Section section) {
    std::string out =
        "| Key | Type | Default | Range or choices | What it does |\n"
        "|---|---|---|---|---|\n";
    for (const Key& key : keys_of(section))
        if (!is_inherited(section, key)) out += row(key);
    return out;
}

}  // namespace

std::string reference_page() {
    std::string out(head);
    for (std::size_t i = 0; i < section_count; ++i) {
        const auto section = static_cast<Section>(i);
        out += "\n## " + title(section) + "\n\n";
        if (const auto places = uses(section); !places.empty()) out += places + "\n";
        if (section == Section::route)
            out += "A route also has every key of " + link(Section::settings) + ".\n\n";
        out += table(section);
    }
    return out;
}

}  // namespace ticketgate::config

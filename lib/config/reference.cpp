#include <string_view>

#include "config/example.hpp"
#include "config/keys.hpp"

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

std::string_view type_of(Kind kind) {
    switch (kind) {
        case Kind::flag:
            return "true or false";
        case Kind::count:
            return "number";
        case Kind::status:
            return "HTTP status";
        case Kind::duration:
            return "duration";
        case Kind::size:
            return "size";
        case Kind::choice:
            return "one of";
        case Kind::text:
        case Kind::body:
            return "text";
        case Kind::name:
            return "name of an upstream";
        case Kind::queue:
            return "name of a queue, or off";
        case Kind::methods:
            return "list of methods";
        case Kind::protocols:
            return "list of protocols";
        case Kind::header_name:
            return "header name";
        case Kind::header_names:
            return "list of header names";
        case Kind::networks:
            return "list of networks";
        case Kind::address:
            return "address";
        case Kind::url:
        case Kind::fcgi_url:
            return "URL";
        case Kind::folder:
            return "absolute path";
        case Kind::file_name:
            return "file name";
        case Kind::script:
            return "path, or off";
        case Kind::variables:
            return "map of variables";
        case Kind::media_type:
            return "media type";
        case Kind::body_file:
        case Kind::file:
            return "file";
        case Kind::headers:
            return "map of headers";
        case Kind::prefix:
            return "path";
        case Kind::regex:
            return "pattern (RE2)";
        case Kind::section:
        case Kind::section_or_off:
            return "section";
        case Kind::list:
            return "list of sections";
        case Kind::named:
            return "sections by name";
    }
    return {};
}

std::string title(Section section) {
    return section == Section::top ? "top level" : std::string(name_of(section));
}

// GitHub's anchor of the title.
std::string link(Section section) {
    return "[`" + title(section) + "`](#" + title(section) + ")";
}

std::string type_cell(const Key& key) {
    const std::string type(type_of(key.kind));
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

// A route has the settings of `defaults` as well; they stand in a table of their own.
bool is_inherited(Section section, const Key& key) {
    return section == Section::route && find_key(Section::settings, key.name) != nullptr;
}

// Where the section stands in a file, and what for.
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

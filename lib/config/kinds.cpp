#include "config/kinds.hpp"

#include <array>
#include <chrono>

#include "base/text.hpp"
#include "config/schema_types.hpp"

namespace ticketgate::config {
namespace {

std::string list_of(const Key& key) {
    std::string out;
    for (const char c : key.choices) out += c == '|' ? std::string(", ") : std::string(1, c);
    return out;
}

std::string spell_count(std::uint64_t number) {
    return std::to_string(number);
}

std::string spell_duration(std::uint64_t ms) {
    return print_duration(std::chrono::milliseconds(static_cast<std::int64_t>(ms)));
}

template <std::string (*spell)(std::uint64_t)>
std::string range(const Key& key) {
    const auto word = key.word.empty() ? "" : ", or " + std::string(key.word);
    return spell(key.min) + " to " + spell(key.max) + word;
}

// In the order of enum Kind.
constexpr std::array rows{
    KindRow{Kind::flag, "true or false", "true or false", flag_schema},
    KindRow{Kind::count, "number", "a whole number from ", number_schema, range<spell_count>},
    KindRow{Kind::share, "on, off, or a number from 0 to 1",
            "on, off, or a number from 0 to 1 with at most six decimals", share_schema},
    KindRow{Kind::status, "HTTP status", "an HTTP status from ", number_schema, range<spell_count>},
    KindRow{Kind::duration, "duration", "a duration (500ms, 2s, 1m) from ", duration_schema,
            range<spell_duration>},
    KindRow{Kind::size, "size", "a size (512B, 64KiB, 8MiB) from ", size_schema, range<print_size>},
    KindRow{Kind::choice, "one of", "one of ", choice_schema, list_of},
    KindRow{Kind::text, "text", "text", text_schema},
    KindRow{Kind::name, "name of an upstream", "the name of an upstream", text_schema},
    KindRow{Kind::queue, "name of a queue, or off", "the name of a queue, or off",
            text_or_off_schema},
    KindRow{Kind::methods, "list of methods", "a list of methods such as [OPTIONS, GET]",
            methods_schema},
    KindRow{Kind::protocols, "list of protocols", "a list of protocols such as [websocket]",
            list_of_text_schema},
    KindRow{Kind::header_name, "header name", "the name of a header", text_schema},
    KindRow{Kind::header_names, "list of header names", "a list of header names",
            list_of_text_schema},
    KindRow{Kind::networks, "list of networks", "a list of networks such as [10.0.0.0/8, unix]",
            list_of_text_schema},
    KindRow{Kind::address, "address", "an address such as 0.0.0.0:8080, [::]:8080 or unix:/path",
            text_schema},
    KindRow{Kind::url, "URL",
            "http://host:port, https://host:port, unix:/path, fastcgi://host:port or "
            "fastcgi+unix:/path",
            text_schema},
    KindRow{Kind::fcgi_url, "URL", "fastcgi://host:port or fastcgi+unix:/path", text_schema},
    KindRow{Kind::folder, "absolute path", "an absolute path such as /var/www/html", text_schema},
    KindRow{Kind::file_name, "file name", "the name of a file such as index.php", text_schema},
    KindRow{Kind::script, "path, or off", "a path such as /index.php, or off", text_or_off_schema},
    KindRow{Kind::variables, "map of variables", "a map of variables and values", map_schema},
    KindRow{Kind::words, "list of texts", "a list such as [first, second]", list_of_text_schema},
    KindRow{Kind::endpoints, "list of URLs", "a list such as [\"http://127.0.0.1:2379\"]",
            list_of_text_schema},
    KindRow{Kind::collector, "URL", "http://host:port/path or https://host:port/path", text_schema},
    KindRow{Kind::types, "map of media types", "a map such as {md: text/markdown}", map_schema},
    KindRow{Kind::environment, "map of variables", "a map of variables and values", map_schema},
    KindRow{Kind::rlimits, "map of limits", "a map such as {nofile: 1024, as: 1GiB}", map_schema},
    KindRow{Kind::media_type, "media type", "a media type such as text/html; charset=utf-8",
            text_schema},
    KindRow{Kind::body, "text", "text, or null for the default document", body_schema},
    KindRow{Kind::page, "HTML, on or off", "HTML, on or off, or null for the default", page_schema},
    KindRow{Kind::body_file, "file", "the path of a file", text_schema},
    KindRow{Kind::file, "file", "the path of a file", text_schema},
    KindRow{Kind::headers, "map of headers", "a map of header names and values", map_schema},
    KindRow{Kind::prefix, "path", "a path that starts with /", prefix_schema},
    KindRow{Kind::regex, "pattern (RE2)", "a regular expression (RE2)", text_schema},
    KindRow{Kind::hosts, "host, or list of hosts",
            "a host such as www.example.org or *.example.org, or a list of them",
            text_or_list_schema},
    KindRow{Kind::listeners, "name of a listener, or list of names",
            "the name of a listener, or a list of names", text_or_list_schema},
    KindRow{Kind::listener, "name", "a name", text_schema},
    KindRow{Kind::asked_headers, "map of headers",
            "a map such as {X-Kind: api} or {X-Kind: {regex: \"^a\"}}", asked_headers_schema},
    KindRow{Kind::section, "section", "a map", section_schema},
    KindRow{Kind::section_or_off, "section", "a map such as {address: \"127.0.0.1:9901\"}, or off",
            section_or_off_schema},
    KindRow{Kind::list, "list of sections", "a list", sections_schema},
    KindRow{Kind::named, "sections by name", "a map of names", named_schema},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].kind != static_cast<Kind>(i)) return false;
    return rows.back().kind == Kind::named;  // the last enumerator
}
static_assert(is_in_order());

}  // namespace

const KindRow& row_of(Kind kind) {
    return rows[static_cast<std::size_t>(kind)];
}

std::string limits(const Key& key) {
    const auto print = row_of(key.kind).limits;
    return print == nullptr ? std::string() : print(key);
}

std::string expected(const Key& key) {
    // An answer may have only some of its keys, so the message shows an example.
    if (key.section == Section::answer) return "a map such as {status: 503, body: \"busy\"}";
    if (key.section == Section::files)
        return "a map such as {root: /var/www/html}; {try: [upstream]} serves no files";
    if (key.kind == Kind::words && !key.example.empty())
        return "a list such as " + std::string(key.example);
    return std::string(row_of(key.kind).expected) + limits(key);
}

}  // namespace ticketgate::config

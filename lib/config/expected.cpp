#include <chrono>

#include "base/text.hpp"
#include "config/keys.hpp"

namespace ticketgate::config {
namespace {

std::string list_of(std::string_view choices) {
    std::string out;
    for (const char c : choices) out += c == '|' ? std::string(", ") : std::string(1, c);
    return out;
}

std::string spell_count(std::uint64_t number) {
    return std::to_string(number);
}

std::string spell_duration(std::uint64_t ms) {
    return print_duration(std::chrono::milliseconds(static_cast<std::int64_t>(ms)));
}

std::string range(const Key& key, std::string (*spell)(std::uint64_t)) {
    const auto word = key.word.empty() ? "" : ", or " + std::string(key.word);
    return spell(key.min) + " to " + spell(key.max) + word;
}

// A map that may be left out in more than one way says how it looks.
std::string_view map_of(Section section) {
    return section == Section::answer ? "a map such as {status: 503, body: \"busy\"}" : "a map";
}

}  // namespace

std::string limits(const Key& key) {
    switch (key.kind) {
        case Kind::count:
        case Kind::status:
            return range(key, spell_count);
        case Kind::duration:
            return range(key, spell_duration);
        case Kind::size:
            return range(key, print_size);
        case Kind::choice:
            return list_of(key.choices);
        default:
            return {};
    }
}

std::string expected(const Key& key) {
    switch (key.kind) {
        case Kind::flag:
            return "true or false";
        case Kind::count:
            return "a whole number from " + limits(key);
        case Kind::status:
            return "an HTTP status from " + limits(key);
        case Kind::duration:
            return "a duration (500ms, 2s, 1m) from " + limits(key);
        case Kind::size:
            return "a size (512B, 64KiB, 8MiB) from " + limits(key);
        case Kind::choice:
            return "one of " + limits(key);
        case Kind::text:
            return "text";
        case Kind::name:
            return "the name of an upstream";
        case Kind::queue:
            return "the name of a queue, or off";
        case Kind::methods:
            return "a list of methods such as [OPTIONS, GET]";
        case Kind::protocols:
            return "a list of protocols such as [websocket]";
        case Kind::header_name:
            return "the name of a header";
        case Kind::header_names:
            return "a list of header names";
        case Kind::networks:
            return "a list of networks such as [10.0.0.0/8, unix]";
        case Kind::address:
            return "an address such as 0.0.0.0:8080, [::]:8080 or unix:/path";
        case Kind::url:
            return "http://host:port, https://host:port, unix:/path, fastcgi://host:port or "
                   "fastcgi+unix:/path";
        case Kind::fcgi_url:
            return "fastcgi://host:port or fastcgi+unix:/path";
        case Kind::folder:
            return "an absolute path such as /var/www/html";
        case Kind::file_name:
            return "the name of a file such as index.php";
        case Kind::script:
            return "a path such as /index.php, or off";
        case Kind::variables:
            return "a map of variables and values";
        case Kind::media_type:
            return "a media type such as text/html; charset=utf-8";
        case Kind::body:
            return "text, or null for the default document";
        case Kind::body_file:
        case Kind::file:
            return "the path of a file";
        case Kind::headers:
            return "a map of header names and values";
        case Kind::prefix:
            return "a path that starts with /";
        case Kind::regex:
            return "a regular expression (RE2)";
        case Kind::section:
            return std::string(map_of(key.section));
        case Kind::section_or_off:
            return "a map such as {address: \"127.0.0.1:9901\"}, or off";
        case Kind::list:
            return "a list";
        case Kind::named:
            return "a map of names";
    }
    return "something else";
}

}  // namespace ticketgate::config

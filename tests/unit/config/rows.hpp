// Shared by the tests of the table of keys: every row, and a value for each.
#pragma once

#include <string>
#include <vector>

#include "base/text.hpp"
#include "config/environment.hpp"
#include "config/keys.hpp"
#include "config/values.hpp"

namespace ticketgate::config {

inline std::vector<Section> all_sections() {
    std::vector<Section> all;
    for (std::size_t i = 0; i < section_count; ++i) all.push_back(static_cast<Section>(i));
    return all;
}

/// Calls use(section, key) for each row of the table.
template <class Use>
void for_each_key(Use use) {
    for (const Section section : all_sections())
        for (const Key& key : keys_of(section)) use(section, key);
}

/// Writes a number as the key expects it: with `ms` for a duration.
inline std::string spell_number(const Key& key, std::uint64_t number) {
    return std::to_string(number) + (key.kind == Kind::duration ? "ms" : "");
}

/// A good value of the key that is not its default.
inline std::string other_value(const Key& key) {
    switch (key.kind) {
        case Kind::flag:
            return default_of(key) == "true" ? "false" : "true";
        case Kind::count:
        case Kind::status:
        case Kind::duration:
        case Kind::size:
            return spell_number(key, key.max);
        case Kind::choice:
            return key.choices.ends_with("|" + default_of(key))
                       ? std::string(key.choices.substr(0, key.choices.find('|')))
                       : std::string(key.choices.substr(key.choices.rfind('|') + 1));
        case Kind::page:
            return "off";
        case Kind::methods:
            return "[PUT]";
        case Kind::protocols:
        case Kind::header_names:
            return "[X-Other]";
        case Kind::networks:
            return "[10.0.0.0/8]";
        case Kind::address:
            return "\"127.0.0.1:81\"";
        case Kind::url:
            return "\"http://h:81\"";
        case Kind::fcgi_url:
            return "\"fastcgi://h:81\"";
        case Kind::folder:
        case Kind::script:
        case Kind::file:
        case Kind::prefix:
            return "/other";
        case Kind::asked_headers:
            return "{X-Other: \"b\"}";
        case Kind::media_type:
            return "text/other";
        case Kind::words:
            return "[other]";
        case Kind::endpoints:
            return "[\"http://h:81\"]";
        case Kind::collector:
            return "\"http://h:81/x\"";
        case Kind::share:
            return "0.05";
        case Kind::types:
            return "{md: text/markdown}";
        case Kind::rlimits:
            return "{nofile: 7}";
        case Kind::variables:
        case Kind::environment:
        case Kind::headers:
            return "{A: b}";
        case Kind::text:
            if (key.name == "advertise") return "\"h:81\"";
            return key.name == "secret" ? "another-secret-of-a-peer" : "other";
        default:
            return "other";
    }
}

/// Reads `text` as the value of `key` into the struct. Returns the problems.
inline std::vector<Problem> read_value(const Key& key, const Binding& field, void* owner,
                                       const std::string& text) {
    Problems problems;
    const auto set = environment_of(
        {{"TICKETGATE_ADMIN_TOKEN", "t"}, {"NOEQ_TOKEN", "t"}, {"ETCD_PASSWORD", "x"}});
    const auto root = parse_tree("v: " + text, "c.yaml", set, problems);
    std::map<std::string, Mark> marks{{"v", {"c.yaml", 1, 1}}};
    std::vector<std::string> text_files;
    Reading reading{problems, {}, marks, text_files};
    if (root) field.read({root->find("v")->value, key, "v", reading}, owner);
    return problems.take();
}

}  // namespace ticketgate::config

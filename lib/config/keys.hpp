// Every key of the config file: its kind, limits, field in the model, and what it does. The one
// table: the parser, `explain`, the schema, docs/reference.md and config/ticketgate.yaml come from
// it. The rows stand in keys_*.cpp; a default stands in model.hpp, at the field.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "config/binding.hpp"

namespace ticketgate::config {

enum class Kind {
    flag,       ///< true, false
    count,      ///< whole number from min to max
    status,     ///< HTTP status from min to max
    duration,   ///< 500ms 2s 1m 1h; min and max in milliseconds
    size,       ///< 64KiB 8MiB; min and max in bytes
    choice,     ///< one of `choices`, in the order of the enumeration
    text,       ///< anything but empty
    name,       ///< of an upstream
    queue,      ///< a queue's name, or `off`
    methods,    ///< list of request methods
    protocols,  ///< list of protocols to upgrade to
    header_name,
    header_names,  ///< list of them
    networks,      ///< list of addresses and CIDRs
    address,       ///< 0.0.0.0:8080, [::]:8080, unix:/path
    url,           ///< http(s)://host:port, unix:/path, fastcgi://host:port, fastcgi+unix:/path
    fcgi_url,      ///< the latter two
    folder,        ///< an absolute path, here or elsewhere
    file_name,     ///< without folders
    script,        ///< the path of a URL, or `off`
    variables,     ///< map from a CGI variable's name to its value
    media_type,
    body,       ///< text with placeholders
    body_file,  ///< a file with such a text, beside the config file
    file,       ///< a file that is read elsewhere, beside the config file
    headers,    ///< map from name to value
    prefix,     ///< a path
    regex,      ///< RE2
    section,    ///< a map of the keys of `section`
    section_or_off,
    list,   ///< list of such maps
    named,  ///< map from name to such maps
};

enum class Section {
    top,
    listen,
    listen_tls,
    certificate,
    admin,
    upstream,
    upstream_tls,
    fcgi,
    fcgi_status,
    queue,
    settings,
    answer,
    route,
    clients,
    spool,
    ids,
    id,
    machine,
    route_ids,
    route_id,
    id_service,
    log
};
inline constexpr std::size_t section_count = static_cast<std::size_t>(Section::log) + 1;

inline constexpr std::uint64_t no_maximum = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t year_ms = 8760ull * 3600 * 1000;

struct Key {
    std::string_view name;
    Kind kind = Kind::text;
    std::string_view why = {};  ///< what it does, for the reference page and the schema
    Bindings bound = {};
    std::uint64_t min = 0, max = no_maximum;
    std::string_view word = {};     ///< also allowed: `unlimited`, `never`
    std::string_view choices = {};  ///< a|b|c
    Section section = Section::top;
    bool required = false;
    bool varies = false;            ///< its default depends on where the section stands
    bool commented = false;         ///< of sections: the example shows it as a comment
    std::string_view same_as = {};  ///< another way to fill the field of that key
    std::string_view example = {};  ///< its value in the example; empty: the default
};

std::span<const Key> keys_of(Section section);

/// What the schema calls the section.
std::string_view name_of(Section section);

/// The key of that name; null when there is none.
const Key* find_key(Section section, std::string_view name);

/// `a whole number from 1 to 64`: for messages. kinds.cpp
std::string expected(const Key& key);

/// `1 to 64`, `off, json, combined`; empty when everything of the kind is allowed. kinds.cpp
std::string limits(const Key& key);

/// In the spelling of the file; empty when there is none.
std::string default_of(const Key& key);

}  // namespace ticketgate::config

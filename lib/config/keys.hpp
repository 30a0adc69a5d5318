// Every key of the config file: its kind, limits, field in the model, and description. The parser,
// `explain`, the schema, docs/reference.md and config/ticketgate.yaml all use this table. The rows
// are in keys_*.cpp; the defaults are in model.hpp, at the fields.
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
    share,      ///< on, off, or a number from 0 to 1
    status,     ///< HTTP status from min to max
    duration,   ///< 500ms 2s 1m 1h; min and max in milliseconds
    size,       ///< 64KiB 8MiB; min and max in bytes
    choice,     ///< one of `choices`, in the order of the enumeration
    text,       ///< any text except the empty one
    name,       ///< of an upstream
    queue,      ///< a queue's name, or `off`
    methods,    ///< list of request methods
    protocols,  ///< list of protocols to upgrade to
    header_name,
    header_names,  ///< list of header names
    networks,      ///< list of addresses and CIDRs
    address,       ///< 0.0.0.0:8080, [::]:8080, unix:/path
    url,           ///< http(s)://host:port, unix:/path, fastcgi://host:port, fastcgi+unix:/path
    fcgi_url,      ///< one of the two FastCGI forms of url
    folder,        ///< an absolute path, possibly on another machine
    file_name,     ///< without folders
    script,        ///< the path of a URL, or `off`
    variables,     ///< map from a CGI variable's name to its value
    words,         ///< list of texts
    endpoints,     ///< list of http(s)://host:port
    collector,     ///< http(s)://host:port/path
    types,         ///< map from the ending of a name to a media type
    environment,   ///< map from a variable's name to its value
    rlimits,       ///< map from a limit's name to a number, a size or `unlimited`
    media_type,
    body,           ///< text with placeholders
    page,           ///< an HTML text with placeholders, `on` or `off`
    body_file,      ///< path of a text with placeholders, relative to the config file
    file,           ///< path of another file, relative to the config file
    headers,        ///< map from name to value
    prefix,         ///< a path
    regex,          ///< RE2
    hosts,          ///< list of host names, or one of them
    listeners,      ///< list of names of listeners, or one of them
    listener,       ///< name of a listener
    asked_headers,  ///< map from the name of a header to the value that a route asks for
    section,        ///< a map of the keys of `section`
    section_or_off,
    list,   ///< list of maps of the keys of `section`
    named,  ///< map from name to such a map
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
    workers,
    files,
    file_io,
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
    cluster,
    cluster_store,
    cluster_peer,
    peer_tls,
    tracing,
    log
};
inline constexpr std::size_t section_count = static_cast<std::size_t>(Section::log) + 1;

inline constexpr std::uint64_t no_maximum = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t year_ms = 8760ull * 3600 * 1000;

struct Key {
    std::string_view name;
    Kind kind = Kind::text;
    std::string_view why = {};  ///< description, for the reference page and the schema
    Bindings bound = {};
    std::uint64_t min = 0, max = no_maximum;
    std::string_view word = {};     ///< an additional word: `unlimited`, `never`
    std::string_view choices = {};  ///< a|b|c
    Section section = Section::top;
    bool required = false;
    std::string_view unless = {};   ///< of a required key: the key that may stand in its place
    bool varies = false;            ///< its default depends on the section's position
    bool commented = false;         ///< of a section: the example has it commented out
    std::string_view same_as = {};  ///< the key that fills the same field
    std::string_view example = {};  ///< its value in the example; empty: the default
};

std::span<const Key> keys_of(Section section);

/// Returns the name of the section in the schema.
std::string_view name_of(Section section);

/// Returns the key of that name; null if there is none.
const Key* find_key(Section section, std::string_view name);

/// Returns `a whole number from 1 to 64`, for messages. kinds.cpp
std::string expected(const Key& key);

/// Returns `1 to 64`, `off, json, combined`; empty: every value of the kind is allowed. kinds.cpp
std::string limits(const Key& key);

/// Returns the default as the file spells it; empty: there is none.
std::string default_of(const Key& key);

}  // namespace ticketgate::config

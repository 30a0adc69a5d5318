// What `files:` of a route means for its upstream. Pure, but for reading the system's table of
// media types.
#pragma once

#include <memory>

#include "config/config.hpp"
#include "files/rules.hpp"

namespace ticketgate {

/// Null: the route serves no files. `upstream`: its own; null: it has none.
std::shared_ptr<const files::Rules> file_rules(const config::Files& files,
                                               const config::Upstream* upstream,
                                               std::shared_ptr<const files::MediaTypes> known);

/// Of /etc/mime.types; without it, those that every web server knows.
std::shared_ptr<const files::MediaTypes> system_media_types();

}  // namespace ticketgate

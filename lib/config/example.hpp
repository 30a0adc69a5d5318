// Texts for people, from the table of keys: config/ticketgate.yaml and docs/reference.md.
#pragma once

#include <string>

namespace ticketgate::config {

/// Returns a valid config file: every key with its description and default. example.cpp
std::string example_config();

/// Returns every key by section: type, default, limits and description. reference.cpp
std::string reference_page();

}  // namespace ticketgate::config

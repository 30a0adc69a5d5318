// Texts for people, made from the table of keys: config/ticketgate.yaml and docs/reference.md.
#pragma once

#include <string>

namespace ticketgate::config {

/// A config file that loads, with every key, what it does, and its default. example.cpp
std::string example_config();

/// Every key by section: type, default, limits and what it does. reference.cpp
std::string reference_page();

}  // namespace ticketgate::config

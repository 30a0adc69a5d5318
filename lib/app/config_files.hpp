// The files that a configuration consists of, beside its own: what `--watch` follows. Pure.
#pragma once

#include <set>
#include <string>

#include "config/load.hpp"

namespace ticketgate {

using Files = std::set<std::string>;

/// The certificates, keys, signers, bodies and secrets that a config names and a reload reads, as
/// resolved paths; also of a config with errors, as far as it could be read.
Files named_files(const config::Loaded& loaded);

}  // namespace ticketgate

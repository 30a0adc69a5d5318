// The commands of the program, each a function from its arguments to an exit code: 0, 1 runtime, 2
// usage, 78 bad config.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ticketgate::commands {

inline constexpr int ok = 0, failed = 1, usage = 2, bad_config = 78;

/// The process's own.
std::optional<std::string> environment(std::string_view name);

int serve(const std::string& config_file);
int check(const std::string& config_file);
int explain(const std::string& config_file, const std::string& method, const std::string& path);
int schema();
/// Asks the admin listener that the config names; 0: ready.
int healthcheck(const std::string& config_file);
/// The lines as they stand, from the admin listener.
int queues(const std::string& config_file);

}  // namespace ticketgate::commands

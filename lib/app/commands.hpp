// The commands of the program, each a function from its arguments to an exit code: 0, 1 runtime, 2
// usage, 78 bad config.
#pragma once

#include <cstdint>
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
/// The lines as they stand, from the admin listener; with a name that line, ticket by ticket.
int queues(const std::string& config_file, const std::string& name);
/// Gives the slot of a request away though its backend may still run.
int release(const std::string& config_file, const std::string& queue, std::uint64_t number);
int drain(const std::string& config_file);
int reload(const std::string& config_file);

}  // namespace ticketgate::commands

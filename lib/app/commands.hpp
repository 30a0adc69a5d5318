// The commands of the program. Each is a function from its arguments to an exit code: 0, 1 runtime
// error, 2 usage, 3 a reload in part (some keys need a restart), 78 bad config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/admin_listener.hpp"
#include "app/exit_codes.hpp"
#include "app/explain.hpp"
#include "app/top_command.hpp"
#include "config/config.hpp"

namespace ticketgate::commands {

/// Reads the process's environment.
std::optional<std::string> environment(std::string_view name);

/// Prints all problems of the file at once on stderr. Null: it has errors. `with_warnings`: also
/// what this machine does not have, and warnings.
std::optional<config::Config> load(const std::string& file, bool with_warnings);

/// `watch`: changes of the config's files make the process read them.
int serve(const std::string& config_file, bool watch);
/// `connect`: also tries one connection to each upstream; returns 1 if one failed.
int check(const std::string& config_file, bool connect);
int explain(const std::string& config_file, const ExplainedRequest& request,
            bool all);  ///< all: also prints the settings that have their defaults
int version();          ///< prints it
int schema();
int example();    ///< prints config/ticketgate.yaml
int reference();  ///< prints docs/reference.md

/// Returns 0 if the process is ready.
int healthcheck(const Whom& whom);
/// The output format of `queues`. automatic: a table on a terminal, JSON otherwise.
enum class View : std::uint8_t { automatic, table, json };
/// Prints the state of all queues; with a name, of that queue, ticket by ticket.
int queues(const Whom& whom, const std::string& name, View view);
/// Shows the queues in the terminal until a key ends it.
int top(const Whom& whom, const TopOrder& order);
int workers(const Whom& whom, View view);
/// Releases a slot although its backend may still run.
int release(const Whom& whom, const std::string& queue, std::uint64_t number);
/// `how_long`: a duration; empty: until it is resumed.
int pause(const Whom& whom, const std::string& queue, const std::string& how_long);
int resume(const Whom& whom, const std::string& queue);
int drain(const Whom& whom);
/// upgrade_command.cpp. Makes the process start a new one that takes over, and waits until that
/// accepts; `wait`: until the old one has ended.
int upgrade(const Whom& whom, bool wait);
/// Returns 1 if the process refuses its file and keeps the old config; needs_restart if the file is
/// in force except for some keys. The process names the errors or the keys.
int reload(const Whom& whom);

// cluster_commands.cpp: they ask the store of the file's cluster.
/// One read of the store, for `check --connect`, and a question to each replica that it lists.
/// Without a cluster: ok.
int try_store(const config::Config& config);
/// Writes the key without which no process uses the store. Once, by a person.
int cluster_init(const std::string& config_file);
int cluster_status(const std::string& config_file, View view);
/// Says that nothing of this epoch of the queue runs any more. Fails open if that is not true.
int settle(const std::string& config_file, const std::string& queue, std::uint64_t epoch);

}  // namespace ticketgate::commands

// The commands of the program, each a function from its arguments to an exit code: 0, 1 runtime, 2
// usage, 3 a reload that left keys for a restart, 78 bad config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ticketgate::commands {

inline constexpr int ok = 0, failed = 1, usage = 2, needs_restart = 3, bad_config = 78;

/// The process's own.
std::optional<std::string> environment(std::string_view name);

int serve(const std::string& config_file);
/// `connect`: one connection to each upstream as well; 1: one of them failed.
int check(const std::string& config_file, bool connect);
int explain(const std::string& config_file, const std::string& method, const std::string& path,
            bool all);  ///< all: also the settings that have their defaults
int schema();
int example();    ///< config/ticketgate.yaml
int reference();  ///< docs/reference.md

/// The running process that a command asks.
struct Whom {
    std::string file;   ///< its config; only `admin:` is read, whatever else is wrong with it
    std::string admin;  ///< address of its admin listener, over the file's; empty: the file's
};

/// 0: ready.
int healthcheck(const Whom& whom);
/// How `queues` prints. automatic: a table on a terminal, JSON for programs.
enum class View : std::uint8_t { automatic, table, json };
/// The queues as they stand; with a name that queue, ticket by ticket.
int queues(const Whom& whom, const std::string& name, View view);
/// Gives the slot of a request away though its backend may still run.
int release(const Whom& whom, const std::string& queue, std::uint64_t number);
int drain(const Whom& whom);
/// 1: the process says what is wrong with its file, and keeps the old one. needs_restart: the file
/// is in force, except for keys that the process names.
int reload(const Whom& whom);

}  // namespace ticketgate::commands

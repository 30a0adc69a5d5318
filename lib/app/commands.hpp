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
/// `connect`: one connection to each upstream as well; 1: one of them failed.
int check(const std::string& config_file, bool connect);
int explain(const std::string& config_file, const std::string& method, const std::string& path);
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
/// The lines as they stand; with a name that line, ticket by ticket.
int queues(const Whom& whom, const std::string& name);
/// Gives the slot of a request away though its backend may still run.
int release(const Whom& whom, const std::string& queue, std::uint64_t number);
int drain(const Whom& whom);
/// 1: the process says what is wrong with its file, and keeps the old one.
int reload(const Whom& whom);

}  // namespace ticketgate::commands

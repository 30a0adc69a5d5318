#include "app/options.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "app/commands.hpp"
#include "app/version.hpp"

namespace ticketgate {

int run_command_line(int argc, char** argv) {
    CLI::App cli(
        "ticketgate: an HTTP reverse proxy that lets requests through one at a time, in order");
    std::string file = "/etc/ticketgate/ticketgate.yaml", method, path, queue;
    std::uint64_t number = 0;
    cli.add_option("-c,--config", file, "the config file")->capture_default_str();
    cli.set_version_flag("--version", std::string("ticketgate ") + version);
    cli.require_subcommand(0, 1);
    cli.fallthrough();

    auto* check = cli.add_subcommand("check", "reads the config and tells every problem");
    auto* explain =
        cli.add_subcommand("explain", "what applies to a request, and the line that says so");
    explain->add_option("METHOD", method, "GET, POST …")->required();
    explain->add_option("PATH", path, "/path of the request")->required();
    auto* schema = cli.add_subcommand("schema", "prints the JSON Schema of the config");
    auto* health =
        cli.add_subcommand("healthcheck", "asks the running process; exit code 0: ready");
    auto* queues = cli.add_subcommand("queues", "prints the lines of the running process as JSON");
    queues->add_option("QUEUE", queue, "only this one, with every ticket");
    auto* release = cli.add_subcommand(
        "release", "gives away the slot of a stuck request: its backend may still be running");
    release->add_option("QUEUE", queue, "the queue")->required();
    release->add_option("NUMBER", number, "of the ticket in flight, as `queues` shows it")
        ->required();
    auto* drain = cli.add_subcommand("drain", "lets the line finish and ends the running process");
    auto* reload = cli.add_subcommand("reload", "has the running process read its config again");

    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return cli.exit(error) == 0 ? commands::ok : commands::usage;
    }
    if (*check) return commands::check(file);
    if (*explain) return commands::explain(file, method, path);
    if (*schema) return commands::schema();
    if (*health) return commands::healthcheck(file);
    if (*queues) return commands::queues(file, queue);
    if (*release) return commands::release(file, queue, number);
    if (*drain) return commands::drain(file);
    if (*reload) return commands::reload(file);
    return commands::serve(file);
}

}  // namespace ticketgate

#include "app/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/id_command.hpp"
#include "app/signals.hpp"
#include "app/version.hpp"
#include "config/syntax.hpp"

namespace ticketgate {
namespace {

constexpr std::uint64_t most_ids = 1'000'000'000;

// CLI11 reads -1 as a very large number, and leaves what does not fit to chance.
std::string why_no_count(const std::string& text) {
    std::uint64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc{} && stop == end && count >= 1 && count <= most_ids) return {};
    return text + " is not a number from 1 to " + std::to_string(most_ids);
}

std::string why_no_address(const std::string& text) {
    return config::parse_ipv4(text) ? "" : text + " is not an IPv4 address such as 192.0.2.1";
}

void add_order(CLI::App& id, IdOrder& order) {
    id.add_option("-f,--format", order.format, "txid, uuidv7, httpd_2_4_47 …")
        ->capture_default_str();
    id.add_option("-n,--number", order.count, "how many")
        ->capture_default_str()
        ->check(why_no_count);
    id.add_option("--address", order.machine.address, "IPv4 address, for httpd up to 2.4.28")
        ->check(why_no_address);
    id.add_option("--worker", order.machine.worker,
                  "0 to 31, for snowflake: one that no running process has")
        ->check(CLI::Range(0, 31));
    id.add_option("--datacenter", order.machine.datacenter, "0 to 31, for snowflake")
        ->check(CLI::Range(0, 31));
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App cli(
        "ticketgate: an HTTP reverse proxy that lets requests through one at a time, in order");
    std::string file = "/etc/ticketgate/ticketgate.yaml", method, path, queue, admin;
    std::uint64_t number = 0;
    cli.add_option("-c,--config", file, "the config file")->capture_default_str();
    cli.set_version_flag("--version", std::string("ticketgate ") + version);
    cli.require_subcommand(0, 1);
    cli.fallthrough();

    auto* check = cli.add_subcommand("check", "reads the config and tells every problem");
    bool connect = false;
    check->add_flag("--connect", connect,
                    "connects to each upstream and asks each php-fpm status page, once; exit code "
                    "1: one failed");
    auto* explain =
        cli.add_subcommand("explain", "what applies to a request, and the line that says so");
    explain->add_option("METHOD", method, "GET, POST …")->required();
    explain->add_option("PATH", path, "/path of the request")->required();
    auto* schema = cli.add_subcommand("schema", "prints the JSON Schema of the config");
    constexpr auto hidden = "";  // the group of commands that --help does not list
    auto* example = cli.add_subcommand("example", "prints a config file with every key");
    auto* reference = cli.add_subcommand("reference", "prints the page of all settings");
    example->group(hidden);
    reference->group(hidden);
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
    for (auto* command : {health, queues, release, drain, reload})
        command->add_option("--admin", admin,
                            "host:port or unix:/path of its admin listener, if not as in the file");

    IdOrder order;
    std::vector<std::string> ids;
    bool from_log = false;
    auto* id = cli.add_subcommand("id", "makes ids; `id decode` says what an id means");
    add_order(*id, order);
    auto* decode = id->add_subcommand("decode", "formats, time, machine, process and counter");
    decode->add_option("ID", ids, "ids to be decoded");
    decode->add_flag("--from-log", from_log, "annotates the lines of a log on stdin");

    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return cli.exit(error) == 0 ? commands::ok : commands::usage;
    }
    if (!cli.get_subcommands().empty()) release_signals();  // only a service acts on them itself
    if (*check) return commands::check(file, connect);
    if (*explain) return commands::explain(file, method, path);
    if (*schema) return commands::schema();
    if (*example) return commands::example();
    if (*reference) return commands::reference();
    if (*health) return commands::healthcheck({file, admin});
    if (*decode && from_log == ids.empty())
        return from_log ? annotate_log(std::cin, wall_now(), std::cout)
                        : decode_ids(ids, wall_now(), std::cout, std::cerr);
    if (*decode) {
        std::cerr << "ticketgate: id decode takes ids, or --from-log\n";
        return commands::usage;
    }
    if (*id) return make_ids(order, commands::environment, std::cout, std::cerr);
    if (*queues) return commands::queues({file, admin}, queue);
    if (*release) return commands::release({file, admin}, queue, number);
    if (*drain) return commands::drain({file, admin});
    if (*reload) return commands::reload({file, admin});
    return commands::serve(file);
}

}  // namespace ticketgate

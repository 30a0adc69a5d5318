#include "app/options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "app/arguments.hpp"
#include "app/commands.hpp"
#include "app/id_command.hpp"
#include "app/lost_output.hpp"
#include "app/signals.hpp"
#include "app/unknown_word.hpp"
#include "app/version.hpp"

namespace ticketgate {
namespace {

void add_order(CLI::App& id, IdOrder& order) {
    id.add_option("-f,--format", order.format, "txid, uuidv7, httpd_2_4_47 …")
        ->capture_default_str();
    id.add_option("-n,--number", order.count, "how many")
        ->capture_default_str()
        ->check(why_no_count);
    id.add_option("--address", order.machine.address, "IPv4 address, for httpd up to 2.4.28")
        ->check(why_no_address);
    id.add_option("--worker", order.machine.worker,
                  "0 to 31, for snowflake: a number that no running process uses")
        ->check(CLI::Range(0, 31));
    id.add_option("--datacenter", order.machine.datacenter, "0 to 31, for snowflake")
        ->check(CLI::Range(0, 31));
}

// Returns the end of a command's help. The man page is made from its titles and indented lines.
std::string footer(const std::string& examples, const std::string& exit_codes) {
    return "Examples:\n" + examples + "\n\nExit codes:\n" + exit_codes;
}

constexpr const char* asks =
    "  0 done, 1 the process refused it or did not answer, 2 usage, "
    "78 the file names no admin listener";

// The parser of the command line, with its options and commands.
struct Line {
    CLI::App cli{
        "ticketgate: an HTTP reverse proxy that lets requests through one at a time, in order"};
    std::string file = usual_file, queue, admin, how_long, request_id;
    ExplainedRequest explained;
    std::uint64_t number = 0;
    double every = 1;
    bool all = false, connect = false, watch = false, wait = false, as_json = false,
         as_table = false, from_log = false;
    IdOrder order;
    std::vector<std::string> ids, topic;
    CLI::App *check, *explain, *schema, *example, *reference, *health, *queues, *top, *workers,
        *release, *pause, *resume, *drain, *reload, *upgrade, *cluster, *init, *status, *settle,
        *id, *decode, *version, *help;

    Line();
    int run();
    int misunderstood();

 private:
    CLI::App* add(const char* name, const char* what, const std::string& more);
    void add_views(CLI::App& command);
    void add_file_commands();
    void add_admin_commands();
    void add_top();
    void add_cluster_commands();
    void add_id_commands();
    void add_words();
    commands::View view() const;
    int run_id();
    int print_help();
};

CLI::App* Line::add(const char* name, const char* what, const std::string& more) {
    auto* command = cli.add_subcommand(name, what);
    command->footer(more);
    return command;
}

void Line::add_file_commands() {
    check = add("check", "checks the config and prints every problem",
                footer("  ticketgate check\n  ticketgate check -c ./ticketgate.yaml\n"
                       "  ticketgate check --connect",
                       "  0 good, 1 --connect: one failed, 2 usage, 78 bad configuration"));
    check->add_flag("--connect", connect,
                    "connects to each upstream and reads each php-fpm status page once");
    explain = add("explain", "prints the settings that apply to a request, and their lines",
                  footer("  ticketgate explain POST /cart/add\n"
                         "  ticketgate explain GET https://a.example.org/ --from 192.0.2.1\n"
                         "  ticketgate explain --all GET /",
                         "  0 told, 2 usage, 78 bad configuration"));
    explain->add_option("METHOD", explained.method, "GET, POST …")->required();
    explain->add_option("PATH", explained.target, "/path of the request, or a URL")->required();
    explain->add_option("--host", explained.host, "the Host of the request");
    explain->add_option("--listener", explained.listener,
                        "the name of the listener; without it, the first");
    explain->add_option("--from", explained.from, "the client's address, or unix");
    explain->add_option("--header", explained.headers, "a field, as 'X-Kind: api'; may stand again")
        ->allow_extra_args(false);
    explain->add_flag("--all", all, "also the settings that have their defaults");
    schema = add("schema", "prints the JSON Schema of the config",
                 footer("  ticketgate schema > ticketgate.schema.json", "  0 printed, 2 usage"));
    example = add("example", "prints a config file with every key",
                  footer("  ticketgate example > ticketgate.yaml", "  0 printed, 2 usage"));
    reference = add("reference", "prints the reference page of all settings",
                    footer("  ticketgate reference > reference.md", "  0 printed, 2 usage"));
}

void Line::add_views(CLI::App& command) {
    auto* const json =
        command.add_flag("--json", as_json, "prints JSON, the default for a pipe or a file");
    command.add_flag("--table", as_table, "prints a table, the default on a terminal")
        ->excludes(json);
}

void Line::add_top() {
    top = add("top", "shows the queues in the terminal, and what blocks them, again and again",
              footer("  ticketgate top\n  ticketgate top cart --every 0.5\n  ticketgate top | cat",
                     asks));
    top->add_option("QUEUE", queue, "the queue to begin with; default: the one that is blocked");
    top->add_option("--every", every, "seconds between two pictures")
        ->capture_default_str()
        ->check(why_no_interval);
}

void Line::add_admin_commands() {
    health = add("healthcheck", "checks the running process; exit code 0: ready",
                 footer("  ticketgate healthcheck --admin 127.0.0.1:9901",
                        "  0 ready, 1 draining or no answer, 2 usage, 78 the file names no "
                        "admin listener"));
    queues = add("queues", "prints the queues of the running process",
                 footer("  ticketgate queues\n  ticketgate queues cart\n"
                        "  watch ticketgate queues --table\n"
                        "  ticketgate queues --json | jq .queues",
                        asks));
    queues->add_option("QUEUE", queue, "prints only this queue, with every ticket");
    add_views(*queues);
    add_top();
    workers = add("workers", "prints the workers that the running process has started",
                  footer("  ticketgate workers\n  ticketgate workers --json | jq .workers", asks));
    add_views(*workers);
    release = add("release", "releases the slot of a stuck request, whose backend may still run",
                  footer("  ticketgate release cart 4711 --request-id d22ci1fi0k9uljvvin90", asks));
    release->add_option("QUEUE", queue, "the queue")->required()->check(why_no_queue);
    release->add_option("NUMBER", number, "its number, as `queues QUEUE` shows it")
        ->required()
        ->check(why_no_number);
    release->add_option("--request-id", request_id, "only this request")->check(why_no_request_id);
    pause = add("pause", "admits nobody to a queue; requests that run go on, the others wait",
                footer("  ticketgate pause cart\n  ticketgate pause cart --for 30s", asks));
    pause->add_option("QUEUE", queue, "the queue")->required()->check(why_no_queue);
    pause->add_option("--for", how_long, "ends the pause after this time, such as 30s; at most 24h")
        ->check(why_no_time);
    resume = add("resume", "ends the pause of a queue: its line goes on in order",
                 footer("  ticketgate resume cart", asks));
    resume->add_option("QUEUE", queue, "the queue")->required()->check(why_no_queue);
    drain = add("drain", "finishes the queues and stops the running process",
                footer("  ticketgate drain", asks));
    reload = add("reload", "makes the running process read its config again",
                 footer("  ticketgate reload\n  ticketgate reload --admin 127.0.0.1:9901",
                        "  0 in force, 1 bad file (nothing changed) or no answer, 2 usage,\n"
                        "  3 in force except for keys that need a restart,\n"
                        "  78 the file names no admin listener"));
    upgrade = add(
        "upgrade", "makes a new process take over from the running one, without a gap",
        footer("  ticketgate upgrade\n  ticketgate upgrade --wait",
               "  0 the new process accepts, 1 it does not (the old one goes on), or no answer:\n"
               "  the log says how it ended, or --wait: the old one was ended before it had\n"
               "  finished its line, 2 usage, 78 the file names no admin listener"));
    upgrade->add_flag("--wait", wait, "waits until the old process has finished its line");
    for (auto* command :
         {health, queues, top, workers, release, pause, resume, drain, reload, upgrade})
        command->add_option("--admin", admin, "host:port or unix:/path; default: as in the file")
            ->check(why_no_admin);
}

void Line::add_cluster_commands() {
    constexpr const char* ends =
        "  0 done, 1 the store refused it or did not answer, 2 usage, 78 bad configuration";
    cluster = add("cluster", "initialises the cluster's store, or prints what it holds",
                  footer("  ticketgate cluster init\n  ticketgate cluster status", ends));
    cluster->require_subcommand(0, 1);  // run() tells what is missing
    init = cluster->add_subcommand("init", "prepares the store for a new cluster; run it once");
    init->footer(footer("  ticketgate cluster init", ends));
    status = cluster->add_subcommand("status", "prints the replicas and who keeps which queue");
    status->footer(
        footer("  ticketgate cluster status\n"
               "  ticketgate cluster status --json | jq .queues",
               ends));
    add_views(*status);
    settle = add("settle", "says that all requests of a lost replica have ended",
                 footer("  ticketgate settle app 1790000000", ends));
    settle->add_option("QUEUE", queue, "the queue")->required()->check(why_no_queue);
    settle->add_option("EPOCH", number, "the epoch that `cluster status` names")
        ->required()
        ->check(why_no_epoch);
}

void Line::add_id_commands() {
    id = add("id", "makes ids; `id decode` explains ids",
             footer("  ticketgate id -f uuidv7 -n 3\n  ticketgate id decode ID",
                    "  0 printed, 2 usage"));
    add_order(*id, order);
    decode =
        id->add_subcommand("decode", "prints format, time, machine, process and counter of ids");
    decode->footer(
        footer("  ticketgate id decode ID\n"
               "  ticketgate id decode --from-log < access.log",
               "  0 decoded, 2 usage, or not an id"));
    decode->add_option("ID", ids, "the ids to decode");
    decode->add_flag("--from-log", from_log, "annotates the lines of a log on stdin");
}

void Line::add_words() {
    version = add("version", "prints the version", "");
    help = add("help", "prints the help of a command",
               footer("  ticketgate help reload", "  0 printed, 2 no such command"));
    help->add_option("COMMAND", topic, "such as `check`, or `id decode`");
}

Line::Line() {
    const auto add_config = [this](CLI::App& app) {
        app.add_option("-c,--config", file, "the config file")->capture_default_str();
    };
    add_config(cli);
    cli.add_flag("--watch", watch, "reads the config again when one of its files changes");
    cli.set_version_flag("-V,--version", std::string("ticketgate ") + ticketgate::version);
    cli.require_subcommand(0, 1);
    cli.fallthrough();
    cli.footer(footer("  ticketgate check && ticketgate\n  ticketgate help reload",
                      "  0 success, 1 an error at run time, 2 usage, 3 a reload left keys for a "
                      "restart, 78 bad configuration"));
    add_file_commands();
    add_admin_commands();
    add_cluster_commands();
    add_id_commands();
    add_words();
    for (auto* command : {check, explain, health, queues, top, workers, release, pause, resume,
                          drain, reload, upgrade, init, status, settle})
        add_config(*command);
}

commands::View Line::view() const {
    if (as_json) return commands::View::json;
    return as_table ? commands::View::table : commands::View::automatic;
}

int Line::run_id() {
    if (!*decode) return make_ids(order, commands::environment, std::cout, std::cerr);
    if (from_log == ids.empty())
        return from_log ? annotate_log(std::cin, wall_now(), std::cout)
                        : decode_ids(ids, wall_now(), std::cout, std::cerr);
    std::cerr << "ticketgate: id decode needs ids or --from-log\n";
    return commands::usage;
}

int Line::print_help() {
    CLI::App* about = &cli;
    std::string above;
    for (const auto& name : topic) {
        above += (above.empty() ? "" : " ") + about->get_name();
        const auto below = about->get_subcommands(
            [&name](const CLI::App* app) { return app->get_name() == name; });
        if (below.empty()) return unknown(name, names_of(*about));
        about = below.front();
    }
    // The program's own help() would print the help of the command in use, which is `help`.
    above += (above.empty() ? "" : " ") + about->get_name();
    std::cout << about->get_formatter()->make_help(about, above, CLI::AppFormatMode::Normal);
    return commands::ok;
}

// Reports a word that no command accepts.
int Line::misunderstood() {
    CLI::App* inside = &cli;
    while (!inside->get_subcommands().empty()) inside = inside->get_subcommands().front();
    auto known = names_of(*inside);
    for (const CLI::App* app : {static_cast<const CLI::App*>(inside), &std::as_const(cli)})
        for (auto& name : options_of(*app)) known.push_back(std::move(name));
    const auto words = cli.remaining(true);
    if (words.empty()) return commands::usage;
    if (const auto told = misplaced(words, *inside)) return *told;
    if (inside == &cli || words.front().starts_with('-') || inside == id || inside == cluster)
        return unknown(words.front(), known);
    std::cerr << "ticketgate: " << inside->get_name()
              << " takes no more arguments: " << words.front() << "\nRun ticketgate "
              << inside->get_name() << " --help for its arguments.\n";
    return commands::usage;
}

int Line::run() {
    if (watch && !cli.get_subcommands().empty()) {
        std::cerr << "ticketgate: --watch is for the program without a command\n";
        return commands::usage;
    }
    if (*version) return commands::version();
    if (*help) return print_help();
    if (*check) return commands::check(file, connect);
    if (*explain) return commands::explain(file, explained, all);
    if (*schema) return commands::schema();
    if (*example) return commands::example();
    if (*reference) return commands::reference();
    if (*health) return commands::healthcheck({file, admin});
    if (*id) return run_id();
    if (*queues) return commands::queues({file, admin}, queue, view());
    if (*top) return commands::top({file, admin}, {queue, every});
    if (*workers) return commands::workers({file, admin}, view());
    if (*release) return commands::release({file, admin}, queue, number, request_id);
    if (*pause) return commands::pause({file, admin}, queue, how_long);
    if (*resume) return commands::resume({file, admin}, queue);
    if (*drain) return commands::drain({file, admin});
    if (*reload) return commands::reload({file, admin});
    if (*upgrade) return commands::upgrade({file, admin}, wait);
    if (*init) return commands::cluster_init(file);
    if (*status) return commands::cluster_status(file, view());
    if (*settle) return commands::settle(file, queue, number);
    if (*cluster) return cluster_needs_a_word();
    return commands::serve(file, watch);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    Line line;
    try {
        line.cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        release_signals();
        if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return line.misunderstood();
        return line.cli.exit(error) == 0 ? commands::ok : commands::usage;
    }
    if (line.cli.get_subcommands().empty()) return line.run();
    release_signals();  // only a service handles them
    return after_output(line.run());
}

}  // namespace ticketgate

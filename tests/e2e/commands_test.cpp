// The commands as a user types them: their output, exit codes and messages for mistakes.
#include "the_program.hpp"

namespace ticketgate::test {
namespace {

class TheCommands : public TheProgram {};

TEST_F(TheCommands, MakesNoIdsForBadArguments) {
    const std::pair<std::vector<std::string>, const char*> bad[] = {
        {{"-n", "0"}, "0 is not a number from 1 to 1000000000"},
        {{"-n", "-1"}, "-1 is not a number from 1 to 1000000000"},
        {{"--number=-1"}, "-1 is not a number from 1 to 1000000000"},
        {{"-n", "99999999999999999999"}, "is not a number from 1 to 1000000000"},
        {{"-n", "3x"}, "3x is not a number from 1 to 1000000000"},
        {{"-f", "httpd_2_0", "--address", "1.2.3"}, "1.2.3 is not an IPv4 address"},
        {{"-f", "httpd_2_0", "--address", "::1"}, "::1 is not an IPv4 address"},
        {{"-f", "snowflake"}, "a snowflake needs --worker N"}};
    for (auto [order, why] : bad) {
        order.insert(order.begin(), "id");
        Program program(order);
        EXPECT_EQ(program.wait(), 2) << why;
        EXPECT_NE(program.err().find(why), std::string::npos) << program.err();
        EXPECT_EQ(program.out(), "") << why;
    }
    Program good({"id", "-f", "httpd_2_0", "--address", "192.0.2.1", "-n", "2"});
    EXPECT_EQ(good.wait(), 0) << good.err();
    const std::string lines = good.out();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

// Files, meaning and misspelt keys together, whichever of them hides which.
// The look at the machine sees these files, too, in which a value is missing or has another type.
TEST_F(TheCommands, CheckNamesDefectiveSections) {
    const std::string http = "upstreams: { app: { url: \"http://127.0.0.1:9\" } }\n";
    for (const std::string& broken :
         {std::string("upstreams: { app: { workers: { command: php-cgi } } }\n"),
          std::string("upstreams: { app: { workers: {} } }\n"),
          std::string("upstreams: { app: { workers: { command: [[x]] } } }\n"),
          std::string("upstreams: { app: { workers: { command: [nowhere], user: [] } } }\n"),
          std::string("upstreams: { app: { url: \"http://h\", files: { root: [], try: [] } } }\n"),
          std::string("upstreams: { app: { url: \"https://h\", tls: { ca_file: [] } } }\n"),
          http + "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{}] } }]\n",
          http + "spool: { directory: [], max_disk: {} }\n", http + "log: { access_file: [] }\n",
          http + "id_service: {}\n", http + "ids: { request_id: { format: [] } }\n",
          http + "admin: { address: [], token_file: {} }\n"}) {
        const std::string listen =
            broken.find("listen:") == broken.npos ? "listen: [{ address: \"127.0.0.1:0\" }]\n" : "";
        Program check(
            {"check", "-c", config(listen + broken + "routes: [{ prefix: /, upstream: app }]\n")});
        EXPECT_EQ(check.wait(), 78) << broken << check.err();
    }
}

TEST_F(TheCommands, ChecksEverythingInOnePass) {
    const std::string file = config(
        "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ certificate: nope.pem, key: "
        "nope.key }] } }]\nupstreams: { app: { url: \"https://127.0.0.1:9\", tls: { ca_file: "
        "noca.pem "
        "} } }\nlog: { access_file: /nodir/x }\nspool: { directory: /nospool }\nroutes: [{ prefix: "
        "/, "
        "upstream: app, queue: q, max_waitin: 1, on_full: { body_file: nobody.html } }]\nqueues: { "
        "q: "
        "{ release: worker_idle } }\nid_service: { address: \"127.0.0.1:0\", worker: 1, "
        "token_file: "
        "notoken, state_file: /nodir/s }\n");
    Program check({"check", "-c", file});
    EXPECT_EQ(check.wait(), 78);
    const std::string told = check.err();
    for (const char* part :
         {"nope.pem", "nope.key", "noca.pem", "log.access_file: /nodir",
          "spool.directory: cannot create a file", "max_waitin: unknown key", "nobody.html",
          "queues.q.release: worker_idle asks", "notoken", "id_service.state_file: /nodir"})
        EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 10) << told;
    EXPECT_LT(told.find("nope.pem"), told.find("noca.pem")) << "in the order of the file";
    EXPECT_LT(told.find("noca.pem"), told.find("max_waitin")) << "in the order of the file";
}

TEST_F(TheCommands, ExplainsThatAPathWithTwoReadingsIsRefused) {
    const std::string routes =
        "routes: [{ prefix: /, upstream: app }, { prefix: /q, upstream: app, queue: q }]\n";
    const std::string file = config(head() + routes);
    Program two({"explain", "-c", file, "GET", "/q/..%5Cx"});
    EXPECT_EQ(two.wait(), 0);
    EXPECT_NE(two.out().find("refused with 400"), std::string::npos) << two.out() << two.err();
    Program one({"explain", "-c", file, "GET", "/q/a%5Cx"});
    EXPECT_EQ(one.wait(), 0);
    EXPECT_EQ(one.out().find("refused"), std::string::npos) << one.out();
    EXPECT_NE(one.out().find("queue"), std::string::npos) << one.out();
}

TEST_F(TheCommands, ExplainsTheSettingsOfTheFileAndWithAllTheDefaults) {
    const std::string file =
        config(head() + "routes: [{ prefix: /, upstream: app, queue: q, max_body: 1MiB }]\n");
    Program some({"explain", "-c", file, "GET", "/"});
    EXPECT_EQ(some.wait(), 0);
    EXPECT_NE(some.out().find("max_body "), std::string::npos) << some.out();
    EXPECT_EQ(some.out().find("wait_timeout"), std::string::npos) << some.out();
    EXPECT_NE(some.out().find(" more settings have their defaults; --all shows them\n"),
              std::string::npos)
        << some.out();
    Program all({"explain", "--all", "-c", file, "GET", "/"});
    EXPECT_EQ(all.wait(), 0);
    EXPECT_NE(all.out().find("wait_timeout "), std::string::npos) << all.out();
    EXPECT_EQ(all.out().find("--all"), std::string::npos) << all.out();
}

TEST_F(TheCommands, PrintsItsVersionAndItsHelp) {
    Program version({"--version"});
    EXPECT_EQ(version.wait(), 0);
    EXPECT_TRUE(version.out().starts_with("ticketgate "));
    Program help({"--help"});
    EXPECT_EQ(help.wait(), 0);
    EXPECT_NE(help.out().find("explain"), std::string::npos);
    for (const char* word : {"version", "-V"}) {
        Program same({word});
        EXPECT_EQ(same.wait(), 0);
        EXPECT_EQ(same.out(), version.out());
    }
    Program command({"help"});
    EXPECT_EQ(command.wait(), 0);
    EXPECT_EQ(command.out(), help.out());
}

TEST_F(TheCommands, PrintsHelpForEachCommand) {
    for (const char* name :
         {"check", "explain", "healthcheck", "queues", "release", "drain", "reload"}) {
        Program help({name, "--help"});
        EXPECT_EQ(help.wait(), 0);
        for (const char* part : {"-c,--config", "Examples:\n", "Exit codes:\n"})
            EXPECT_NE(help.out().find(part), std::string::npos) << name << help.out();
        Program same({"help", name});
        EXPECT_EQ(same.wait(), 0);
        EXPECT_EQ(same.out(), help.out());
    }
}

TEST_F(TheCommands, SuggestsTheNearestWordForAMisspeltOne) {
    const std::pair<std::vector<std::string>, const char*> slips[] = {
        {{"chek", "-c", "x"}, "chek is not a command; did you mean check?\n"},
        {{"id", "decod"}, "decod is not a command; did you mean decode?\n"},
        {{"help", "reloda"}, "reloda is not a command; did you mean reload?\n"},
        {{"check", "--confg", "x"}, "--confg is not an option here; did you mean --config?\n"},
        {{"nothing-like-it"}, "nothing-like-it is not a command\n"},
        {{"check", "x.yaml"}, "check takes no more arguments: x.yaml\n"}};
    for (const auto& [words, told] : slips) {
        Program program(words);
        EXPECT_EQ(program.wait(), 2) << told;
        EXPECT_TRUE(program.err().starts_with("ticketgate: " + std::string(told))) << program.err();
        EXPECT_EQ(program.out(), "");
    }
}

TEST_F(TheCommands, SayWhereAnOptionGoesThatStandsBeforeItsCommand) {
    const std::pair<std::vector<std::string>, const char*> slips[] = {
        {{"--admin", "127.0.0.1:1", "queues"},
         "--admin 127.0.0.1:1 goes behind the command: ticketgate queues "},
        {{"--admin=127.0.0.1:1", "queues"},
         "--admin=127.0.0.1:1 goes behind the command: ticketgate queues "},
        {{"--for", "3s", "pause", "app"}, "--for 3s goes behind the command: ticketgate pause "},
        {{"--json", "queues"}, "--json goes behind the command: ticketgate queues "},
        {{"-n", "3", "id"}, "-n 3 goes behind the command: ticketgate id "},
        {{"cluster", "--table", "status"},
         "--table goes behind the command: ticketgate cluster status "},
        {{"--admin", "127.0.0.1:1"},
         "--admin 127.0.0.1:1 goes behind the command: ticketgate healthcheck "},
        {{"id", "--from-log"}, "--from-log goes behind the command: ticketgate id decode "}};
    for (const auto& [words, told] : slips) {
        Program program(words);
        EXPECT_EQ(program.wait(), 2) << told;
        EXPECT_TRUE(program.err().starts_with("ticketgate: " + std::string(told))) << program.err();
    }
}

TEST_F(TheCommands, HealthcheckAndQueuesAskTheRunningProcess) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program none({"healthcheck", "-c", file});
    EXPECT_EQ(none.wait(), 1) << "nobody runs yet";
    Program program({"-c", file});
    (void)address_of(program);
    Program health({"healthcheck", "-c", file});
    EXPECT_EQ(health.wait(), 0) << health.err();
    Program queues({"queues", "-c", file});
    EXPECT_EQ(queues.wait(), 0);
    EXPECT_NE(queues.out().find("\"name\":\"q\""), std::string::npos) << "JSON into a file";
    Program table({"queues", "--table", "-c", file});
    EXPECT_EQ(table.wait(), 0);
    EXPECT_TRUE(table.out().starts_with("QUEUE  RUNNING")) << table.out();
    Program one({"queues", "q", "--table", "-c", file});
    EXPECT_EQ(one.wait(), 0);
    EXPECT_TRUE(one.out().ends_with("\n\nno tickets\n")) << one.out();
    Program both({"queues", "--table", "--json", "-c", file});
    EXPECT_EQ(both.wait(), 2);
    program.signal(SIGINT);
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(TheCommands, DrainsByItsOwnCommand) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    backend.hold("/held");
    Client client(address_of(program));
    client.request("GET", "/held");
    EXPECT_TRUE(backend.wait_for("/held"));
    Program drain({"drain", "-c", file});
    EXPECT_EQ(drain.wait(), 0) << drain.err();
    EXPECT_EQ(drain.out(), "draining\n");
    Program health({"healthcheck", "-c", file});
    EXPECT_EQ(health.wait(), 1);
    EXPECT_EQ(health.err(), "draining\n");
    backend.release("/held");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(program.wait(), 0);
}

// The commands reach the process even if the config cannot be loaded here or is half edited.
TEST_F(TheCommands, NeedOnlyTheAdminSectionOfTheFile) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    (void)address_of(program);
    for (const auto& [broken, complaint] :
         {std::pair{"drain_timeout: ${TICKETGATE_TEST_IS_NOT_SET}\n", "TICKETGATE_TEST_IS_NOT_SET"},
          std::pair{"nonsense: [\n", "c.yaml:"}}) {
        config(good + broken);
        Program queues({"queues", "-c", file});
        EXPECT_EQ(queues.wait(), 0) << queues.err();
        EXPECT_NE(queues.out().find("\"name\":\"q\""), std::string::npos);
        Program reload({"reload", "-c", file});
        EXPECT_EQ(reload.wait(), 1);
        EXPECT_NE(reload.err().find("the old config stays"), std::string::npos) << reload.err();
        EXPECT_NE(reload.err().find(complaint), std::string::npos) << "names the problem";
        EXPECT_TRUE(program.says(complaint));
    }
    config(good);
    Program reload({"reload", "-c", file});
    EXPECT_EQ(reload.wait(), 0) << reload.err();
    EXPECT_EQ(reload.out(), "loaded\n");
}

// The requests of a queue without routes exclude only each other.
TEST_F(TheCommands, ReloadNamesAQueueThatLosesItsRoutesWhileARequestRuns) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    backend.hold("/held");
    Client client(address_of(program));
    client.request("GET", "/held");
    EXPECT_TRUE(backend.wait_for("/held"));
    const auto at = good.find("queue: q");
    config(std::string(good).replace(at, 8, "queue: other"));
    Program reload({"reload", "-c", file});
    EXPECT_EQ(reload.wait(), 0) << reload.err();
    const std::string told =
        "queue q has no route any more, but 1 of its requests run and 0 wait: until they end, "
        "requests of other queues may run beside them";
    EXPECT_NE(reload.err().find(told), std::string::npos) << reload.err();
    EXPECT_TRUE(program.says(told));
    backend.release("/held");
    EXPECT_EQ(client.read().status, 200);
    Program again({"reload", "-c", file});
    EXPECT_EQ(again.wait(), 0);
    EXPECT_EQ(again.err().find("no route any more"), std::string::npos) << again.err();
}

TEST_F(TheCommands, ReloadNamesAPausedQueueThatLosesItsRoutes) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    (void)address_of(program);
    EXPECT_EQ(Program({"pause", "q", "-c", file}).wait(), 0);
    config(std::string(good).replace(good.find("queue: q"), 8, "queue: other"));
    Program reload({"reload", "-c", file});
    EXPECT_EQ(reload.wait(), 0) << reload.err();
    EXPECT_NE(reload.err().find("queue q has no route any more, but is paused"), std::string::npos)
        << reload.err();
    Program pause({"pause", "q", "-c", file});
    EXPECT_EQ(pause.wait(), 1);
    EXPECT_NE(pause.err().find("no route leads to queue q"), std::string::npos) << pause.err();
}

TEST_F(TheCommands, AskAtTheAddressOfTheirOption) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    (void)address_of(program);
    const std::string admin = "unix:" + folder.file("admin.sock");
    Program absent({"healthcheck", "-c", folder.file("absent.yaml")});
    EXPECT_EQ(absent.wait(), 78);
    EXPECT_NE(absent.err().find("--admin ADDRESS"), std::string::npos) << absent.err();
    Program health({"healthcheck", "-c", folder.file("absent.yaml"), "--admin", admin});
    EXPECT_EQ(health.wait(), 0) << health.err();
    Program wrong({"healthcheck", "-c", file, "--admin", "9901"});
    EXPECT_EQ(wrong.wait(), 2);
    RefusingPort nobody;
    const std::string refusing = "localhost" + nobody.url().substr(nobody.url().rfind(':'));
    Program other({"healthcheck", "-c", file, "--admin", refusing});
    EXPECT_EQ(other.wait(), 1) << "the file's is not asked";
    EXPECT_NE(other.err().find(refusing), std::string::npos) << other.err();
}

TEST_F(TheCommands, ReloadPrintsTheWarningsOfTheFile) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    (void)address_of(program);
    const std::string warns = "queues: { q: { max_in_flight: 2 } }\n",
                      warning = "warning: queues.q.max_in_flight: more than 1 is not mutual";
    config(good + warns);
    Program reload({"reload", "-c", file});
    EXPECT_EQ(reload.wait(), 0);
    EXPECT_EQ(reload.out(), "loaded\n");
    EXPECT_NE(reload.err().find(warning), std::string::npos) << reload.err();
    config(good + warns + "threads: 2\n");
    Program part({"reload", "-c", file});
    EXPECT_EQ(part.wait(), 3);
    EXPECT_NE(part.err().find(warning), std::string::npos) << part.err();
    config(good + warns + "threds: 2\n");
    Program bad({"reload", "-c", file});
    EXPECT_EQ(bad.wait(), 1);
    EXPECT_NE(bad.err().find("threds: unknown key"), std::string::npos) << bad.err();
    EXPECT_NE(bad.err().find(warning), std::string::npos) << bad.err();
}

TEST_F(TheCommands, ReleaseTakesTheNumberOfATicketOnly) {
    for (const char* number : {"-1", "0", "x", "99999999999999999999"}) {
        Program release({"release", "-c", config(head() + good_routes), "q", number});
        EXPECT_EQ(release.wait(), 2) << number;
    }
}

// A front controller answers 200 to everything: no command is done by that.
TEST_F(TheCommands, TakeNoOtherServerForTheAdminListener) {
    Backend web, noise;
    for (const char* path : {"/healthz", "/api/v1/queues", "/api/v1/reload", "/api/v1/drain",
                             "/api/v1/queues/q/release"})
        noise.on(path, [](Call& call) { call.finish("SSH-2.0-OpenSSH_9.2\r\n"); });
    const std::string file = config(head() + good_routes);
    for (const std::string& url : {web.url(), noise.url()})
        for (const std::vector<std::string>& words : {std::vector<std::string>{"healthcheck"},
                                                      {"queues"},
                                                      {"reload"},
                                                      {"drain"},
                                                      {"release", "q", "1"}}) {
            auto line = words;
            const auto address = url.substr(7);
            line.insert(line.end(), {"-c", file, "--admin", address});
            Program command(line);
            EXPECT_EQ(command.wait(), 1) << words[0];
            EXPECT_EQ(command.out(), "");
            EXPECT_NE(command.err().find(address +
                                         ": answers, but it is not ticketgate's admin listener\n"),
                      std::string::npos)
                << command.err();
        }
}

// The file is compared with the running config, so a second reload reports the same keys.
TEST_F(TheCommands, ReloadNamesTheKeysThatNeedARestart) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    (void)address_of(program);
    config(good + "threads: 2\nqueues: { q: { max_in_flight: 3 } }\n");
    for (int i = 0; i < 2; ++i) {
        Program reload({"reload", "-c", file});
        EXPECT_EQ(reload.wait(), 3);
        EXPECT_EQ(reload.out(), "");
        EXPECT_NE(reload.err().find("loaded, except for what needs a restart:\n"),
                  std::string::npos)
            << reload.err();
        EXPECT_NE(reload.err().find("threads: 2 needs a restart; 1 stays in force\n"),
                  std::string::npos)
            << reload.err();
    }
    EXPECT_TRUE(program.says("threads: 2 needs a restart")) << "in the log, too";
    Program queues({"queues", "--json", "-c", file});
    EXPECT_EQ(queues.wait(), 0) << queues.err();
    EXPECT_NE(queues.out().find("\"max_in_flight\":3"), std::string::npos)
        << "the rest is in force";
    config(good);
    Program back({"reload", "-c", file});
    EXPECT_EQ(back.wait(), 0) << back.err();
    EXPECT_EQ(back.out(), "loaded\n");
}

TEST_F(TheCommands, ReachTheProcessAfterItsAdminAddressChangedInTheFile) {
    Backend backend;
    const std::string good = administered(backend), file = config(good);
    Program program({"-c", file});
    (void)address_of(program);
    const std::string socket = "unix:" + folder.file("admin.sock");
    std::string moved = good;
    moved.replace(moved.find("admin.sock"), 10, "moved.sock");
    config(moved);
    Program lost({"reload", "-c", file});
    EXPECT_EQ(lost.wait(), 1);
    EXPECT_NE(lost.err().find("give the old address: --admin ADDRESS"), std::string::npos)
        << lost.err();
    Program reload({"reload", "-c", file, "--admin", socket});
    EXPECT_EQ(reload.wait(), 3);
    EXPECT_NE(reload.err().find("until the restart, add --admin " + socket + " to commands"),
              std::string::npos)
        << reload.err();
}

TEST_F(TheCommands, WithoutAnAdminListenerReportTheReason) {
    Program queues({"queues", "-c", config(head() + good_routes)});
    EXPECT_EQ(queues.wait(), 78);
    EXPECT_NE(queues.err().find("names no admin listener (no `admin:`, or `admin: off`)"),
              std::string::npos)
        << queues.err();
}

}  // namespace
}  // namespace ticketgate::test

// The program as a user starts it: exit codes, messages, signals (CONTRACT 7).
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>

#include "base/descriptor.hpp"
#include "support/configs.hpp"
#include "support/program.hpp"

namespace ticketgate::test {
namespace {

const std::string good_routes = "routes: [{ prefix: /, upstream: app }]\n";

// Stands for systemd while it lives: its socket, and the variable that names it.
class NotifySocket {
 public:
    explicit NotifySocket(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        path.copy(at.sun_path, sizeof at.sun_path - 1);
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
            throw std::runtime_error("cannot bind " + path);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    }
    ~NotifySocket() { ::unsetenv("NOTIFY_SOCKET"); }

    /// Does the next message begin so?
    bool hears(const std::string& text) const {
        pollfd waits{socket_.get(), POLLIN, 0};
        if (::poll(&waits, 1, static_cast<int>(milliseconds(patience).count())) != 1) return false;
        std::array<char, 4096> message;
        const auto size = ::recv(socket_.get(), message.data(), message.size(), 0);
        return size > 0 &&
               std::string(message.data(), static_cast<std::size_t>(size)).starts_with(text);
    }

 private:
    Descriptor socket_;
};

class TheProgram : public testing::Test {
 protected:
    std::string config(const std::string& text) { return folder.write("c.yaml", text); }
    std::string head(const std::string& address = "127.0.0.1:0") const {
        return "listen: [{ address: \"" + address + "\" }]\n" +
               "upstreams: { app: { url: \"http://127.0.0.1:9\" } }\n";
    }
    // Exit code 78 and exactly one message, which names the place and what is wrong.
    void expect_bad(const std::string& text, const std::string& message) {
        Program program({"-c", config(text)});
        EXPECT_EQ(program.wait(), 78) << text;
        const std::string told = program.err();
        EXPECT_NE(told.find(message), std::string::npos) << told;
        EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
        EXPECT_NE(told.find("c.yaml:"), std::string::npos) << told;
        EXPECT_EQ(program.out(), "");
    }
    // With an admin listener on a unix socket, and everything in one queue.
    std::string administered(const Backend& backend) const {
        return "listen: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:" +
               folder.file("admin.sock") + "\" }\nupstreams: { app: { url: \"" + backend.url() +
               "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q }]\n";
    }
    // Where a started one listens, by its own word.
    net::Endpoint address_of(const Program& program) const {
        EXPECT_TRUE(program.says("listening"));
        const std::string told = program.err(), host = "127.0.0.1:";
        const auto at = told.find(host, told.find("listening"));
        if (at == std::string::npos) throw std::runtime_error("no address in: " + told);
        const auto port = std::stoul(told.substr(at + host.size()));
        return *net::Endpoint::from_ip("127.0.0.1", static_cast<std::uint16_t>(port));
    }
    TemporaryFolder folder;
};

TEST_F(TheProgram, RefusesABadConfigWithOneClearMessageAndCode78) {
    expect_bad(head() + "routes: [{ prefix: /, upstream: app, wait_timout: 1s }]\n",
               "did you mean wait_timeout?");
    expect_bad(head() + good_routes + "threads: [1]\n", "threads");
    expect_bad(head() + "routes: [{ prefix: /, upstream: app, max_waiting: -1 }]\n", "max_waiting");
    expect_bad(head() + "routes: [{ prefix: /, upstream: app, on_full: { status: 200 } }]\n",
               "status");
    expect_bad(head() + "routes: [{ prefix: /, upstream: nobody }]\n", "nobody");
    expect_bad(head() + "routes: [{ regex: '(', upstream: app }, { prefix: /, upstream: app }]\n",
               "regex");
    expect_bad(head() + "routes: [{ prefix: /, upstream: app, on_full: { body_file: no/such } }]\n",
               "no/such");
    expect_bad(head() + good_routes + "spool: { directory: /no/such }\n", "No such file");
    expect_bad(head() + "routes: [{ prefix: /\n", "c.yaml");
    expect_bad(head() + good_routes + "log: { access_file: /no/such/log }\n",
               "log.access_file: /no/such: No such file");
    folder.write("letter", "hello, I am a letter\n");
    expect_bad(head() + good_routes +
                   "id_service: { address: \"127.0.0.1:0\", worker: 1, state_file: letter }\n",
               "id_service.state_file: " + folder.file("letter") + " is no state file");
}

TEST_F(TheProgram, TellsAllProblemsAtOnce) {
    Program program(
        {"check", "-c", config(head() + "threads: x\nroutes: [{ prefix: a, upstraem: b }]\n")});
    EXPECT_EQ(program.wait(), 78);
    const std::string told = program.err();
    EXPECT_GE(std::count(told.begin(), told.end(), '\n'), 3) << told;
}

TEST_F(TheProgram, ThatHasNoConfigEndsWith78) {
    Program program({"-c", folder.file("absent.yaml")});
    EXPECT_EQ(program.wait(), 78);
    EXPECT_NE(program.err().find("absent.yaml"), std::string::npos);
}

TEST_F(TheProgram, ChecksAGoodConfig) {
    Program program({"check", "-c", config(head() + good_routes)});
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(TheProgram, ThatFindsItsPortTakenEndsWith1AndNamesIt) {
    RefusingPort taken;
    const std::string address = taken.url().substr(7);
    Program program({"-c", config(head(address) + good_routes)});
    EXPECT_EQ(program.wait(), 1);
    EXPECT_NE(program.err().find(address), std::string::npos) << program.err();
    const std::string admin = "admin: { address: \"" + address + "\" }\n";
    Program second({"-c", config(head() + admin + good_routes)});
    EXPECT_EQ(second.wait(), 1);
    EXPECT_NE(second.err().find(address), std::string::npos) << second.err();
}

TEST_F(TheProgram, ThatIsNotUnderstoodEndsWith2) {
    Program program({"--no-such-option"});
    EXPECT_EQ(program.wait(), 2);
    Program missing({"explain", "GET"});
    EXPECT_EQ(missing.wait(), 2);
}

TEST_F(TheProgram, MakesNoIdsForAnOrderItDoesNotUnderstand) {
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

TEST_F(TheProgram, ExplainsThatAPathWithTwoReadingsIsRefused) {
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

TEST_F(TheProgram, ExplainsWhatTheFileSetsAndWithAllTheDefaults) {
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

TEST_F(TheProgram, TellsItsVersionAndItsHelp) {
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

TEST_F(TheProgram, TellsOfEachCommandItsConfigItsExamplesAndItsExitCodes) {
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

TEST_F(TheProgram, SuggestsWhatAMisspeltWordMayMean) {
    const std::pair<std::vector<std::string>, const char*> slips[] = {
        {{"chek", "-c", "x"}, "chek is no command; did you mean check?\n"},
        {{"id", "decod"}, "decod is no command; did you mean decode?\n"},
        {{"help", "reloda"}, "reloda is no command; did you mean reload?\n"},
        {{"check", "--confg", "x"}, "--confg is no option here; did you mean --config?\n"},
        {{"nothing-like-it"}, "nothing-like-it is no command\n"},
        {{"check", "x.yaml"}, "check takes no further word: x.yaml\n"}};
    for (const auto& [words, told] : slips) {
        Program program(words);
        EXPECT_EQ(program.wait(), 2) << told;
        EXPECT_TRUE(program.err().starts_with("ticketgate: " + std::string(told))) << program.err();
        EXPECT_EQ(program.out(), "");
    }
}

TEST_F(TheProgram, DrainsOnTheFirstTermAndStopsOnTheSecond) {
    Backend backend;
    backend.hold("/x");
    const std::string yaml = "listen: [{ address: \"127.0.0.1:0\" }]\n" +
                             std::string("upstreams: { app: { url: \"") + backend.url() +
                             "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q }]\n";
    Program first({"-c", config(yaml)});
    Client client(address_of(first));
    client.get("/x");
    ASSERT_TRUE(backend.wait_for("/x"));
    first.signal(SIGTERM);
    EXPECT_TRUE(first.says("draining"));
    backend.release("/x");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(first.wait(), 0);
    EXPECT_NE(first.out().find("\"path\":\"/x\""), std::string::npos) << "the log is on stdout";

    backend.hold("/y");
    Program second({"-c", config(yaml)});
    Client other(address_of(second));
    other.get("/y");
    ASSERT_TRUE(backend.wait_for("/y"));
    second.signal(SIGTERM);
    EXPECT_TRUE(second.says("draining"));
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);
    backend.release("/y");
}

// The backends of these may still run when the next process begins, which cannot know of them.
TEST_F(TheProgram, ThatCannotWaitForTheLineSaysWhichRequestsItLeavesBehind) {
    Backend backend;
    backend.hold("/x");
    Program program({"-c", config(administered(backend) +
                                  "queues: { q: { max_in_flight: 34 } }\ndrain_timeout: 0s\n")});
    const auto address = address_of(program);
    std::vector<Client> clients;
    for (int i = 0; i < 34; ++i) {
        clients.emplace_back(address);
        clients.back().get("/x");
    }
    ASSERT_TRUE(backend.wait_for("/x", 34));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    const std::string told = program.err();
    int listed = 0;
    for (const auto& seen : backend.of("/x"))
        listed += told.find("queue=q request_id=" + seen.header("X-Request-Id")) != told.npos;
    EXPECT_EQ(listed, 32) << told;
    EXPECT_NE(told.find("requests=2"), std::string::npos) << told;
    EXPECT_NE(told.find("error"), std::string::npos);
    backend.release("/x");
}

// Such requests have no method and path in the access log.
TEST_F(TheProgram, SaysWhyItRefusedAHead) {
    Backend backend;
    Program program({"-c", config(administered(backend))});
    const auto address = address_of(program);
    const auto refused = [&](const std::string& head) {
        Client client(address);
        client.send(head + "\r\n\r\n");
        return "request refused client_ip=127.0.0.1 request_id=" +
               client.read().header("X-Request-Id") + " status=";
    };
    const auto twice = refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a");
    EXPECT_TRUE(program.says(twice + "400 why=\"two Host fields\"")) << program.err();
    const auto trace = refused("TRACE / HTTP/1.1\r\nHost: a");
    EXPECT_TRUE(program.says(trace + "405 why=\"CONNECT or TRACE\"")) << program.err();
    const auto path = refused("GET /a%00b HTTP/1.1\r\nHost: a");
    EXPECT_TRUE(program.says(path + "400 why=\"a path that has no normal form\"")) << program.err();
}

TEST_F(TheProgram, ReloadsOnHupAndKeepsTheOldFileWhenTheNewOneIsBad) {
    Backend backend;
    const std::string yaml = "listen: [{ address: \"127.0.0.1:0\" }]\n" +
                             std::string("upstreams: { app: { url: \"") + backend.url() +
                             "\" } }\n";
    Program program({"-c", config(yaml + "routes: [{ prefix: /a, upstream: app }]\n")});
    const auto address = address_of(program);
    const auto status_of = [&](const char* path) {
        Client client(address);
        client.get(path);
        return client.read().status;
    };
    EXPECT_EQ(status_of("/b"), 404);
    config(yaml + "routes: [{ prefix: /b, upstream: app }]\n");
    program.signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return status_of("/b") == 200; }));
    config("nonsense: yes\n");
    program.signal(SIGHUP);
    EXPECT_TRUE(program.says("the old one stays"));
    EXPECT_EQ(status_of("/b"), 200);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(TheProgram, OpensItsAccessLogAnewOnUsr1) {
    Backend backend;
    const std::string log = folder.file("access.log");
    Program program({"-c", config("listen: [{ address: \"127.0.0.1:0\" }]\nlog: { access_file: \"" +
                                  log + "\" }\nupstreams: { app: { url: \"" + backend.url() +
                                  "\" } }\n" + good_routes)});
    Client client(address_of(program));
    const auto has = [&](const char* file, const char* path) {
        return eventually([&] { return folder.read(file).find(path) != std::string::npos; });
    };
    client.get("/before");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(has("access.log", "/before"));
    std::filesystem::rename(log, folder.file("rotated.log"));
    program.signal(SIGUSR1);
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log); }));
    client.get("/after");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(has("access.log", "/after"));
    EXPECT_EQ(folder.read("rotated.log").find("/after"), std::string::npos);
}

TEST_F(TheProgram, TellsItsHealthAndItsLinesToItsOwnCommands) {
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

TEST_F(TheProgram, LogsAtItsStartWhatItServes) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    const std::string address = address_of(program).text();
    for (const std::string& line :
         {"info ticketgate starts version=" + std::string("0."), "file=" + file + "\n",
          "info listening address=" + address + "\n",
          "info admin address=unix:" + folder.file("admin.sock") + "\n",
          std::string("info queue name=q max_in_flight=1\n"),
          "info upstream name=app url=" + backend.url() + "\n"})
        EXPECT_TRUE(program.says(line)) << line << program.err();
}

// What systemd hears of a service with Type=notify.
TEST_F(TheProgram, TellsTheServiceManagerWhatItDoes) {
    const NotifySocket manager(folder.file("notify"));
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    EXPECT_TRUE(manager.hears("READY=1\n"));
    Client client(address_of(program));
    client.get("/");
    EXPECT_EQ(client.read().status, 200) << "it is ready";
    Program reload({"reload", "-c", file});
    EXPECT_EQ(reload.wait(), 0) << reload.err();
    EXPECT_TRUE(manager.hears("RELOADING=1\nMONOTONIC_USEC="));
    EXPECT_TRUE(manager.hears("READY=1\n"));
    program.signal(SIGHUP);
    EXPECT_TRUE(manager.hears("RELOADING=1\nMONOTONIC_USEC="));
    EXPECT_TRUE(manager.hears("READY=1\n"));
    program.signal(SIGTERM);
    EXPECT_TRUE(manager.hears("STOPPING=1\n"));
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(TheProgram, DrainsByItsOwnCommand) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    (void)address_of(program);
    Program drain({"drain", "-c", file});
    EXPECT_EQ(drain.wait(), 0) << drain.err();
    EXPECT_EQ(drain.out(), "draining\n");
    EXPECT_EQ(program.wait(), 0);
}

// A file that this shell could not start from, or that is half edited, is no reason not to be
// asked.
TEST_F(TheProgram, IsAskedByTheAdminSectionAlone) {
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

TEST_F(TheProgram, IsAskedAtTheAddressThatTheCommandNames) {
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

// Compared with what runs: the second reload of the same file says it again.
TEST_F(TheProgram, SaysWhichKeysOfAReloadedFileNeedARestart) {
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

TEST_F(TheProgram, IsStillAskedAfterItsAdminAddressChangedInTheFile) {
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
    EXPECT_NE(lost.err().find("name the address that it started with: --admin ADDRESS"),
              std::string::npos)
        << lost.err();
    Program reload({"reload", "-c", file, "--admin", socket});
    EXPECT_EQ(reload.wait(), 3);
    EXPECT_NE(reload.err().find("until the restart, add --admin " + socket + " to commands"),
              std::string::npos)
        << reload.err();
}

TEST_F(TheProgram, WithoutAnAdminListenerSaysWhyNobodyCanBeAsked) {
    Program queues({"queues", "-c", config(head() + good_routes)});
    EXPECT_EQ(queues.wait(), 1);
    EXPECT_NE(queues.err().find("admin: off"), std::string::npos) << queues.err();
}

}  // namespace
}  // namespace ticketgate::test

// The program as a user starts it: exit codes, messages, signals (CONTRACT 7).
#include "support/full_listener.hpp"
#include "the_program.hpp"

namespace ticketgate::test {
namespace {

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
               "id_service.state_file: " + folder.file("letter") + " is not a state file");
}

TEST_F(TheProgram, ReportsAllProblemsAtOnce) {
    Program program(
        {"check", "-c", config(head() + "threads: x\nroutes: [{ prefix: a, upstraem: b }]\n")});
    EXPECT_EQ(program.wait(), 78);
    const std::string told = program.err();
    EXPECT_GE(std::count(told.begin(), told.end(), '\n'), 3) << told;
}

TEST_F(TheProgram, WithoutAConfigEndsWith78) {
    Program program({"-c", folder.file("absent.yaml")});
    EXPECT_EQ(program.wait(), 78);
    EXPECT_NE(program.err().find("absent.yaml"), std::string::npos);
}

TEST_F(TheProgram, ChecksAGoodConfig) {
    const std::string file = config(head() + "routes: [{ prefix: /, upstream: app, queue: q }]\n");
    Program program({"check", "-c", file});
    EXPECT_EQ(program.wait(), 0);
    EXPECT_TRUE(program.out().starts_with(file + ": good\nnote: routes[0]: tunnel: release: "))
        << program.out();
    EXPECT_EQ(program.err(), "");
    Program unqueued({"check", "-c", config(head() + good_routes)});
    EXPECT_EQ(unqueued.wait(), 0);
    EXPECT_NE(unqueued.out().find("note: nothing is queued"), std::string::npos) << unqueued.out();
}

TEST_F(TheProgram, WithATakenPortEndsWith1AndNamesIt) {
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

TEST_F(TheProgram, WithBadArgumentsEndsWith2) {
    Program program({"--no-such-option"});
    EXPECT_EQ(program.wait(), 2);
    Program missing({"explain", "GET"});
    EXPECT_EQ(missing.wait(), 2);
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

// The next process cannot know that the backends of these requests may still be running.
TEST_F(TheProgram, NamesTheRunningRequestsWhenItStopsEarly) {
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

// They stand in a line, and only the first one tries to connect.
TEST_F(TheProgram, TellsWhatAllThatWaitForAFullBacklogWaitFor) {
    const FullListener backend(folder.file("backend.sock"));
    const std::string yaml =
        "listen: [{ address: \"127.0.0.1:0\" }]\nthreads: 1\nupstreams: { app: { url: \"" +
        backend.url() +
        "\" } }\nqueues: { q: { max_in_flight: 4 } }\nroutes: [{ prefix: /, upstream: app, "
        "queue: q, connect_timeout: 500ms }]\n";
    Program program({"-c", config(yaml)});
    std::vector<Client> clients;
    for (int i = 0; i < 4; ++i) {
        clients.emplace_back(address_of(program));
        clients.back().get("/x");
    }
    for (Client& client : clients) EXPECT_EQ(client.read().status, 504);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
    const std::string told = program.err();
    const std::string why = "address=" + backend.url() +
                            " why=\"the backend did not accept a connection in time: Resource "
                            "temporarily unavailable\" remedy=\"the socket's backlog is full";
    int times = 0;
    for (auto at = told.find(why); at != told.npos; at = told.find(why, at + 1)) ++times;
    EXPECT_EQ(times, 4) << told;
    EXPECT_EQ(told.find("cannot be resolved"), told.npos) << told;
}

TEST_F(TheProgram, StopsOnceHoweverManySignalsItGets) {
    Backend backend;
    backend.hold("/x");
    Program program({"-c", config(administered(backend))});
    Client client(address_of(program));
    client.get("/x");
    ASSERT_TRUE(backend.wait_for("/x"));
    program.signal(SIGTERM);
    EXPECT_TRUE(program.says("draining"));
    program.signal(SIGTERM);
    EXPECT_TRUE(program.says("may still run"));
    EXPECT_TRUE(eventually([&] {  // to its very last moment
        for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) program.signal(signal);
        return program.wait(0ms).has_value();
    }));
    EXPECT_EQ(program.wait(0ms), 0);
    const std::string told = program.err();
    const std::string cut = "queue=q request_id=" + backend.of("/x").at(0).header("X-Request-Id");
    const auto first = told.find(cut);
    ASSERT_NE(first, told.npos) << told;
    EXPECT_EQ(told.find(cut, first + 1), told.npos) << told;
    backend.release("/x");
}

// Also where they come faster than it reads its file.
TEST_F(TheProgram, StopsWhileItIsToldToReloadWithoutPause) {
    Backend backend;
    Program program({"-c", config(administered(backend))});
    (void)address_of(program);  // it runs
    const auto sent_until = [&](const auto& over) {
        return eventually([&] {
            for (int i = 0; i < 10'000; ++i)
                for (const int signal : {SIGHUP, SIGUSR1, SIGCHLD}) program.signal(signal);
            return over();
        });
    };
    EXPECT_TRUE(sent_until([&] { return program.err().find("loaded") != std::string::npos; }));
    program.signal(SIGTERM);
    EXPECT_TRUE(sent_until([&] { return program.wait(0ms).has_value(); })) << program.err();
    EXPECT_EQ(program.wait(0ms), 0);
}

// It waits for its connection, so the backend does not run it.
TEST_F(TheProgram, SaysOfARequestThatItCutsUnsentThatItDoesNotRun) {
    FullListener backend(folder.file("backend.sock"));
    const std::string yaml = "listen: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:" +
                             folder.file("admin.sock") + "\" }\nupstreams: { app: { url: \"" +
                             backend.url() +
                             "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q, "
                             "connect_timeout: 1h }]\n";
    Program program({"-c", config(yaml)});
    Client client(address_of(program));
    client.request("POST", "/x", {}, "body");
    ASSERT_TRUE(eventually([&] {
        Client one(*net::Endpoint::from_unix(folder.file("admin.sock")));
        one.get("/api/v1/queues/q");
        return one.read().body.find("\"not_sent\":true") != std::string::npos;
    }));
    program.signal(SIGTERM);
    EXPECT_TRUE(program.says("draining"));
    program.signal(SIGTERM);
    EXPECT_EQ(client.read().status, 503);
    EXPECT_EQ(program.wait(), 0);
    const std::string told = program.err();
    EXPECT_NE(told.find(" warn cut before anything of it was sent: it does not run queue=q "),
              told.npos)
        << told;
    EXPECT_EQ(told.find("may still run"), told.npos) << told;
    EXPECT_NE(program.out().find("\"outcome\":\"draining\""), std::string::npos) << program.out();
}

// Such requests have no method and path in the access log.
TEST_F(TheProgram, LogsWhyItRefusedAHead) {
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
    // The reason of one refusal must not carry over to the next.
    std::string lines;
    while (lines.size() < 40'000) lines += "\r\n";
    const auto nothing = refused(lines);
    EXPECT_TRUE(program.says(nothing + "431 why=\"the request head is too large\""))
        << program.err();
}

TEST_F(TheProgram, LogsWhatWasWrongWithAnAnswer) {
    Backend backend;
    backend.on("/chunk", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n");
        call.close();
    });
    backend.on("/switch", [](Call& call) {
        call.send(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\n\r\n");
        call.close();
    });
    Program program({"-c", config(administered(backend))});
    const auto address = address_of(program);
    const auto why = [&](const std::string& path) {
        Client client(address);
        client.get(path);
        (void)client.read();
        return "request_id=" + backend.of(path).at(0).header("X-Request-Id");
    };
    for (const auto* path : {"/chunk", "/switch"}) EXPECT_TRUE(program.says(why(path))) << path;
    EXPECT_TRUE(program.says("a body that breaks the chunked coding")) << program.err();
    EXPECT_TRUE(program.says("a 101 to a request that did not ask for that protocol"))
        << program.err();
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

TEST_F(TheProgram, ReopensItsAccessLogOnUsr1) {
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

TEST_F(TheProgram, LogsItsConfigurationAtTheStart) {
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

// The messages to systemd of a service with Type=notify.
TEST_F(TheProgram, NotifiesTheServiceManager) {
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

}  // namespace
}  // namespace ticketgate::test

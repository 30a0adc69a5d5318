// The program's warnings of calls that may wait for themselves (CONTRACT 10).
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/json/parse.hpp>

#include "the_program.hpp"

namespace ticketgate::test {
namespace {

struct InsideWarnings : TheProgram {
    void start(const std::string& clients, const std::string& how) {
        program.emplace(std::vector<std::string>{
            "-c", config("listen: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:" +
                         folder.file("admin.sock") + "\" }\nclients: { " + clients +
                         " }\nupstreams: { app: { url: \"" + backend.url() +
                         "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q, inside_calls: " +
                         how + " }]\n")});
        at = address_of(*program);
    }
    Client get(const std::string& path, const std::string& lines = {}) const {
        Client client(*at);
        client.get(path, lines);
        return client;
    }
    Client runs(const std::string& path, const std::string& lines = {}) {
        backend.hold(path);
        Client client = get(path, lines);
        EXPECT_TRUE(backend.wait_for(path));
        return client;
    }
    bool wait_for(const std::string& figure, int n) const {
        return eventually([&] {
            Client admin(*net::Endpoint::from_unix(folder.file("admin.sock")));
            admin.get("/api/v1/queues/q");
            return boost::json::parse(admin.read().body).at(figure) == n;
        });
    }
    void end(const std::string& path, Client& client) {
        backend.release(path);
        EXPECT_EQ(client.read().status, 200);
    }

    Backend backend;
    std::optional<Program> program;
    std::optional<net::Endpoint> at;
};

const std::string stranger = "Via: 1.1 front\r\n";

TEST_F(InsideWarnings, AWaitingCallIsToldOnceWithBothIds) {
    start("inside: [127.0.0.1]", "wait");
    Client caller = runs("/page", stranger);
    Client first = get("/first");
    EXPECT_TRUE(program->says("a call from inside waits for a request that may wait"));
    Client second = get("/second");
    ASSERT_TRUE(wait_for("waiting", 2));
    EXPECT_TRUE(program->says("if the application waits for its own calls: inside_calls: pass"));
    end("/page", caller);
    for (Client* call : {&first, &second}) EXPECT_EQ(call->read().status, 200);
    for (const auto* path : {"/page", "/first"})
        EXPECT_TRUE(program->says(backend.of(path).at(0).header("X-Request-Id"))) << path;
    const std::string told = program->err();
    EXPECT_EQ(told.find("waits for a request"), told.rfind("waits for a request")) << told;
}

TEST_F(InsideWarnings, AnAcceptedCallThatDidNotRunIsTold) {
    start("inside: [127.0.0.1]", "accept, wait_timeout: 50ms");
    Client caller = runs("/page", stranger);
    Client call = get("/call");
    EXPECT_EQ(call.read().status, 202);
    EXPECT_TRUE(program->says("an accepted call from inside did not run"));
    EXPECT_TRUE(program->says("raise wait_timeout on its route"));
    end("/page", caller);
}

TEST_F(InsideWarnings, ACallThatNamesNoKnownRequestIsTold) {
    start("inside: [127.0.0.1]", "pass_any");
    Client caller = runs("/page", stranger);
    Client call = get("/call", "X-Request-Id: nobody-has-this-id\r\n");
    EXPECT_TRUE(program->says("no request of this queue has the id that the call names"));
    end("/page", caller);
    EXPECT_EQ(call.read().status, 200);
}

// Its FIN comes with it, so the request that made it is taken not to wait.
TEST_F(InsideWarnings, ACallThatHasEndedItsSideIsToldSo) {
    start("inside: [127.0.0.1]", "pass, client_half_close: stay");
    Client caller = runs("/page", stranger);
    Client call(*at);
    const int on = 1;
    ASSERT_EQ(::setsockopt(call.socket().descriptor(), IPPROTO_TCP, TCP_CORK, &on, sizeof(on)), 0);
    const std::string id = backend.of("/page").at(0).header("X-Request-Id");
    call.get("/call", "X-Request-Id: " + id + "\r\n");
    call.half_close();
    EXPECT_TRUE(program->says("its client has closed its sending side"));
    end("/page", caller);
    EXPECT_EQ(call.read().status, 200);
}

TEST_F(InsideWarnings, ACallThatWaitsForACallThatMayHaveMadeItIsTold) {
    start("inside: [127.0.0.1]", "pass_any");
    Client caller = runs("/page", stranger);
    Client child = runs("/child");
    Client grandchild = get("/grandchild");
    EXPECT_TRUE(program->says("it waits for another call of the same request"));
    end("/child", child);
    EXPECT_EQ(grandchild.read().status, 200);
    end("/page", caller);
}

TEST_F(InsideWarnings, CallsThatNameTheirCallerMayWaitForEachOtherInSilence) {
    start("inside: [127.0.0.1]", "pass_any");
    Client caller = runs("/page", stranger);
    const std::string id =
        "X-Request-Id: " + backend.of("/page").at(0).header("X-Request-Id") + "\r\n";
    Client child = runs("/child", id);
    Client sibling = get("/sibling", id);
    Client waits = get("/stranger", stranger);
    end("/child", child);
    EXPECT_EQ(sibling.read().status, 200);
    end("/page", caller);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_EQ(program->err().find("from inside"), std::string::npos) << program->err();
}

TEST_F(InsideWarnings, ACallThatWaitsForItsOwnUploadIsNotTold) {
    start("inside: [127.0.0.1]", "pass_any");
    Client caller = runs("/page", stranger);
    Client call(*at);
    call.send("POST /call HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx");
    EXPECT_TRUE(wait_for("inside", 1));
    call.send("y");
    EXPECT_EQ(call.read().status, 200);
    end("/page", caller);
    EXPECT_EQ(program->err().find("from inside"), std::string::npos) << program->err();
}

TEST_F(InsideWarnings, ACallOfWordPressFromNoListedAddressIsToldWithTheLineToWrite) {
    start("max_connections: 100", "wait");
    Client caller = runs("/page");
    Client call = get("/call", "User-Agent: WordPress/6.1; http://app.test/\r\n");
    EXPECT_TRUE(program->says("a call that the application may have made itself"));
    EXPECT_TRUE(program->says("clients: {inside: [127.0.0.1]} and inside_calls: pass"));
    end("/page", caller);
    EXPECT_EQ(call.read().status, 200);
}

}  // namespace
}  // namespace ticketgate::test

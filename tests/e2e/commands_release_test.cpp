// What the release of a slot does and tells, as a command and in the log.
#include "the_program.hpp"

namespace ticketgate::test {
namespace {

struct TheReleases : TheProgram {
    // The id that the backend of the only request was given.
    static std::string id_of(const Backend& backend) {
        return std::string(backend.of("/stuck").at(0).header("X-Request-Id"));
    }
    // The backend runs its request, and holds it.
    Client stuck(Backend& backend, const Program& program, std::string_view target) const {
        backend.hold("/stuck");
        Client client(address_of(program));
        client.request("GET", target);
        EXPECT_TRUE(backend.wait_for("/stuck"));
        return client;
    }
};

TEST_F(TheReleases, AreOfTheRequestThatIsNamedAndAreLogged) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    Client client = stuck(backend, program, "/stuck?secret=1");
    const std::string id = id_of(backend);
    Program other({"release", "-c", file, "q", "1", "--request-id", "another"});
    EXPECT_EQ(other.wait(), 1);
    EXPECT_EQ(other.err(),
              "not released: number 1 of queue q is another request now: request id " + id + "\n");
    Program release({"release", "-c", file, "q", "1", "--request-id", id});
    EXPECT_EQ(release.wait(), 0) << release.err();
    EXPECT_TRUE(
        program.says("an operator released a slot though its backend may still run "
                     "request_id=" +
                     id + " queue=q number=1 method=GET path=/stuck\n"))
        << program.err();
    Program again({"release", "-c", file, "q", "1", "--request-id", id});
    EXPECT_EQ(again.wait(), 1);
    EXPECT_EQ(again.err(),
              "not released: number 1 is neither in flight nor waiting in queue q any more\n");
    Program of_any({"release", "-c", file, "q", "1", "--request-id", ""});
    EXPECT_EQ(of_any.wait(), 2) << "a variable that is unset must not release another request";
    backend.release("/stuck");
    EXPECT_EQ(client.read().status, 200);
}

TEST_F(TheReleases, OfARequestInTheLineAreLoggedAsNotSent) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    Client first = stuck(backend, program, "/stuck");
    Client second(address_of(program));
    second.request("GET", "/waits");
    ASSERT_TRUE(eventually([&] {  // until it stands in the line
        Program release({"release", "-c", file, "q", "2"});
        return release.wait() == 0;
    }));
    EXPECT_TRUE(program.says("an operator ended a request that had not been sent to the backend "))
        << program.err();
    EXPECT_TRUE(program.says(" queue=q number=2 method=GET path=/waits\n")) << program.err();
    EXPECT_EQ(second.read().status, 503);
    backend.release("/stuck");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_TRUE(backend.of("/waits").empty());
}

TEST_F(TheReleases, ByTimeAreLoggedWithTheRequest) {
    for (const char* how : {"keep", "release"}) {
        Backend backend;
        Program program(
            {"-c", config(administered(backend) +
                          "queues: { q: { hold_timeout: 2s, on_hold_timeout: " + how + " } }\n")});
        Client client = stuck(backend, program, "/stuck?secret=1");
        EXPECT_TRUE(program.says(" request_id=" + id_of(backend) +
                                 " queue=q number=1 method=GET path=/stuck upstream=app\n"))
            << program.err();
        backend.release("/stuck");
        EXPECT_EQ(client.read().status, 200);
    }
}

}  // namespace
}  // namespace ticketgate::test

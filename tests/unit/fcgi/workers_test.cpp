#include "fcgi/workers.hpp"

#include <gtest/gtest.h>

namespace ticketgate::fcgi {
namespace {

// An entry as php-fpm 8.2 writes it.
std::string worker(const std::string& state, int running_us, const std::string& uri,
                   const std::string& method = "GET") {
    return R"({"pid":28295,"state":")" + state +
           R"(","start time":1795274649,"start since":26,"requests":1,"request duration":)" +
           std::to_string(running_us) + R"(,"request method":")" + method + R"(","request uri":")" +
           uri +
           R"(","content length":0,"user":"-","script":"\/w\/a.php","last request cpu":0.00,)"
           R"("last request memory":0})";
}

std::string table(const std::string& workers) {
    return R"({"pool":"www","process manager":"static","active processes":1,"processes":[)" +
           workers + "]}";
}

// Request sent at 10 ms, answered at 20 ms; status asked at 30 ms, received at 32 ms.
struct Case {
    Trace trace{"GET", {"/a.php", ""}, "x=1", Time(10ms), Time(20ms)};
    Look look{Time(30ms), Time(32ms)};
};

bool may(const std::string& workers, const Case& c = {}) {
    const auto told = still_runs(table(workers), c.trace, c.look);
    EXPECT_TRUE(told);
    return told && *told == Working::perhaps;
}

constexpr const char* ours = "\\/a.php?x=1";

TEST(Workers, AWorkerThatShowsTheRequestMayRunIt) {
    for (const char* state : {"Running", "Finishing", "Ending", "Getting request informations"})
        EXPECT_TRUE(may(worker(state, 15000, ours))) << state;
    EXPECT_TRUE(may(worker("Idle", 100, "/") + "," + worker("Finishing", 15000, ours)));
}

TEST(Workers, AnIdleWorkerRunsNothing) {
    EXPECT_FALSE(may(worker("Idle", 15000, ours)));
    EXPECT_FALSE(may(worker("Reading headers", 15000, ours)));
    EXPECT_FALSE(may(""));
}

TEST(Workers, AWorkerWithAnotherRequestDoesNotRunOurs) {
    EXPECT_FALSE(may(worker("Running", 15000, "\\/a.php?x=2")));
    EXPECT_FALSE(may(worker("Running", 15000, "\\/a.php")));
    EXPECT_FALSE(may(worker("Running", 15000, ours, "POST")));
}

// With cgi.fix_pathinfo PHP looks for a script in the parent paths if the name does not exist.
TEST(Workers, AWorkerThatShowsTheBeginningOfTheNameMayRunIt) {
    Case c;
    c.trace.script = {"/up.jpg/x.php", "/i"};
    c.trace.query = "a=?b";
    EXPECT_TRUE(may(worker("Running", 15000, "\\/up.jpg?a=?b"), c));
    EXPECT_FALSE(may(worker("Running", 15000, "\\/up.png?a=?b"), c));
    c.trace.script = {"/a?b.php", ""};
    EXPECT_TRUE(may(worker("Running", 15000, "\\/a?b.php?a=?b"), c));
    EXPECT_FALSE(may(worker("Running", 15000, "\\/a?b.php?b"), c));
}

TEST(Workers, AWorkerThatBeganAtAnotherTimeDoesNotRunOurs) {
    EXPECT_TRUE(may(worker("Running", 10000, ours)));   // began at 20 to 22 ms
    EXPECT_FALSE(may(worker("Running", 8000, ours)));   // after the answer
    EXPECT_TRUE(may(worker("Running", 21000, ours)));   // at 9 to 11 ms: may overlap the sending
    EXPECT_FALSE(may(worker("Running", 24000, ours)));  // before it was sent
}

// php-fpm reads its table while workers write it, so a number may be out of range. Found by
// fuzzing: such a number ended the program.
TEST(Workers, AWorkerWithAnImpossibleTimeMayRunTheRequestItShows) {
    const auto with = [](std::string time, const std::string& uri) {
        std::string entry = worker("Running", 15000, uri);
        return entry.replace(entry.find("15000"), 5, time);
    };
    for (const char* time : {"18446744073709551615", "-1", "4e80", "9223372036854775807", "1.5"}) {
        EXPECT_TRUE(may(with(time, ours))) << time;
        EXPECT_FALSE(may(with(time, "\\/other.php"))) << time;
    }
}

TEST(Workers, AWorkerWithAnAmbiguousEntryMayRunTheRequest) {
    Case c;
    const std::string name = "/" + std::string(200, 'n') + ".php";
    const std::string query = "q=" + std::string(600, 'q');
    c.trace.script.name = name;
    c.trace.query = query;
    EXPECT_TRUE(may(worker("Running", 15000, name.substr(0, 127) + "?" + query.substr(0, 511)), c));
    // php-fpm omits bytes that are not UTF-8; a name cut inside a character loses that character.
    c.trace.script.name = "/\xFF\xC3\xA4.php";
    c.trace.query = "";
    EXPECT_TRUE(may(worker("Running", 15000, "\\/\xC3\xA4.php"), c));
    EXPECT_TRUE(may(worker("Running", 15000, "\\/.php"), c));
    c.trace.script = {"/a.php", "/b.php"};
    EXPECT_TRUE(may(worker("Running", 15000, "\\/a.php"), c));
    EXPECT_TRUE(may(worker("Running", 15000, "\\/b.php"), c));  // cgi.fix_pathinfo=0
    c.trace.method = "VERSION-CONTROL-X";
    EXPECT_TRUE(may(worker("Running", 15000, "\\/a.php", "VERSION-CONTROL"), c));
}

// ── Text from a client in the table. Older versions of php-fpm escape neither the user nor the
// path. A user name of Basic authentication has no colon; a path may have one. ──

// With an empty PATH_INFO and cgi.fix_pathinfo=0.
TEST(Workers, AWorkerWithoutANameMayRunIt) {
    EXPECT_TRUE(may(worker("Running", 15000, "-?x=1")));
    EXPECT_FALSE(may(worker("Running", 15000, "-?x=2")));
    Case c;
    c.trace.query = "";
    EXPECT_TRUE(may(worker("Running", 15000, "-"), c));
}

std::string by_user(const std::string& user, const std::string& uri = ours) {
    std::string entry = worker("Running", 15000, uri);
    return entry.replace(entry.find("\"-\""), 3, "\"" + user + "\"");
}

// True if the slot stays held: the answer is `perhaps`, or an error.
bool keeps(const std::string& text, const Case& c = {}) {
    const auto told = still_runs(text, c.trace, c.look);
    return !told || *told == Working::perhaps;
}

TEST(Workers, AUserCannotSayThatItsWorkerIsIdle) {
    for (const char* user :
         {R"(x","state":"Idle","y":"z)", R"(x","request duration":1,"y":"z)",
          R"(x","request method":"PUT","y":"z)", R"(x","request uri":"\/b","y":"z)",
          R"(x","state":"Idle)", R"(x"},{"state":"Idle","request duration":1,"y":"z)",
          R"(x"}],"processes":[{"state":"Idle","request duration":1,"y":"z)",
          R"(x"}],"y":[{"state":"Idle","request duration":1,"y":"z)", R"(x"}]})", R"(x\)", R"(")",
          R"(x","y":{"z":"a)", R"(x","y":["a)", R"(x"}]}{"processes":[],"y":[{"y":")"})
        EXPECT_TRUE(keeps(table(by_user(user)))) << user;
    EXPECT_TRUE(keeps(table(by_user("jane"))));
}

// An idle worker's entry stays unchanged until its next request, which may never come.
TEST(Workers, AUserCannotHoldUpTheLineEither) {
    const Case c;
    for (const char* user : {"\"", "x\\", R"(x","state":"Running)", R"(x"}],"y":[{"z":"a)",
                             R"(x"}]}{"pid":1,"state":"Running"})"}) {
        std::string idle = by_user(user);
        idle.replace(idle.find("Running"), 7, "Idle");
        const auto page = [&](const std::string& workers) {
            return R"({"pool":"www","total processes":2,"processes":[)" + workers + "]}";
        };
        const std::string other = worker("Running", 15000, "\\/other.php");
        EXPECT_EQ(still_runs(page(idle + "," + other), c.trace, c.look).value(), Working::no)
            << user;
        EXPECT_EQ(still_runs(page(idle + "," + worker("Finishing", 15000, ours)), c.trace, c.look)
                      .value(),
                  Working::perhaps)
            << user;
        EXPECT_FALSE(still_runs(page(idle), c.trace, c.look)) << user;
    }
}

// The user name in one entry opens a list around the next entries; that in another closes it.
TEST(Workers, TwoUsersCannotHideAWorkerBetweenThem) {
    const std::string other = "\\/other.php";
    for (const auto& [opens, closes] :
         {std::pair{R"(x","y":[{"z":"a)", R"(x"}],"z":"a)"},
          std::pair{R"(x","y":{"z":[{"z":"a)", R"(x"}]},"z":"a)"},
          std::pair{R"(x"}],"y":[{"z":"a)",
                    R"(x"}],"z":[{"state":"Idle","request duration":1,"z":"a)"}})
        EXPECT_TRUE(keeps(table(by_user(opens, other) + "," + worker("Running", 15000, ours) + "," +
                                by_user(closes, other))))
            << opens;
}

// php-fpm 8.2 with kept connections reports requests as workers: 9 of 8. Once we took such a page
// for one that lacks a worker, and held each slot for up to a second.
TEST(Workers, TheListDecidesAndNotItsTotal) {
    const Case c;
    const auto total = [&](const std::string& n, const std::string& workers) {
        return still_runs(
            R"({"pool":"www","total processes":)" + n + R"(,"processes":[)" + workers + "]}",
            c.trace, c.look);
    };
    const auto idle = worker("Idle", 15000, ours), busy = worker("Running", 15000, ours);
    for (const std::string n : {"0", "1", "2", "9"}) {
        EXPECT_EQ(total(n, idle).value(), Working::no) << n;
        EXPECT_EQ(total(n, idle + "," + busy).value(), Working::perhaps) << n;
    }
    EXPECT_FALSE(total("1", "")) << "nobody, though there is somebody";
    EXPECT_FALSE(total(R"("1")", idle));
    EXPECT_FALSE(total(R"(1,"total processes":0)", "")) << "a key twice";
}

TEST(Workers, AQueryThatBreaksTheTableDoesNotHideItsWorker) {
    Case c;
    c.trace.query = R"(x=1","y":"z)";
    EXPECT_TRUE(keeps(table(worker("Running", 15000, R"(\/a.php?x=1","y":"z)")), c))
        << "not escaped";
    EXPECT_TRUE(may(worker("Running", 15000, R"(\/a.php?x=1\",\"y\":\"z)"), c)) << "escaped";
    EXPECT_TRUE(may(worker("Running", 15000, R"(\/a.php?x=1&quot;,&quot;y&quot;:&quot;z)"), c));
    EXPECT_FALSE(may(worker("Running", 15000, R"(\/a.php?x=2","y":"z)"), c));
    c.trace.query = R"(x=\u0041)";
    EXPECT_TRUE(may(worker("Running", 15000, R"(\/a.php?x=\u0041)"), c));
    c.trace.query = "x=1&y=<2>'";
    EXPECT_TRUE(may(worker("Running", 15000, "\\/a.php?x=1&y=<2>'"), c));
    EXPECT_TRUE(may(worker("Running", 15000, "\\/a.php?x=1&amp;y=&lt;2&gt;&#039;"), c));
    EXPECT_FALSE(may(worker("Running", 15000, "\\/a.php?x=1&amp;y=&lt;3&gt;&#039;"), c));
    c.trace.script = {R"(/a.php)", R"(/"b)"};
    c.trace.query = "q";
    EXPECT_TRUE(keeps(table(worker("Running", 15000, R"(/a.php/","request uri":"/c)")), c));
    EXPECT_TRUE(keeps(table(worker("Running", 15000, R"(/a.php/","y":"?q)")), c));
}

TEST(Workers, AnythingButATableIsAnError) {
    const Case c;
    for (const std::string text :
         {"", "not json", "[]", "{}", R"({"processes":1})", R"({"processes":[1]})",
          R"({"processes":[{"state":"Idle"}]})", R"({"processes":[{"request duration":1}]})",
          R"({"pool":"www","active processes":0})", R"({"processes":[],"processes":[]})",
          R"({"processes":[]} x)", R"({"processes":[null]})", R"({"processes":{}})",
          R"({"pool":{},"processes":[]})", R"({"pool":[],"processes":[]})",
          R"({"processes":[{"state":1,"request duration":1}]})",
          R"({"processes":[{"state":"Idle","request duration":"1"}]})",
          R"({"processes":[["state"]]})", R"([{"processes":[]}])"})
        EXPECT_FALSE(still_runs(text, c.trace, c.look)) << text;
}

}  // namespace
}  // namespace ticketgate::fcgi

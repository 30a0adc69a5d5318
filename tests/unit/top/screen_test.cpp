// The picture in a terminal of some size.
#include "top/screen.hpp"

#include <gtest/gtest.h>

#include "answers.hpp"
#include "top/line_text.hpp"

namespace ticketgate::top {
namespace {

Surroundings around() {
    return {.address = "127.0.0.1:9901",
            .whom = "",
            .every = "1s",
            .failure = "",
            .config = ConfigLine{90, 30, 0, ""},
            .now = {50'000, 3600}};
}

Browser browsing(const std::string& tickets, const std::string& queue = {}) {
    Browser browser(queue);
    browser.show(*read_queues(test::all()));
    if (auto read = read_tickets(tickets)) browser.show(*std::move(read));
    return browser;
}

std::string text(const std::vector<Line>& lines) {
    std::string out;
    for (const auto& line : lines) out += line.text + "\n";
    return out;
}

TEST(Screen, ShowsWhoBlocksTheLineSinceWhenAndHowToFreeIt) {
    EXPECT_EQ(text(screen(browsing(test::cart()), around(), {90, 20})),
              "ticketgate top  127.0.0.1:9901  14:53:20  every 1s  sorted by name\n"
              "ready  config in force for 1m30s\n"
              "\n"
              "  QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER\n"
              "  a      0 of 1   0        0.0s        0.0s         ready\n"
              "> cart   1 of 1   2        14.0s       1.2s         ready\n"
              "  mail   2 of 3   0        3m20s       0.0s         ready\n"
              "\n"
              "cart: number 7 blocks 2 requests for 14.0s, since 14:53:06\n"
              "  POST /add from 192.0.2.1, request id r7\n"
              "  to free its slot: ticketgate release cart 7 --request-id r7\n"
              "\n"
              "  NUMBER  STATE      FOR    CLIENT     REQUEST    REQUEST ID\n"
              "> 7       running    14.0s  192.0.2.1  POST /add  r7\n"
              "  8       waiting    1.2s   192.0.2.1  POST /b    r8\n"
              "  10      uploading  1.0s   192.0.2.1  POST /c    r10\n"
              "\n\n\n"
              "q quit  j/k queue  Tab request  r release  s sort  p hold the picture  space "
              "refresh\n");
}

TEST(Screen, NeverCutsACommand) {
    auto to = around();
    to.whom = "--admin 127.0.0.1:23141";
    const auto shown = text(screen(browsing(test::cart()), to, {60, 24}));
    EXPECT_NE(shown.find("  to free its slot:\n"
                         "    ticketgate release cart 7 --request-id r7 --admin \\\n"
                         "        127.0.0.1:23141\n"),
              shown.npos)
        << shown;
}

TEST(Screen, FitsEverySize) {
    for (std::size_t rows = 0; rows < 40; ++rows)
        for (const std::size_t columns : {0u, 1u, 7u, 40u, 200u}) {
            const auto lines = screen(browsing(test::cart()), around(), {columns, rows});
            EXPECT_EQ(lines.size(), rows);
            for (const auto& line : lines) EXPECT_LE(length(line.text), columns);
        }
}

TEST(Screen, ShowsTheQueuesAroundTheSelectedOne) {
    std::string queues;
    for (int i = 10; i < 60; ++i)
        queues += (queues.empty() ? "" : ",") +
                  test::queue("q" + std::to_string(i), 0, 0, 1, "0.0", "0.0");
    for (const char* name : {"q10", "q35", "q59"}) {
        Browser browser(name);
        browser.show(*read_queues(R"({"queues":[)" + queues + "]}"));
        const auto shown = text(screen(browser, around(), {80, 24}));
        EXPECT_NE(shown.find(std::string("> ") + name), shown.npos) << shown;
        EXPECT_NE(shown.find("more queues"), shown.npos) << shown;
    }
}

TEST(Screen, CountsTheTicketsThatItHasNoRoomFor) {
    std::string waiting;
    for (int i = 100; i < 150; ++i)
        waiting += (waiting.empty() ? "" : ",") +
                   test::ticket(i, "/w", R"("waited_seconds":1.0,"ready":true)");
    const auto tickets =
        test::queue("cart", 9950, 1, 1, "14.0", "1.0",
                    test::tickets(test::ticket(7, "/a", R"("held_seconds":14.0)"), waiting, 9900));
    const auto some = text(screen(browsing(tickets), around(), {80, 24}));
    EXPECT_NE(some.find("  and 9942 more\n"), some.npos) << some;
    EXPECT_NE(some.find("blocks 9950 requests"), some.npos) << some;
    const auto all = text(screen(browsing(tickets), around(), unlimited));
    EXPECT_NE(all.find("  149 "), all.npos) << all;
    EXPECT_TRUE(all.ends_with("  and 9900 more\n")) << "no keys in a pipe";
}

TEST(Screen, TellsWhyNothingRuns) {
    const auto idle = test::queue("a", 0, 0, 1, "0.0", "0.0", test::tickets("", ""));
    EXPECT_NE(text(screen(browsing(idle, "a"), around(), unlimited))
                  .find("\na: no request runs, none waits\n"),
              std::string::npos);
    const auto uploading = test::queue(
        "a", 1, 0, 1, "0.0", "3.0",
        test::tickets("", test::ticket(5, "/u", R"("waited_seconds":3.0,"ready":false)")));
    EXPECT_NE(text(screen(browsing(uploading, "a"), around(), unlimited))
                  .find("\na: number 5 still uploads its body, for 3.0s\n"
                        "  POST /u from 192.0.2.1, request id r5\n"
                        "  to end it: ticketgate release a 5 --request-id r5\n"),
              std::string::npos);
    const auto behind_an_upload = test::queue(
        "a", 3, 1, 2, "9.0", "5.0",
        R"(,"order":"arrival")" +
            test::tickets(test::ticket(4, "/r", R"("held_seconds":9.0)"),
                          test::ticket(5, "/u", R"("waited_seconds":5.0,"ready":false)")));
    EXPECT_NE(
        text(screen(browsing(behind_an_upload, "a"), around(), unlimited))
            .find("\na: number 5 still uploads its body, for 5.0s, and 2 requests wait behind it\n"
                  "  POST /u from 192.0.2.1, request id r5\n"
                  "  to end it: ticketgate release a 5 --request-id r5\n"
                  "a: number 4 runs for 9.0s, since 14:53:11; it blocks no request\n"),
        std::string::npos)
        << text(screen(browsing(behind_an_upload, "a"), around(), unlimited));
    const auto shown = text(screen(browsing(test::mail(), "mail"), around(), unlimited));
    EXPECT_NE(shown.find("mail: number 4 runs for 2.0s, since 14:53:18; it blocks no request"),
              shown.npos)
        << shown;
}

// Two slots: one request holds its slot for 2 minutes, and the other slot passes 5 a second on.
TEST(Screen, SaysThatALineOfSeveralSlotsMoves) {
    const auto told = [](const std::string& stalled) {
        const auto queue = test::queue(
            "cart", 3, 2, 2, "120.0", "0.4",
            R"(,"stalled_seconds":)" + stalled +
                test::tickets(test::ticket(1, "/export", R"("held_seconds":120.0)") + "," +
                                  test::ticket(61, "/p", R"("held_seconds":0.1)"),
                              test::ticket(62, "/q", R"("waited_seconds":0.4,"ready":true)")));
        const auto lines = screen(browsing(queue), around(), unlimited);
        return text(lines);
    };
    const auto moves = told("0.1");
    EXPECT_NE(
        moves.find("cart: number 1, one of 2 that hold a slot, runs for 2m00s, since 14:51:20; the "
                   "line moves, 3 requests waiting\n"),
        moves.npos)
        << moves;
    EXPECT_EQ(moves.find("block"), moves.npos) << moves;
    const auto stands = told("75.0");
    EXPECT_NE(stands.find("runs for 2m00s, since 14:51:20; no slot came free for 1m15s, since "
                          "14:52:05, 3 requests waiting\n"),
              stands.npos)
        << stands;
}

TEST(Screen, ALimitBelowWhatRunsTellsHowManyHaveToEnd) {
    const std::string more = R"(,"stalled_seconds":75.0)";
    const std::string holds = test::tickets(test::ticket(1, "/a", R"("held_seconds":120.0)") + "," +
                                                test::ticket(2, "/b", R"("held_seconds":90.0)"),
                                            "");
    const auto told = [&](int waiting) {
        const auto read =
            read_tickets(test::queue("cart", waiting, 2, 1, "120.0", "80.0", more + holds));
        std::string text;
        for (const auto& line : blocked_by(read.value(), 0, "", {53600, 0})) text += line + "\n";
        return text;
    };
    const auto waits = told(3);
    EXPECT_TRUE(waits.starts_with(
        "cart: 2 run, the limit is 1: nobody is admitted until 2 of them end; no slot came free "
        "for 1m15s, since 14:52:05, 3 requests waiting\n"
        "cart: number 1, the oldest, runs for 2m00s, since 14:51:20\n"))
        << waits;
    EXPECT_TRUE(told(0).starts_with(
        "cart: 2 run, the limit is 1: nobody is admitted until 2 of them end\n"))
        << told(0);
    EXPECT_EQ(waits.find("blocks"), waits.npos) << "none of them alone does";
}

TEST(Screen, SaysWhatBecameOfTheClient) {
    const auto tickets = test::queue(
        "cart", 0, 1, 1, "1.0", "0.0",
        test::tickets(test::ticket(7, "/a", R"("held_seconds":1.0,"client":"gone")"), ""));
    const auto shown = text(screen(browsing(tickets), around(), unlimited));
    EXPECT_NE(shown.find("> 7       running, client left  1.0s"), shown.npos) << shown;
}

TEST(Screen, SaysThatTheEndOfAScriptIsUnknown) {
    const auto tickets = test::queue(
        "cart", 2, 1, 1, "9.0", "0.0",
        test::tickets(test::ticket(7, "/a", R"("held_seconds":9.0,"end_unknown":true)"), ""));
    const auto shown = text(screen(browsing(tickets), around(), unlimited));
    EXPECT_NE(shown.find("\n  it is answered, but php-fpm's status page is unreadable"), shown.npos)
        << shown;
    EXPECT_NE(shown.find("> 7       running, answered, end unknown  9.0s"), shown.npos) << shown;
}

// Its request holds a slot, and so looks like one that runs.
TEST(Screen, SaysThatTheSpoolRefusesUploadsAndCutsNoWordOfIt) {
    const std::string all = R"({"queues":[],"spool_trouble":"the spool is full, so uploads are )"
                            R"(refused: spool.max_disk is reached; raise it"})";
    auto to = around();
    to.spool_trouble = read_spool_trouble(all);
    EXPECT_EQ(read_spool_trouble(test::all()), "") << "an earlier version, or no trouble";
    const auto lines = screen(browsing(test::cart()), to, {40, 24});
    std::string alarm;
    for (const auto& line : lines)
        if (line.style == Style::alarm) alarm += line.text + "\n";
    EXPECT_TRUE(
        alarm.starts_with("the spool is full, so uploads are\n"
                          "  refused: spool.max_disk is reached;\n  raise it\n"))
        << alarm;
}

TEST(Screen, NamesTheWorkersThatARequestWaitsFor) {
    const std::string waits = test::tickets(
        test::ticket(7, "/a", R"("held_seconds":14.0,"not_sent":true,"upstream":"php")"), "");
    auto to = around();
    to.busy_workers = read_busy_workers(
        R"({"workers":[{"upstream":"php","pid":4711,"state":"busy","request_id":"r1"},)"
        R"({"upstream":"other","pid":2,"state":"busy"},)"
        R"({"upstream":"php","pid":3,"state":"idle"}]})");
    const auto told =
        text(screen(browsing(test::queue("cart", 2, 1, 1, "14.0", "1.0", waits)), to, unlimited));
    EXPECT_NE(told.find("nothing of it is sent yet: it waits for a worker of upstream php"),
              told.npos)
        << told;
    EXPECT_NE(told.find("the workers of php: pid 4711 runs request r1\n"), told.npos) << told;
    EXPECT_NE(told.find("cart: number 7 has its slot for 14.0s, since "), told.npos) << told;
    EXPECT_EQ(told.find("blocks"), told.npos) << told;
    const auto of_two =
        text(screen(browsing(test::queue("cart", 2, 2, 2, "14.0", "1.0", waits)), to, unlimited));
    EXPECT_NE(of_two.find("number 7, one of 2 that hold a slot, has its slot for 14.0s"),
              of_two.npos)
        << of_two;
    EXPECT_EQ(told.find("ticketgate release"), told.npos) << told;
    EXPECT_TRUE(read_busy_workers("no such page").empty());
}

TEST(Screen, SaysWhereTheOldProcessOfAnUpgradeIs) {
    const std::string old =
        R"(,"elsewhere":"old_process","old_process_pid":4711,"old_process_runs":{"number":1,)"
        R"("request":"GET /stuck","request_id":"r1","held_seconds":13.0})";
    const auto lines =
        screen(browsing(test::queue("cart", 4, 0, 1, "0.0", "9.0", old + test::tickets("", ""))),
               around(), {80, 24});
    const auto told = text(lines);
    for (const char* const part : {"the old process (pid 4711)", "TERM to pid 4711 drains it",
                                   "request id r1\n", "may still run"})
        EXPECT_NE(told.find(part), told.npos) << part << " in\n" << told;
    for (const auto& line : lines)
        EXPECT_TRUE(!line.text.ends_with(">") || line.text.starts_with("q quit")) << line.text;
}

TEST(Screen, SaysThatWorkersDoNotStart) {
    const auto waits = [](int upstreams) {
        std::string list;
        for (int i = 0; i < upstreams; ++i)
            list += std::string(i == 0 ? "" : ",") + R"({"upstream":"own)" + std::to_string(i) +
                    R"(","waiting":1,"trouble":"ended with 1"})";
        auto to = around();
        to.upstream_troubles =
            read_upstream_troubles(R"({"workers":[],"upstreams":[)" + list + "]}");
        return text(screen(browsing(test::cart()), to, {90, 24}));
    };
    EXPECT_NE(
        waits(1).find("\nown0: 1 request waits for a worker; the last trouble: ended with 1\n"),
        std::string::npos)
        << waits(1);
    EXPECT_NE(waits(5).find("\nown2: "), std::string::npos);
    EXPECT_NE(waits(5).find("\nand 2 more; ticketgate workers has them\n"), std::string::npos);
    EXPECT_EQ(waits(5).find("\nown3: "), std::string::npos) << "the queues need room";
    EXPECT_TRUE(read_upstream_troubles(R"({"workers":[]})").empty()) << "of an earlier version";
    EXPECT_TRUE(read_upstream_troubles("no such page").empty());
}

TEST(Screen, SaysWhichBackendFailedInTheLastMinute) {
    const auto failed = [](const std::string& seconds) {
        auto to = around();
        to.upstream_troubles = read_upstream_troubles(
            R"({"workers":[],"upstreams":[{"upstream":"app","address":"http://a:80","failures":12,)"
            R"("last_failure":"connection refused","last_failure_seconds":)" +
            seconds + "}]}");
        return text(screen(browsing(test::cart()), to, {90, 24}));
    };
    EXPECT_NE(failed("2").find("\napp: 12 failures, the last 2.0s ago: connection refused\n"),
              std::string::npos)
        << failed("2");
    EXPECT_EQ(failed("61").find("\napp: "), std::string::npos);
    EXPECT_EQ(failed("null").find("\napp: "), std::string::npos);
}

TEST(Screen, TellsOfAPauseFirst) {
    const auto shown = [](const std::string& pause, const std::string& running) {
        const auto waits = test::ticket(8, "/b", R"("waited_seconds":1.0,"ready":true)");
        const auto queue = test::queue("cart", 1, running.empty() ? 0 : 1, 1, "14.0", "1.0",
                                       test::tickets(running, waits), pause);
        Browser browser;
        browser.show(*read_queues(R"({"queues":[)" + test::queue("a", 0, 0, 1, "0.0", "0.0") + "," +
                                  queue + "]}"));
        browser.show(*read_tickets(queue));
        const auto lines = screen(browser, around(), unlimited);
        EXPECT_EQ(browser.selected(), "cart") << "it stands";
        EXPECT_EQ(lines.at(7).style, Style::alarm);
        return text(lines);
    };
    const auto ever = shown(R"("paused":true,"pause_left_seconds":null)", "");
    EXPECT_NE(ever.find("  QUEUE  RUNNING  WAITING  OLDEST RUN  OLDEST WAIT  ORDER  PAUSED\n"
                        "  a      0 of 1   0        0.0s        0.0s         ready  no\n"
                        "> cart   0 of 1   1        14.0s       1.0s         ready  yes\n"
                        "\n"
                        "cart is paused until somebody resumes it; to go on: ticketgate resume "
                        "cart\n"
                        "cart: no request runs, 1 request waiting\n"),
              ever.npos)
        << ever;
    const auto running = test::ticket(7, "/a", R"("held_seconds":14.0)");
    const auto timed = shown(R"("paused":true,"pause_left_seconds":25.5)", running);
    EXPECT_NE(timed.find("  25.5s more\n"), timed.npos) << timed;
    EXPECT_NE(timed.find("cart is paused for 25.5s more; to go on: ticketgate resume cart\n"
                         "cart: number 7 blocks 1 request"),
              timed.npos)
        << timed;
}

TEST(Screen, NamesTheProcessInTheCommandAndQuotesTheQueue) {
    auto to = around();
    to.whom = "--admin unix:/run/a.sock";
    const auto shown = text(screen(browsing(test::cart()), to, unlimited));
    EXPECT_NE(shown.find("ticketgate release cart 7 --request-id r7 --admin unix:/run/a.sock\n"),
              shown.npos);
    TicketLine seven;
    seven.number = 7;
    seven.request_id = "r";
    EXPECT_EQ(release_command("it's a queue", seven, ""),
              "ticketgate release 'it'\\''s a queue' 7 --request-id r");
}

// A second is cut from the difference once, not from the clock and from the time that it held.
TEST(Screen, TellsTheSecondInWhichAHoldBegan) {
    for (const auto& [now, begun] :
         {std::pair{50'000.4, "14:53:05"}, std::pair{50'000.6, "14:53:06"}}) {
        auto at = around();
        at.now.unix_s = now;
        auto cart = *read_tickets(test::cart());
        cart.lines.at(0).seconds = 14.5;
        Browser browser("cart");
        browser.show(*read_queues(test::all()));
        browser.show(cart);
        const auto shown = text(screen(browser, at, unlimited));
        EXPECT_NE(shown.find("for 14.5s, since " + std::string(begun)), shown.npos) << shown;
    }
}

TEST(Screen, AsksBeforeARelease) {
    Browser browser = browsing(test::cart());
    browser.press({Key::letter, 'r'});
    const auto lines = screen(browser, around(), {120, 24});
    EXPECT_EQ(lines.back().text,
              "Release number 7 of cart? Its backend may still run: then two run at once. y: "
              "release, other: no");
    EXPECT_EQ(lines.back().style, Style::alarm);
    const auto narrow = screen(browser, around(), {80, 24});
    EXPECT_EQ(narrow.size(), 24u);
    EXPECT_EQ(narrow.back().text, "y: release, other: no") << "the answers are seen";
    EXPECT_EQ(narrow[22].text,
              "Release number 7 of cart? Its backend may still run: then two run at once.");
    browser.press({Key::escape});
    EXPECT_EQ(screen(browser, around(), {80, 24}).back().text, "not released");
}

TEST(Screen, RaisesAnAlarmThatNeedsNoColour) {
    auto to = around();
    to.config->problems = 1;
    to.config->first_problem = "c.yaml:3:1: unknown key";
    const auto bad = screen(browsing(test::cart()), to, {120, 24});
    EXPECT_EQ(bad[1].text,
              "ready  config in force for 1m30s; the file as it was 30.0s ago is NOT LOADED: "
              "c.yaml:3:1: unknown key");
    EXPECT_EQ(bad[1].style, Style::alarm);
    to.ready = false;
    EXPECT_TRUE(screen(browsing(test::cart()), to, {80, 24})[1].text.starts_with("DRAINING"));
    to.drain = "what still runs is cut in 27 s (drain_timeout)";
    EXPECT_TRUE(screen(browsing(test::cart()), to, {120, 24})[1].text.starts_with(
        "DRAINING, what still runs is cut in 27 s (drain_timeout)  config"));
    to.failure = "Connection refused";
    EXPECT_EQ(screen(browsing(test::cart()), to, {80, 24})[1].text,
              "no answer: Connection refused");
    EXPECT_EQ(screen(browsing(test::cart()), to, {80, 24})[5].style, Style::selected);
    EXPECT_EQ(screen(browsing(test::mail(), "mail"), to, {80, 24})[5].style, Style::alarm);
}

TEST(Screen, ShowsNoControlCharactersThatAClientChose) {
    const auto tickets =
        test::queue("cart", 1, 1, 1, "1.0", "1.0",
                    test::tickets(test::ticket(7, R"(/\u001b[31m)", R"("held_seconds":1.0)"), ""));
    const auto shown = text(screen(browsing(tickets), around(), unlimited));
    EXPECT_EQ(shown.find('\x1b'), shown.npos);
    EXPECT_NE(shown.find("POST /?[31m from"), shown.npos) << shown;
}

}  // namespace
}  // namespace ticketgate::top

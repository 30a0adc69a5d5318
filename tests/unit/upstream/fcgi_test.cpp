// FastCGI with a backend whose bytes the test itself sends and reads.
#include "fcgi_bench.hpp"

namespace ticketgate::fcgi_test {
namespace {

TEST(Fcgi, BodyGoesOutInRecordsWithItsEnd) {
    FcgiBench bench;
    auto exchange = bench.open();
    Body body(bench.budget);
    body.complete = false;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::starved);
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), head);
    ASSERT_FALSE(body.spool.append("some"));
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::starved);
    EXPECT_EQ(backend.receive(), params_end + record(Type::in, "some"));
    ASSERT_FALSE(body.spool.append("more"));
    body.complete = true;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::done);
    EXPECT_EQ(backend.receive(), record(Type::in, "more") + in_end);
}

TEST(Fcgi, BodyOfAnySizeArrivesWhole) {
    FcgiBench bench;
    auto exchange = bench.open();
    Body body(bench.budget);
    const std::string sent(1'000'000, 'b');
    ASSERT_FALSE(body.spool.append(sent));
    result<Step> step = Step::blocked;
    bench.loop.run_once(Duration{0});
    (void)exchange->send(head, body);  // connects
    const Peer backend = bench.door.accept();
    std::string bytes;
    while (*(step = exchange->send(head, body)) != Step::done) {
        bench.loop.run_once(Duration{0});
        std::string part(30'000, 0);
        const auto n = ::recv(backend.descriptor(), part.data(), part.size(), MSG_DONTWAIT);
        if (n > 0) bytes.append(part, 0, static_cast<std::size_t>(n));
    }
    exchange.reset();
    for (std::string more; !(more = backend.receive()).empty();) bytes += more;
    ASSERT_TRUE(bytes.starts_with(head + params_end));
    std::string got;
    for (std::string_view rest = std::string_view(bytes).substr(head.size() + params_end.size());
         ;) {
        ASSERT_GE(rest.size(), fcgi::header_size);
        const auto header = fcgi::decode_header(rest);
        EXPECT_EQ(header.type, Type::in);
        got += rest.substr(fcgi::header_size, header.length);
        rest.remove_prefix(fcgi::header_size + header.length);
        if (header.length != 0) continue;
        EXPECT_EQ(rest, "");
        break;
    }
    EXPECT_EQ(got, sent);
}

TEST(Fcgi, AnswerIsReadHoweverItIsCut) {
    const std::string bytes = out("Status: 404 Not") + out(" Found\r\nA: b\r") + out("\n\r\nbo") +
                              record(Type::err, "oops") + out("dy") + out("") + end_record();
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
        FcgiBench bench;
        const auto running = bench.run();
        running.backend.send(std::string_view(bytes).substr(0, at));
        bench.loop.run_once(1ms);
        http::ResponseHead begun;
        const auto early = running.exchange->read_head(false, begun);
        ASSERT_TRUE(early) << at;
        const auto status = begun.status;
        running.backend.send(std::string_view(bytes).substr(at));
        Answer got;
        if (*early == Step::done) {
            got.status = status;
            got.failure = bench.read_body(*running.exchange, got.body);
        } else {
            got = bench.read(*running.exchange);
        }
        EXPECT_FALSE(got.failure) << at;
        EXPECT_EQ(got.status, 404u);
        EXPECT_EQ(got.body, "body") << at;
        EXPECT_TRUE(running.exchange->ended());
        EXPECT_EQ(running.exchange->remarks(), "oops");
    }
}

TEST(Fcgi, TheEndIsEndRequestNotTheLastByteOfTheBody) {
    FcgiBench bench;
    const auto running = bench.run();
    running.backend.send(out("Content-Length: 2\r\n\r\nhi"));
    http::ResponseHead response;
    ASSERT_TRUE(bench.read_head(*running.exchange, response));
    std::string_view piece;
    ASSERT_EQ(*running.exchange->read_body(piece), Step::done);
    EXPECT_EQ(piece, "hi");
    EXPECT_FALSE(running.exchange->ended());
    EXPECT_EQ(*running.exchange->read_body(piece), Step::blocked);
    running.backend.send(end_record());
    std::string rest;
    EXPECT_FALSE(bench.read_body(*running.exchange, rest));
    EXPECT_EQ(rest, "");
    EXPECT_TRUE(running.exchange->ended());
}

TEST(Fcgi, ABodyThatEndsEarlyIsAFailure) {
    FcgiBench bench;
    EXPECT_EQ(bench.answer(out("A: b\r\n\r\nhalf")).failure, errc::upstream_broke);
    EXPECT_EQ(bench.answer(out("Content-Length: 9\r\n\r\nhalf") + end_record()).failure,
              errc::upstream_broke);
    EXPECT_EQ(bench.answer(out("A: b\r\n")).failure, errc::upstream_broke);
    EXPECT_EQ(bench.answer("").failure, errc::upstream_broke);
}

TEST(Fcgi, AConnectionThatEndsAfterAWholeBodyIsItsEnd) {
    FcgiBench bench;
    const auto got = bench.answer(out("Content-Length: 2\r\n\r\nhi"));
    EXPECT_FALSE(got.failure);
    EXPECT_EQ(got.body, "hi");
    EXPECT_FALSE(bench.answer(out("Status: 204 No Content\r\n\r\n")).failure);
}

TEST(Fcgi, BytesPastTheAnnouncedLengthAreDropped) {
    FcgiBench bench;
    EXPECT_EQ(bench.answer(out("Content-Length: 2\r\n\r\nhi there") + out("!") + end_record()).body,
              "hi");
    EXPECT_EQ(bench.answer(out("A: b\r\n\r\nbody") + end_record(), true).body, "");
    EXPECT_EQ(bench.answer(out("Status: 304 x\r\n\r\nbody") + end_record()).body, "");
}

TEST(Fcgi, AnythingButCgiOutputIsABadResponse) {
    for (const std::string& bytes :
         {"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"s, out("HTTP/1.1 200 OK\r\nA: b\r\n\r\n") + end_record(),
          out("no field\r\n\r\n") + end_record(), end_record(), out("A: b") + end_record(),
          out(std::string(65'535, 'a')) + out("b"), end_record(0, 1), end_record(0, 3),
          record(Type::in, "x")}) {
        FcgiBench bench;
        EXPECT_EQ(bench.answer(bytes).failure, errc::upstream_bad_response)
            << testing::PrintToString(bytes.substr(0, 40));
    }
}

TEST(Fcgi, SaysWhatIsWrongWithABadResponse) {
    const auto complaint = [](const std::string& bytes) {
        FcgiBench bench;
        const auto running = bench.run();
        running.backend.send(bytes);
        running.backend.finish();
        http::ResponseHead got;
        EXPECT_FALSE(bench.read_head(*running.exchange, got));
        return std::string(got.complaint);
    };
    EXPECT_EQ(complaint(out(std::string(65'535, 'a')) + out("b")), "a head longer than max_head");
    EXPECT_EQ(complaint(out("Status: 600 x\r\n\r\n")), "an invalid status");
    EXPECT_EQ(complaint(end_record()), "an empty answer");
    EXPECT_EQ(complaint(out("A: b") + end_record()), "no end of its head");
    EXPECT_EQ(complaint("HTTP/1.1 200 OK\r\n\r\n"), "no FastCGI record");
    EXPECT_EQ(complaint(end_record(0, 3)),
              "the FastCGI server does not serve the role of a responder");
    EXPECT_EQ(complaint(end_record(0, 2)), "it reports FCGI_OVERLOADED");
}

TEST(Fcgi, AnOverloadedBackendIsReported) {
    FcgiBench bench;
    EXPECT_EQ(bench.answer(end_record(0, 2)).failure, errc::upstream_overloaded);
}

TEST(Fcgi, AFailedScriptsExitStatusIsReported) {
    FcgiBench bench;
    const auto running = bench.run();
    running.backend.send(record(Type::err, std::string(60'000, 'e')) + out("A: b\r\n\r\n") +
                         record(Type::err, "late") + end_record(7));
    EXPECT_FALSE(bench.read(*running.exchange).failure);
    EXPECT_EQ(running.exchange->remarks().size(), 4096u);

    const auto other = bench.run();
    other.backend.send(out("A: b\r\n\r\n") + end_record(7));
    EXPECT_FALSE(bench.read(*other.exchange).failure);
    EXPECT_EQ(other.exchange->remarks(), "the script ended with status 7");
}

TEST(Fcgi, ABadResponseIsReadToEndRequest) {
    FcgiBench bench;
    http::ResponseHead late;
    const auto running = bench.run();
    running.backend.send(out("no field\r\n\r\n"));
    EXPECT_EQ(bench.read(*running.exchange).failure, errc::upstream_bad_response);
    EXPECT_EQ(running.exchange->outlast(false, late), Step::blocked);
    running.backend.send(out("goes on"));
    bench.loop.run_once(100ms);
    EXPECT_EQ(running.exchange->outlast(false, late), Step::blocked);
    running.backend.send(end_record());
    const auto outlast = [&]() -> result<Step> { return running.exchange->outlast(false, late); };
    EXPECT_EQ(*bench.drive(outlast), Step::done);
}

TEST(Fcgi, ABrokenStreamIsReadToTheEndOfTheConnection) {
    FcgiBench bench;
    http::ResponseHead late;
    auto running = bench.run();
    running.backend.send("no record at all");
    EXPECT_EQ(bench.read(*running.exchange).failure, errc::upstream_bad_response);
    EXPECT_EQ(running.exchange->outlast(false, late), Step::blocked);
    running.backend.send(end_record());
    bench.loop.run_once(100ms);
    EXPECT_EQ(running.exchange->outlast(false, late), Step::blocked);
    running.backend.close();
    const auto outlast = [&]() -> result<Step> { return running.exchange->outlast(false, late); };
    EXPECT_EQ(*bench.drive(outlast), Step::done);
}

TEST(Fcgi, ABrokenStreamEndsWithAFin) {
    FcgiBench bench(true);
    const auto [exchange, backend] = bench.run();
    backend.send("no record of FastCGI at all" + end_record());
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_bad_response);
    http::ResponseHead scratch;
    EXPECT_EQ(exchange->outlast(false, scratch), Step::blocked);
    EXPECT_EQ(backend.receive(), "");  // a FIN
    EXPECT_FALSE(exchange->settled());
}

// php-fpm counts a worker's time from the accept, or on a kept connection from the end of the
// previous request, which may be long ago.
TEST(Fcgi, AWorkerOnAKeptConnectionMayHaveBegunBeforeItsRequest) {
    const std::string table =
        R"({"processes":[{"state":"Finishing","request duration":9000000,"request method":"GET",)"
        R"("request uri":"\/a.php?x"}]})";
    const Time now = monotonic_now();
    const Answered request{"GET", "/a.php?x", now - 3s, now - 2s, {}, now - 1s, now};
    for (const bool keep : {false, true}) {
        const FcgiBench bench(keep);
        const auto working = bench.upstream->worker_status()->still_runs(table, request);
        ASSERT_TRUE(working);
        EXPECT_EQ(*working, keep ? fcgi::Working::perhaps : fcgi::Working::no);
    }
}

TEST(Fcgi, PagesOfOnePoolFreeSlots) {
    const FcgiBench bench;
    WorkerStatus& workers = *bench.upstream->worker_status();
    EXPECT_FALSE(workers.one_pool(R"({"pool":"a"})"));
    EXPECT_EQ(workers.compare_pools(R"({"pool":"a"})", R"({"pool":"a"})"), "");
    EXPECT_TRUE(workers.one_pool(R"({"pool":"a"})"));
    EXPECT_NE(workers.compare_pools(R"({"pool":"a"})", R"({"pool":"b"})"), "");
    EXPECT_FALSE(workers.one_pool(R"({"pool":"a"})"));
}

// As php-fpm 8.2 begins its page.
std::string page_of(const std::string& pool, int start, int since) {
    return R"({"pool":")" + pool + R"(","process manager":"static","start time":)" +
           std::to_string(start) + R"(,"start since":)" + std::to_string(since) +
           R"(,"accepted conn":1,"processes":[]})";
}

TEST(Fcgi, PagesOfARestartedPhpFpmFreeNoSlotUntilThePoolsAreComparedAgain) {
    const FcgiBench bench;
    WorkerStatus& workers = *bench.upstream->worker_status();
    const auto compare = [&](const std::string& page) { return workers.compare_pools(page, page); };
    EXPECT_EQ(compare(page_of("www", 100, 1)), "");
    EXPECT_TRUE(workers.one_pool(page_of("www", 100, 7)));
    EXPECT_FALSE(workers.one_pool(page_of("www", 200, 7)));
    EXPECT_FALSE(workers.one_pool(page_of("other", 100, 7)));
    EXPECT_EQ(compare(page_of("www", 200, 1)), "");
    EXPECT_TRUE(workers.one_pool(page_of("www", 200, 7)));
    EXPECT_TRUE(workers.one_pool(page_of("www", 100, 7))) << "a name may have several machines";
    for (int start = 300; start < 400; ++start) EXPECT_EQ(compare(page_of("www", start, 1)), "");
    EXPECT_FALSE(workers.one_pool(page_of("www", 100, 7))) << "not all are remembered";
    EXPECT_TRUE(workers.one_pool(page_of("www", 399, 7)));
    EXPECT_FALSE(workers.one_pool("")) << "no page";
}

// Debian's packages call it www, in each version of PHP.
TEST(Fcgi, PagesOfAnotherPhpFpmWithAPoolOfThatNameFreeNoSlot) {
    const FcgiBench bench;
    WorkerStatus& workers = *bench.upstream->worker_status();
    EXPECT_EQ(workers.compare_pools(page_of("www", 100, 2), page_of("www", 100, 3)), "");
    EXPECT_NE(workers.compare_pools(page_of("www", 101, 1), page_of("www", 100, 2)), "");
    EXPECT_FALSE(workers.one_pool(page_of("www", 101, 2)));
}

// php-fpm's worker ends a request with END_REQUEST, whatever its script goes on to do.
TEST(Fcgi, AWorkerIsGoneIfItsConnectionEndsBeforeTheRequest) {
    FcgiBench bench;
    const auto gone = [&](const std::string& bytes) {
        const auto running = bench.run();
        running.backend.send(bytes);
        running.backend.finish();
        (void)bench.read(*running.exchange);
        http::ResponseHead scratch;
        EXPECT_TRUE(run_until(
            bench.loop, [&] { return running.exchange->outlast(false, scratch) == Step::done; }));
        return running.exchange->worker_gone();
    };
    EXPECT_TRUE(gone(out("A: b\r\n\r\nhalf")));
    EXPECT_TRUE(gone(""));
    EXPECT_FALSE(gone(out("A: b\r\n\r\nwhole") + end_record()));
    EXPECT_FALSE(gone(std::string(8, '?') + end_record())) << "no records";
}

// The name of the backend moves to another machine while a script runs.
TEST(Fcgi, TheStatusPageIsAskedAtTheAddressThatGotTheRequest) {
    FcgiBench bench;
    const auto sent_to = *net::Endpoint::from_ip("127.0.0.9", 9000);
    const auto asks = [&](const char* scripts, const char* page, const net::Endpoint& address) {
        UpstreamSettings settings, status;
        settings.host = scripts;
        settings.port = 9000;
        status.host = page;
        status.port = 9001;
        FcgiSettings fcgi;
        fcgi.status = status;
        const auto upstream = std::make_shared<FcgiUpstream>(settings, fcgi, bench.resolver, 1);
        std::string asked;
        return upstream->worker_status()->ask(bench.loop, address, asked)->address();
    };
    EXPECT_EQ(asks("php", "php", sent_to), "127.0.0.9:9001");
    EXPECT_EQ(asks("php", "php", {}), "php:9001");
    EXPECT_EQ(asks("php", "127.0.0.1", sent_to), "127.0.0.1:9001");
}

TEST(Fcgi, AnExchangeKnowsTheAddressThatGetsItsRequest) {
    FcgiBench bench;
    const auto running = bench.run();
    EXPECT_EQ(running.exchange->peer().text(), bench.door.at().text());
}

struct Origin final : OriginSource {
    fcgi::Origin origin() override {
        fcgi::Origin from;
        from.unique_id = "ours";
        return from;
    }
};

TEST(Fcgi, ParametersComeFromTheSanitisedHead) {
    FcgiBench bench;
    http::RequestHead request;
    const std::string text =
        "POST http://h/a.php?q HTTP/1.1\r\nHost: h\r\nProxy: evil\r\nX_Forwarded_For: evil\r\n"
        "UNIQUE_ID: evil\r\nTransfer-Encoding: chunked\r\nConnection: X-Hop\r\nX-Hop: evil\r\n\r\n";
    const auto parsed = http::parse_request(text, {}, request);
    ASSERT_TRUE(parsed && *parsed == http::Progress::done);
    const std::vector<std::string> ids{"unique-id"};
    RequestFacts facts;
    facts.edits.id_names = ids;
    facts.edits.added = "UNIQUE_ID: ours\r\n";
    Origin origin;
    facts.origin = &origin;
    std::string bytes;
    EXPECT_TRUE(bench.upstream->prepare(request, facts, bytes).needs_length);
    bench.upstream->add_length(bytes, 77);
    EXPECT_EQ(bytes.find("evil"), std::string::npos);
    EXPECT_NE(bytes.find("\t\4UNIQUE_IDours"), std::string::npos);
    EXPECT_NE(bytes.find("\v\bREQUEST_URI/a.php?q"), std::string::npos);
    EXPECT_TRUE(bytes.ends_with(record(Type::params, "\16\2CONTENT_LENGTH77")));
    EXPECT_EQ(bytes.find("HTTP_CONNECTION"), std::string::npos);
    EXPECT_TRUE(bench.upstream->uses_origin());
}

}  // namespace
}  // namespace ticketgate::fcgi_test

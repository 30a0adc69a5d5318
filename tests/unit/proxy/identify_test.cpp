// The source of a request's id: every policy with the values of strangers and of our own proxies.
#include "proxy/identify.hpp"

#include "config/keys.hpp"
#include "configs.hpp"
#include "http/parser.hpp"
#include "http/rewrite.hpp"
#include "ids/decode.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {
namespace {

const std::string sent = "0123456789abcdef";  // the shortest value that may be kept

struct Identify : testing::Test {
    Identify() { record.received = WallTime{1'795'186'941'000'000}; }
    void use(const std::string& ids) {
        served = std::make_unique<Served>("ids: " + ids +
                                          "\nclients: {trusted_proxies: [10.0.0.0/8]}\n"
                                          "routes: [{prefix: /, upstream: app}]\n");
    }
    const config::Ids& wanted() const { return served->snapshot->config.ids; }

    // Returns the request id that a request with these header lines gets.
    std::string id_of(const std::string& header_lines, bool trusted) {
        const std::string text = "GET / HTTP/1.1\r\nHost: h\r\n" + header_lines + "\r\n";
        const http::RequestHead head = parsed(text);
        identify(wanted(), &head, trusted ? Sender::trusted : Sender::client, generator, record);
        return std::string(record.request_id.view());
    }
    static http::RequestHead parsed(const std::string& text) {
        http::RequestHead head;
        const auto progress = http::parse_request(text, http::HeadLimits(), head);
        EXPECT_TRUE(progress && *progress == http::Progress::done) << text;
        return head;
    }
    // Returns the head that the backend gets.
    std::string forwarded(const std::string& header_lines, bool trusted) {
        const std::string text = "GET / HTTP/1.1\r\nHost: h\r\n" + header_lines + "\r\n";
        const http::RequestHead head = parsed(text);
        identify(wanted(), &head, trusted ? Sender::trusted : Sender::client, generator, record);
        std::string lines, out;
        stamp_request(head, wanted(), {"192.0.2.7", trusted, 80}, record, "b", lines);
        http::RequestEdits edits;
        edits.id_names = served->snapshot->id_names;
        edits.added = lines;
        http::rewrite_request(head, edits, out);
        return out;
    }

    std::unique_ptr<Served> served;
    ids::Generator generator;
    Record record;
};

TEST_F(Identify, FormatsOfTheConfigAreThoseThatAreMade) {
    const auto* key = config::find_key(config::Section::route_id, "format");
    std::string names;
    for (const auto name : ids::format_names)
        names += (names.empty() ? "" : "|") + std::string(name);
    EXPECT_EQ(key->choices, names);
}

TEST_F(Identify, GenerateNeverKeeps) {
    use("{request_id: {policy: generate}}");
    for (const bool trusted : {false, true}) {
        const auto id = id_of("X-Request-Id: " + sent + "\r\n", trusted);
        EXPECT_EQ(id.size(), 20u);
        EXPECT_NE(id, sent);
    }
}

TEST_F(Identify, PreserveOrGenerateKeepsTheIdOfATrustedProxyOnly) {
    use("{request_id: {policy: preserve_or_generate}}");
    EXPECT_EQ(id_of("X-Request-Id: " + sent + "\r\n", true), sent);
    EXPECT_EQ(id_of("x-request-id: " + sent + "\r\n", true), sent);
    EXPECT_EQ(id_of("X-Request-Id: " + sent + "\r\n", false).size(), 20u);
    EXPECT_EQ(id_of("", true).size(), 20u);
}

TEST_F(Identify, PreserveKeepsOrGivesNone) {
    use("{request_id: {policy: preserve}}");
    EXPECT_EQ(id_of("X-Request-Id: " + sent + "\r\n", true), sent);
    EXPECT_EQ(id_of("X-Request-Id: " + sent + "\r\n", false), "");
    EXPECT_EQ(id_of("", true), "");
    EXPECT_EQ(forwarded("X-Request-Id: " + sent + "\r\n", false).find(sent), std::string::npos);
}

TEST_F(Identify, DisableGivesNoneAndLetsNonePass) {
    use("{request_id: {policy: disable}}");
    for (const bool trusted : {false, true}) {
        EXPECT_EQ(id_of("X-Request-Id: " + sent + "\r\n", trusted), "");
        const auto head = forwarded("X_Request_Id: " + sent + "\r\n", trusted);
        EXPECT_EQ(head.find(sent), std::string::npos) << head;
        EXPECT_EQ(head.find("X-Request-Id"), std::string::npos) << head;
    }
}

// CONTRACT 5.1: replaced, never truncated.
TEST_F(Identify, OnlyWellFormedValuesAreKept) {
    use("{request_id: {policy: preserve_or_generate}}");
    for (const auto& value :
         {std::string(15, 'a'), std::string(129, 'a'), std::string(15, 'a') + " b",
          std::string("0123456789abcde\""), std::string("0123456789abcdef,x")})
        EXPECT_EQ(id_of("X-Request-Id: " + value + "\r\n", true).size(), 20u) << value;
    const std::string longest(128, '~');
    EXPECT_EQ(id_of("X-Request-Id: " + longest + "\r\n", true), longest);
}

TEST_F(Identify, TwoDifferentValuesAreReplaced) {
    use("{request_id: {policy: preserve_or_generate}}");
    const std::string line = "X-Request-Id: " + sent + "\r\n";
    EXPECT_EQ(id_of(line + "X-Request-Id: fedcba9876543210\r\n", true).size(), 20u);
    EXPECT_EQ(id_of(line + line, true), sent);
}

// A trusted proxy passes on header names that only CGI folds to the id's, so a client may set them.
TEST_F(Identify, AnotherSpellingOfTheNameIsNeverKept) {
    use("{request_id: {policy: preserve_or_generate}}");
    EXPECT_EQ(id_of("X_Request_Id: " + sent + "\r\n", true).size(), 20u);
    const auto head =
        forwarded("X-Request-Id: " + sent + "\r\nX_REQUEST_ID: spoofspoofspoof1\r\n", true);
    EXPECT_NE(head.find("X-Request-Id: " + sent + "\r\n"), std::string::npos) << head;
    EXPECT_EQ(head.find("spoof"), std::string::npos) << head;
}

TEST_F(Identify, TheClientsValueMayBeKeptInAnotherHeader) {
    use("{request_id: {keep_client_in: X-Client-Request-Id}}");
    const auto head = forwarded("X-Request-Id: mine-1\r\nX-Client-Request-Id: forged\r\n", false);
    EXPECT_NE(head.find("X-Client-Request-Id: mine-1\r\n"), std::string::npos) << head;
    EXPECT_EQ(head.find("forged"), std::string::npos) << head;
    EXPECT_EQ(forwarded("", false).find("X-Client-Request-Id"), std::string::npos);
    EXPECT_EQ(forwarded("X-Request-Id: two words\r\n", false).find("two words"), std::string::npos);
}

TEST_F(Identify, AValueKeptAsTheIdIsNotKeptInTheOtherHeaderToo) {
    use("{request_id: {policy: preserve_or_generate, keep_client_in: X-Client-Request-Id}}");
    const std::string line = "X-Request-Id: " + sent + "\r\n";
    EXPECT_EQ(forwarded(line, true).find("X-Client-Request-Id"), std::string::npos);
    EXPECT_NE(forwarded(line, false).find("X-Client-Request-Id: " + sent), std::string::npos);
}

TEST_F(Identify, SeveralIdsInFormatsOfTheirOwn) {
    use("{request_id: {format: uuidv7}, unique_id: {format: httpd_2_4_29},"
        " other: {trace: {header: X-Trace, format: ulid}, flow: {headers: [A, B], format: "
        "hex128}}}");
    const auto head = forwarded("x_trace: evil\r\nB: evil\r\n", false);
    EXPECT_EQ(head.find("evil"), std::string::npos) << head;
    EXPECT_EQ(record.request_id.view().size(), 36u);
    EXPECT_EQ(record.unique_id.view().size(), 27u);
    ASSERT_EQ(record.other_ids.size(), 2u);
    EXPECT_EQ(record.other_ids[0].first, "flow");  // sorted by name
    EXPECT_EQ(record.other_ids[0].second.view().size(), 32u);
    EXPECT_EQ(record.other_ids[1].second.view().size(), 26u);
    for (const auto* name : {"A: ", "B: "})
        EXPECT_NE(head.find(name + std::string(record.other_ids[0].second.view())),
                  std::string::npos);
    EXPECT_NE(head.find("X-Trace: " + std::string(record.other_ids[1].second.view())),
              std::string::npos);
}

TEST_F(Identify, ARefusedHeadHasIdsToo) {
    use("{request_id: {policy: preserve_or_generate}}");
    identify(wanted(), nullptr, Sender::trusted, generator, record);
    EXPECT_EQ(record.request_id.view().size(), 20u);
    EXPECT_EQ(record.unique_id.view().size(), 27u);
}

TEST_F(Identify, ARouteHasItsOwnFormatsAndPolicies) {
    const Served served_routes(
        "ids: {other: {trace: {header: X-Trace}}}\n"
        "defaults: {upstream: app}\n"
        "routes: [{prefix: /}, {prefix: /a, ids: {request_id: {format: ulid},\n"
        "  other: {trace: {policy: disable}}}, routes: [{prefix: /a/b,\n"
        "  ids: {unique_id: {policy: disable}}}]}]\n");
    const auto lengths = [&](std::string_view path) {
        const auto route = served_routes.find(path);
        identify(route->settings.ids, nullptr, Sender::client, generator, record);
        return std::vector<std::size_t>{record.request_id.view().size(),
                                        record.unique_id.view().size(),
                                        record.other_ids.at(0).second.view().size()};
    };
    using Lengths = std::vector<std::size_t>;
    EXPECT_EQ(lengths("/"), (Lengths{20, 27, 36}));
    EXPECT_EQ(lengths("/a"), (Lengths{26, 27, 0}));
    EXPECT_EQ(lengths("/a/b"), (Lengths{26, 0, 0}));
}

}  // namespace
}  // namespace ticketgate

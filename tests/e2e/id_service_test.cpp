// noeqd's protocol against the real service, byte for byte, and cases that crash noeqd. The service
// has its own thread, so every test crosses threads.

#include <boost/json.hpp>
#include <fstream>

#include "base/bytes.hpp"
#include "ids/format.hpp"
#include "support/configs.hpp"
#include "support/socket.hpp"

namespace ticketgate::test {
namespace {

constexpr auto nothing_comes = std::chrono::milliseconds(30);

std::string service(const std::string& more = "") {
    return one_queue() + "id_service: { address: \"127.0.0.1:0\", datacenter: 21, worker: 7" +
           (more.empty() ? "" : ", " + more) + " }\n";
}

// No request reaches this upstream.
const Variables nobody{{"BACKEND", "http://127.0.0.1:9"}};

std::vector<std::uint64_t> numbers(std::string_view bytes) {
    std::vector<std::uint64_t> ids;
    for (; bytes.size() >= 8; bytes.remove_prefix(8))
        ids.push_back(load_be<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(bytes.data())));
    EXPECT_TRUE(bytes.empty());
    return ids;
}

// Gets `count` ids and checks that each is greater than the one before.
std::vector<std::uint64_t> take(Socket& socket, std::uint8_t count) {
    EXPECT_EQ(socket.send(std::string(1, static_cast<char>(count))), Socket::Status::ok);
    std::string bytes;
    Reader reader(socket);
    EXPECT_TRUE(reader.exactly(count * 8u, bytes));
    const auto ids = numbers(bytes);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    return ids;
}

struct Played {
    std::string bytes;
    bool closed = false;
};
// Checks the reply: this many bytes, then the end, or silence.
Played play(const net::Endpoint& at, const std::string& bytes, std::size_t expected, bool end) {
    auto socket = Socket::connect(at);
    EXPECT_EQ(socket.send(bytes), Socket::Status::ok);
    Reader reader(socket);
    Played played;
    (void)reader.exactly(expected, played.bytes);
    const Clock::duration limit = end ? Clock::duration(patience) : nothing_comes;
    if (reader.status() == Socket::Status::ok) (void)reader.some(played.bytes, limit);
    played.closed = reader.status() == Socket::Status::ended ||
                    reader.status() == Socket::Status::reset;  // if bytes are unread
    return played;
}

boost::json::value noeq_vectors() {
    std::ifstream in(std::string(TG_SOURCE_DIR) + "/tests/vectors/noeq.json");
    return boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST(IdServiceThreads, MatchesNoeqdOnTheWire) {
    Gateway open(service(), nobody), closed(service("token: sekrit"), nobody);
    const auto file = noeq_vectors();
    for (const auto& v : file.at("wire").as_array()) {
        const std::string said(v.at("server").as_string()), hex(v.at("client_hex").as_string());
        std::string bytes(hex.size() / 2, '\0');
        ASSERT_TRUE(decode_hex(hex, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}));
        const std::size_t first = said.starts_with("no") ? 0 : std::stoul(said);
        const auto then = said.find("then ");
        const auto expected =
            first + (then == std::string::npos ? 0 : std::stoul(said.substr(then + 5)));
        auto& gateway = v.at("token").as_string().empty() ? open : closed;
        const bool closes = said.find("closed") != std::string::npos;
        const auto played = play(gateway.id_service_address(), bytes, expected, closes);
        EXPECT_EQ(played.bytes.size(), expected) << v.at("name");
        EXPECT_EQ(played.closed, closes) << v.at("name");
        const auto ids = numbers(played.bytes);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
        for (const auto id : ids) EXPECT_EQ(id >> 12 & 0x3ff, 21u << 5 | 7u);
    }
}

TEST(IdServiceThreads, NumbersRiseAcrossConnections) {
    Gateway gateway(service(), nobody);
    auto a = Socket::connect(gateway.id_service_address());
    auto b = Socket::connect(gateway.id_service_address());
    std::uint64_t last = 0;
    for (int i = 0; i < 200; ++i) {
        const auto ids = take(i % 2 == 0 ? a : b, static_cast<std::uint8_t>(1 + i));
        EXPECT_GT(ids.front(), last);
        last = ids.back();
    }
    EXPECT_EQ(gateway.metric("ticketgate_id_service_connections"), 2);
    EXPECT_EQ(gateway.metric("ticketgate_id_service_requests_total"), 200);
    EXPECT_EQ(gateway.metric("ticketgate_id_service_ids_total"), 200 * 201 / 2);
}

// Asks for more than any socket buffers: the service makes only as many ids as it can send.
TEST(IdServiceThreads, AGreedyClientThatReadsNothingDoesNotDelayOthers) {
    Gateway gateway(service(), nobody);
    auto greedy = Socket::connect(gateway.id_service_address(), 4 << 10);
    const std::string wishes(100'000, '\xff');
    for (std::size_t sent = 0; sent < wishes.size();) {
        const auto n = greedy.send_some(std::string_view(wishes).substr(sent));
        sent += n;
        if (n == 0) break;
    }
    auto modest = Socket::connect(gateway.id_service_address());
    for (int i = 0; i < 20; ++i) EXPECT_EQ(take(modest, 1).size(), 1u);
}

TEST(IdServiceThreads, AMissingLoginEndsTheConnectionInTime) {
    Gateway gateway(service("token: sekrit, login_timeout: 1s, idle_timeout: 1s"), nobody);
    const auto at = gateway.id_service_address();
    for (const auto& bytes : {std::string(), std::string("\1"), std::string("\0\6sek", 5),
                              std::string("\0\6sekrit", 8)}) {
        auto socket = Socket::connect(at);
        (void)socket.send(bytes);
        Reader reader(socket);
        EXPECT_EQ(reader.rest(), "");
        EXPECT_EQ(reader.status(), Socket::Status::ended);
    }
    EXPECT_EQ(gateway.metric(R"(ticketgate_id_service_refused_total{reason="timeout"})"), 4);
}

// Connection pools log in early and ask late.
TEST(IdServiceThreads, AfterItsLoginAClientMayBeIdleForLonger) {
    Gateway gateway(service("token: sekrit, login_timeout: 5s"), nobody);
    const auto at = gateway.id_service_address();
    auto early = Socket::connect(at);
    // The deadline for the login starts when the service first finds no bytes.
    ASSERT_TRUE(
        eventually([&] { return gateway.metric("ticketgate_id_service_connections") == 1; }));
    ASSERT_EQ(early.send(std::string("\0\6sekrit", 8)), Socket::Status::ok);
    auto silent = Socket::connect(at);
    EXPECT_EQ(Reader(silent).rest(), "") << "closed when its second, which began later, was over";
    EXPECT_EQ(gateway.metric(R"(ticketgate_id_service_refused_total{reason="timeout"})"), 1);
    EXPECT_EQ(take(early, 1).size(), 1u);
}

TEST(IdServiceThreads, WrongTokensAndRequestsAreCounted) {
    Gateway gateway(service("token: sekrit"), nobody);
    const auto at = gateway.id_service_address();
    EXPECT_TRUE(play(at, std::string("\0\6sekriX\1", 9), 0, true).closed);
    EXPECT_TRUE(play(at, "\1\1", 0, true).closed);
    EXPECT_EQ(gateway.metric(R"(ticketgate_id_service_refused_total{reason="token"})"), 1);
    EXPECT_EQ(gateway.metric(R"(ticketgate_id_service_refused_total{reason="request"})"), 1);
}

TEST(IdServiceThreads, OneMoreThanAllowedReplacesTheLongestIdleConnection) {
    for (const char* limit : {"max_connections: 2", "max_connections_per_client: 2"}) {
        Gateway gateway(service(limit), nobody);
        const auto at = gateway.id_service_address();
        auto first = Socket::connect(at), second = Socket::connect(at);
        (void)take(first, 1);
        (void)take(second, 1);
        auto third = Socket::connect(at);
        EXPECT_EQ(take(third, 1).size(), 1u);
        EXPECT_EQ(Reader(first).rest(), "");
        EXPECT_EQ(take(second, 1).size(), 1u);
        EXPECT_EQ(gateway.metric(R"(ticketgate_id_service_refused_total{reason="oldest_idle"})"),
                  1);
    }
}

TEST(IdServiceThreads, ARestartRepeatsNothing) {
    std::uint64_t last = 0;
    TemporaryFolder folder;
    const auto config = service("state_file: \"" + folder.file("state") + "\"");
    for (int i = 0; i < 3; ++i) {
        Gateway gateway(config, nobody);
        auto socket = Socket::connect(gateway.id_service_address());
        const auto ids = take(socket, 255);
        EXPECT_GT(ids.front(), last);
        last = ids.back();
    }
}

TEST(IdServiceThreads, EndsWhileClientsAreConnected) {
    auto gateway = std::make_unique<Gateway>(service(), nobody);
    auto idle = Socket::connect(gateway->id_service_address());
    (void)take(idle, 1);
    gateway.reset();
    EXPECT_EQ(Reader(idle).rest(), "");
}

// ── the same over plain HTTP ──

TEST(IdsPage, GivesIdsOfAnyFormat) {
    Gateway gateway(one_queue() + "ids: { machine: { worker: 7, address: 10.0.0.1 } }\n", nobody);
    const auto txid = gateway.admin("/api/v1/ids");
    EXPECT_EQ(txid.status, 200);
    EXPECT_EQ(boost::json::parse(txid.body).at("ids").as_array().at(0).as_string().size(), 20u);
    for (const auto format : ids::format_names) {
        const auto answer = gateway.admin("/api/v1/ids?format=" + std::string(format) + "&n=300");
        ASSERT_EQ(answer.status, 200) << answer.body;
        const auto json = boost::json::parse(answer.body);
        EXPECT_EQ(json.at("format").as_string(),
                  boost::json::string_view(format.data(), format.size()));
        std::set<std::string> seen;
        for (const auto& id : json.at("ids").as_array()) seen.emplace(id.as_string());
        EXPECT_EQ(seen.size(), 300u) << format;
    }
}

// Both would make the same ids from one worker number.
TEST(IdsPage, RefusesSnowflakesWithTheWorkerOfTheIdService) {
    const std::string machine = "ids: { machine: { datacenter: 21, worker: ";
    Gateway same(service() + machine + "7 } }\n", nobody);
    const auto refused = same.admin("/api/v1/ids?format=snowflake");
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(refused.body.find("the id service makes the snowflakes"), std::string::npos);
    EXPECT_EQ(same.admin("/api/v1/ids?format=txid").status, 200);
    Gateway other(service() + machine + "8 } }\n", nobody);
    EXPECT_EQ(other.admin("/api/v1/ids?format=snowflake").status, 200);
}

TEST(IdServiceThreads, AReloadDoesNotBringASecondMakerOfItsSnowflakes) {
    const std::string machine = "ids: { machine: { datacenter: 21, worker: 7 }";
    Gateway gateway(service() + machine + " }\n", nobody);
    const auto moved = one_queue() +
                       "id_service: { address: \"127.0.0.1:0\", datacenter: 21, worker: 8 }\n" +
                       machine;
    EXPECT_TRUE(gateway.reload(moved + " }\n"));
    EXPECT_FALSE(gateway.reload(moved + ", request_id: { format: snowflake } }\n"));
}

TEST(IdsPage, RefusesBadRequests) {
    Gateway gateway(one_queue(), nobody);
    const std::pair<const char*, const char*> bad[] = {
        {"?format=uuid7", "did you mean uuidv7?"},
        {"?n=0", "from 1 to 10000"},
        {"?n=10001", "from 1 to 10000"},
        {"?n=1x", "from 1 to 10000"},
        {"?count=3", "the parameters are format and n"},
        {"?format=", "no such format"},
        {"?format=zz", "; the formats are txid "}};
    for (const auto& [query, why] : bad) {
        const auto answer = gateway.admin("/api/v1/ids" + std::string(query));
        EXPECT_EQ(answer.status, 400) << query;
        EXPECT_NE(answer.body.find(why), std::string::npos) << answer.body;
    }
}

}  // namespace
}  // namespace ticketgate::test

// CONTRACT 5: one id, the same in the backend's header, the answer, an error's body and the log.
#include <boost/json.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string kept(128, 'k');

std::string policy(const std::string& trusted) {
    return one_queue(", max_body: 8B") + "clients: { trusted_proxies: [" + trusted +
           "] }\n"
           "ids:\n"
           "  request_id: { policy: preserve_or_generate, keep_client_in: X-Client-Request-Id }\n"
           "  other: { trace: { header: X-Trace-Id, format: ulid } }\n";
}

TEST(IdPolicy, ATrustedProxysIdIsUsedEverywhere) {
    Backend backend;
    Gateway gateway(policy("127.0.0.0/8"), with(backend));
    const auto answer = gateway.get("/x", "X-Request-Id: " + kept + "\r\n");
    EXPECT_EQ(answer.header("X-Request-Id"), kept);
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(fields.get("X-Request-Id"), kept);
    EXPECT_FALSE(fields.has("X-Client-Request-Id"));
    const auto line = gateway.log(1).at(0);
    EXPECT_EQ(line.at("request_id").as_string(), boost::json::string_view(kept));
    EXPECT_EQ(line.at("ids").at("trace").as_string(),
              boost::json::string_view(answer.header("X-Trace-Id")));
    EXPECT_EQ(fields.get("X-Trace-Id"), answer.header("X-Trace-Id"));
}

TEST(IdPolicy, ErrorsHaveTheIdToo) {
    Backend backend;
    Gateway gateway(policy("127.0.0.0/8"), with(backend));
    Client client = gateway.client();
    client.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\nX-Request-Id: " + kept +
                "\r\n\r\n123456789");
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.header("X-Request-Id"), kept);
    EXPECT_EQ(boost::json::parse(answer.body).at("request_id").as_string(),
              boost::json::string_view(kept));
}

TEST(IdPolicy, AStrangersIdIsReplacedAndKeptInAnotherHeader) {
    Backend backend;
    Gateway gateway(policy("192.0.2.0/24"), with(backend));
    const auto answer = gateway.get("/x", "X-Request-Id: " + kept + "\r\n");
    const auto fields = backend.of("/x").at(0).fields;
    EXPECT_EQ(answer.header("X-Request-Id").size(), 20u);
    EXPECT_EQ(fields.get("X-Request-Id"), answer.header("X-Request-Id"));
    EXPECT_EQ(fields.get("X-Client-Request-Id"), kept);
    EXPECT_EQ(answer.header("X-Client-Request-Id"), "") << "for the backend only";
}

// A client cannot set a route's own id header either.
TEST(IdPolicy, ARouteHasHeadersOfItsOwn) {
    Backend backend;
    Gateway gateway(
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "defaults: { upstream: app }\n"
        "routes:\n"
        "  - prefix: /\n"
        "  - prefix: /api\n"
        "    ids: { request_id: { headers: [X-Correlation-Id, X-Request-Id] },\n"
        "           unique_id: { headers: [] } }\n",
        with(backend));
    const auto api = gateway.get("/api", "X-Correlation-Id: evil\r\nUnique-Id: evil\r\n");
    const auto other = gateway.get("/x", "X_Correlation_Id: evil\r\n");
    EXPECT_EQ(api.header("X-Correlation-Id"), api.header("X-Request-Id"));
    EXPECT_EQ(api.header("Unique-Id"), "");
    EXPECT_EQ(other.header("X-Correlation-Id"), "");
    const auto at_api = backend.of("/api").at(0).fields;
    EXPECT_EQ(at_api.get("X-Correlation-Id"), api.header("X-Request-Id"));
    EXPECT_FALSE(at_api.has("Unique-Id"));
    EXPECT_FALSE(backend.of("/x").at(0).fields.has("X_Correlation_Id"));
    EXPECT_EQ(backend.of("/x").at(0).fields.get("Unique-Id"), other.header("Unique-Id"));
    EXPECT_EQ(gateway.log(2).at(0).at("unique_id").as_string().size(), 27u) << "the log has it";
}

}  // namespace
}  // namespace ticketgate::test

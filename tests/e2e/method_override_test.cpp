// A read that names another method is queued with the writes (docs/configuration.md).
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

// Symfony, Laravel, Rails and Slim heed these of a POST only; WordPress' REST API and Yii also of a
// GET.
TEST(MethodOverride, IsQueuedInEverySpelling) {
    Backend backend;
    Gateway gateway(
        one_queue(", skip_methods: [GET, HEAD, OPTIONS]") + "clients: { unusual_names: forward }\n",
        with(backend));
    const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
    struct Spelling {
        std::string target, lines, body;
        bool queued = true;
    };
    const Spelling spellings[] = {
        {"/x", "X-HTTP-Method-Override: DELETE\r\n", ""},
        {"/x", "x-http-method-override: POST\r\n", ""},
        {"/x", "X_HTTP_Method_Override: PUT\r\n", ""},
        {"/x", "X-HTTP-Method: PUT\r\n", ""},
        {"/x", "X-Method-Override: PATCH\r\n", ""},
        {"/x?_method=DELETE", "", ""},
        {"/x?a=1&_METHOD=put", "", ""},
        {"/x?%5Fm%65thod=PUT", "", ""},
        {"/x?.method=PUT", "", ""},
        {"/x?_method[]=PUT", "", ""},
        {"/x", form, "_method=DELETE"},
        {"/x", "Content-Type: application/json\r\n", "{\"_method\":\"PUT\"}"},
        {"/x?page=2", "Cookie: _method=PUT\r\nX-Method: PUT\r\n", "", false},
    };
    std::size_t requests = 0;
    for (const auto& one : spellings) {
        for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
            Client client = gateway.client();
            client.request(method, one.target, one.lines, one.body);
            EXPECT_EQ(client.read_to_head().status, 200);
            const auto line = gateway.log(++requests).back();
            EXPECT_EQ(line.contains("queue"), one.queued)
                << method << " " << one.target << " " << one.lines << one.body;
        }
    }
    Client client = gateway.client();
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n" + form +
                "Transfer-Encoding: chunked\r\n\r\n9\r\n_method=A\r\n0\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(gateway.log(++requests).back().contains("queue")) << "in chunks";
    client.request("POST", "/x", form, "a=b");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(gateway.log(++requests).back().contains("queue"));
}

}  // namespace
}  // namespace ticketgate::test

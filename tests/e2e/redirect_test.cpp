// A backend gets the client's Host and appends its own port. The rewritten redirects lead the
// client back to the gateway, not past the queue.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

class Redirect : public testing::TestWithParam<const char*> {
 protected:
    // Returns the Location that the client gets; `${own}` and `${port}` stand for the backend's.
    std::string seen(Gateway& gateway, std::string lines, const std::string& more = {}) {
        const std::string own = backend.url().substr(7);
        replace(lines, "${own}", own);
        replace(lines, "${port}", own.substr(own.rfind(':') + 1));
        backend.on(path(), [&](Call& call) { call.respond(302, {}, lines); });
        Client client = gateway.client();
        client.request("GET", path(), more);
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 302);
        EXPECT_LE(answer.fields.count("Location"), 1u);
        return answer.fields.get("Location") + answer.fields.get("Refresh");
    }
    static void replace(std::string& text, const std::string& what, const std::string& by) {
        const auto at = text.find(what);
        if (at != std::string::npos) text.replace(at, what.size(), by);
    }
    std::string path() const { return GetParam(); }
    Backend backend;
};

TEST_P(Redirect, ToTheBackendItselfLeadsToTheClientsAuthority) {
    Gateway gateway(queued_and_free(), with(backend));
    EXPECT_EQ(seen(gateway, "Location: http://${own}/dir/\r\n"), "http://app.test/dir/");
    EXPECT_EQ(seen(gateway, "Location: http://app.test:${port}/dir/?a\r\n"),
              "http://app.test/dir/?a");
    EXPECT_EQ(seen(gateway, "Refresh: 3; url=http://app.test:${port}/\r\n"),
              "3; url=http://app.test/");
}

TEST_P(Redirect, ToElsewhereIsLeftUnchanged) {
    Gateway gateway(queued_and_free(), with(backend));
    for (const char* url : {"/dir/", "http://app.test/dir/", "http://other.test:1/", "dir/"})
        EXPECT_EQ(seen(gateway, "Location: " + std::string(url) + "\r\n"), url);
    EXPECT_EQ(seen(gateway, "Location: http://other.test:${port}/\r\n").substr(0, 18),
              "http://other.test:");
}

TEST_P(Redirect, LeadsToTheSchemeThatATrustedProxyNames) {
    Gateway gateway(queued_and_free() + "clients: { trusted_proxies: [127.0.0.0/8] }\n",
                    with(backend));
    EXPECT_EQ(
        seen(gateway, "Location: http://app.test:${port}/dir/\r\n", "X-Forwarded-Proto: https\r\n"),
        "https://app.test/dir/");
}

TEST_P(Redirect, IsLeftUnchangedIfRewritingIsOff) {
    std::string yaml = queued_and_free();
    yaml.insert(yaml.find("idle_timeout"), "rewrite_location: false, ");
    Gateway gateway(yaml, with(backend));
    const std::string url = backend.url() + "/dir/";
    EXPECT_EQ(seen(gateway, "Location: " + url + "\r\n"), url);
}

INSTANTIATE_TEST_SUITE_P(, Redirect, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test

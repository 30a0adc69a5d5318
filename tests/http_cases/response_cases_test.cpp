// The table of responses against a real gateway: a malformed response is never repaired, and a
// truncated one never appears complete.
#include <optional>
#include "http_cases/case_file.hpp"
#include "http_cases/stamps.hpp"
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

class ResponseCases : public testing::TestWithParam<const char*> {
 protected:
    // A new gateway for each case, with a kept connection: KeepPolicy remembers bytes after an
    // answer, which would affect later cases.
    void serve() {
        gateway.emplace(queued_and_free(), with(backend));
        EXPECT_EQ(gateway->get(std::string(GetParam()) + "/before").status, 200);
    }

    std::string path(const Case& one) const {
        return std::string(GetParam()) + "/" + std::to_string(one.line);
    }

    // Sends the case's bytes. A backend that stays does so until its client is served, so that a
    // gateway that waits for its end would hang here.
    Handler sends(const Case& one) const {
        return [one, at = path(one)](Call& call) {
            call.send(one.sent);
            if (one.word("ends") == "reset") {
                // The bytes already read distinguish a reset from an earlier one.
                if (one.word("client") == "cut") call.wait_for(at);
                return call.reset();
            }
            if (one.word("ends") == "close") return call.close();
            if (one.sees && announces_close(one)) return call.close();
            if (one.sees) return call.finish();
            call.wait_for(at);
            call.close();
        };
    }

    // Such a backend closes when it is done, and a queue waits for that.
    static bool announces_close(const Case& one) {
        return one.sent.starts_with("HTTP/1.0") ||
               one.sent.find("\nConnection: close") != std::string::npos;
    }

    // From a queue it goes as GET, and here the backends answer to HEAD (e2e Messages has both).
    bool goes_as_get(const Case& one) const {
        return one.word("asks") == "HEAD" && std::string(GetParam()) == "/q";
    }

    Client ask(const Case& one) const {
        Client client = gateway->client();
        const std::string asks = one.word("asks", "GET");
        if (asks == "GET 1.0")
            client.send("GET " + path(one) + " HTTP/1.0\r\n\r\n");
        else
            client.request(asks, path(one));
        return client;
    }

    // Interim answers and the last one, as one text.
    std::string text_of(Client& client, const Case& one) const {
        std::string text, fault;
        for (;;) {
            auto answer = one.word("asks") == "HEAD" ? client.read_to_head() : client.read();
            EXPECT_TRUE(answer.whole()) << answer.fault;
            if (answer.status >= 200 || answer.status == 0)
                answer.raw_head = without_stamps_of_response(answer.raw_head, fault);
            text += answer.raw_head + answer.body;
            if (answer.status < 100 || answer.status >= 200) break;
        }
        EXPECT_EQ(fault, "") << text;
        return text;
    }

    void expect_refused(Client& client, const Case& one) const {
        const auto answer = one.word("asks") == "HEAD" ? client.read_to_head() : client.read();
        EXPECT_EQ(std::to_string(answer.status), one.word("client")) << answer.raw_head;
        EXPECT_TRUE(answer.whole()) << answer.fault;
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
        client.get(std::string(GetParam()) + "/same-client");  // the client is not at fault
        backend_done(one);
        EXPECT_EQ(client.read().status, 200);
    }

    void expect_cut(Client& client, const Case& one) const {
        if (one.word("ends") == "reset") {
            EXPECT_FALSE(client.reader().through("hello").empty());
            backend_done(one);
            EXPECT_EQ(client.reader().rest().find("0\r\n\r\n"), std::string::npos);
            return;
        }
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 200);
        EXPECT_TRUE(answer.body.empty() || answer.body == "hello") << spelled(answer.body);
        EXPECT_FALSE(answer.whole()) << "shown as whole";
        EXPECT_TRUE(client.ends());
        backend_done(one);
    }

    void backend_done(const Case& one) const { backend.release(path(one)); }

    void check(const Case& one) {
        serve();
        backend.on(path(one), sends(one));
        Client client = ask(one);
        const std::string verdict = one.word("client", "whole");
        if (verdict == "whole")
            EXPECT_EQ(spelled(text_of(client, one)), spelled(one.seen));
        else if (verdict == "cut")
            expect_cut(client, one);
        else
            expect_refused(client, one);
        backend_done(one);
        const std::string next = std::string(GetParam()) + "/next/" + std::to_string(one.line);
        EXPECT_EQ(gateway->get(next).body, next);
        const int before = backend.of(path(one)).at(0).connection;
        const bool kept = backend.of(next).at(0).connection == before;
        // The connection may be reused only after it was silent for a while.
        if (one.word("backend") == "rests") return;
        EXPECT_EQ(kept, one.word("backend") == "kept") << "of the backend's connection";
        EXPECT_EQ(backend.count(path(one)), 1u) << "requests that the backend has received";
    }

    mutable Backend backend;
    std::optional<Gateway> gateway;
};

TEST_P(ResponseCases, AreForwardedAsTheTableSaysOrRefused) {
    for (const Case& one : read_cases(TG_SOURCE_DIR "/tests/http_cases/responses.txt").cases) {
        SCOPED_TRACE("responses.txt:" + std::to_string(one.line) + " " + one.name);
        if (!goes_as_get(one)) check(one);
    }
}

INSTANTIATE_TEST_SUITE_P(Routes, ResponseCases, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test

// The tables of requests against a real gateway: a refused request reaches no backend, a forwarded
// one reaches it exactly as in the table.
#include <sstream>

#include "http_cases/case_file.hpp"
#include "http_cases/stamps.hpp"
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

// Heads and bodies have this time to come.
std::string limits(const std::string& time) {
    return "clients: { head_timeout: " + time +
           ", max_head: 4KiB, max_uri: 1KiB, max_headers: 20 }\n";
}
// A FIN would be a leave in line (CONTRACT 2.2), if it comes before the grant.
std::string settings(const std::string& time) {
    return ", max_body: 1000, body_timeout: " + time + ", client_half_close: stay";
}

std::string queued(const std::string& time) {
    return one_queue(settings(time)) + limits(time);
}

std::string unqueued(const std::string& time) {
    return "upstreams: { app: { url: \"${BACKEND}\" } }\ndefaults: { upstream: app" +
           settings(time) + " }\nroutes: [{ prefix: / }]\n" + limits(time);
}

// `${BACKEND}` is the backend's name.
std::string with_name_of(const Backend& backend, std::string text) {
    const std::string mark = "${BACKEND}", name = backend.url().substr(7);
    const auto at = text.find(mark);
    return at == std::string::npos ? text : text.replace(at, mark.size(), name);
}

// A queued body is spooled, so its length is known; without a queue it streams.
// A HEAD goes as GET.
std::string as_queued(std::string text, const std::string& body) {
    if (text.starts_with("HEAD ")) text.replace(0, 4, "GET");
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    const auto at = text.find(chunked);
    if (at == std::string::npos) return text;
    return text.replace(at, chunked.size(),
                        "Content-Length: " + std::to_string(body.size()) + "\r\n");
}

class RequestCases : public testing::TestWithParam<const char*> {
 protected:
    RequestCases() : queues(GetParam() == std::string("Queued")) {}

    // Returns the bytes since the last call, as one text, and opens a connection for the next.
    std::string seen_by_backend(std::string& bodies) {
        std::string text, fault;
        const auto all = backend.all();
        for (; looked < all.size(); ++looked) {
            // Without a queue a body streams, so its beginning may arrive before the fault is seen.
            if (!queues && all[looked].target == "/begun" && !all[looked].body_whole) continue;
            text += without_stamps_of_request(all[looked].raw_head, fault) + all[looked].body;
            bodies += all[looked].body;
            EXPECT_TRUE(all[looked].body_whole);
        }
        EXPECT_EQ(fault, "") << text;
        return text;
    }

    // `200 400 closed`: the answers in their order and what becomes of the connection.
    void expect_answers(Client& client, const std::string& words) {
        std::istringstream in(words);
        for (std::string word; in >> word;) {
            if (word == "closed") {
                EXPECT_TRUE(client.ends()) << "open, or more on it";
            } else if (word == "kept") {
                client.get("/still-there");
                EXPECT_EQ(client.read().body, "/still-there");
                ++looked;
            } else {
                const bool to_head = word.starts_with("head:");
                const auto answer = to_head ? client.read_to_head() : client.read();
                EXPECT_EQ(std::to_string(answer.status), word.substr(to_head ? 5 : 0))
                    << answer.fault << answer.raw_head << answer.body;
                EXPECT_TRUE(answer.whole()) << answer.fault;
            }
        }
    }

    void check(Gateway& gateway, const Case& one) {
        Client client = gateway.client();
        client.send(one.sent);
        if (one.word("then") == "half-close") client.half_close();
        const std::size_t before = looked;
        expect_answers(client, one.word("answer"));
        const std::size_t on_top = looked - before;
        looked = before;
        client.close();
        // No refused bytes may be left to be taken for another client's request.
        EXPECT_EQ(gateway.get("/next").body, "/next");
        std::string bodies, expected = with_name_of(backend, one.seen);
        std::string text = seen_by_backend(bodies);
        EXPECT_EQ(backend.all().back().target, "/next");
        text.resize(text.rfind("GET /next "));
        if (on_top != 0) text.resize(text.rfind("GET /still-there "));
        if (queues) expected = as_queued(expected, bodies);
        EXPECT_EQ(spelled(text), spelled(expected));
    }

    void check_all(const char* file) {
        // A limit short enough to be waited for is for the cases that are too late on purpose: a
        // busy machine may slow the others down.
        const auto config = [this](const char* time) {
            return queues ? queued(time) : unqueued(time);
        };
        Gateway usual(config("1m"), with(backend)), hasty(config("3s"), with(backend));
        for (const Case& one :
             read_cases(std::string(TG_SOURCE_DIR "/tests/http_cases/") + file).cases) {
            SCOPED_TRACE(std::string(file) + ":" + std::to_string(one.line) + " " + one.name);
            const bool is_late = one.word("answer").find("408") != std::string::npos;
            check(is_late ? hasty : usual, one);
        }
    }

    Backend backend;
    const bool queues;
    std::size_t looked = 0;
};

TEST_P(RequestCases, FramingIsReadInOneWayOrRefused) {
    check_all("request_framing.txt");
}

TEST_P(RequestCases, SyntaxIsOneNormalFormOrRefused) {
    check_all("request_syntax.txt");
}

TEST_P(RequestCases, SemanticsAreThoseOfAGateway) {
    check_all("request_semantics.txt");
}

INSTANTIATE_TEST_SUITE_P(Routes, RequestCases, testing::Values("Queued", "Unqueued"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace ticketgate::test

// The live page's files, events and search on the admin listener of a whole ticketgate.
#include <boost/json/parse.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

namespace json = boost::json;

// One that looks at the page: reads its events.
class Viewer {
 public:
    explicit Viewer(const Gateway& gateway) : client_(gateway.admin_address()) {
        client_.get("/api/v1/events");
        head_ = client_.reader().through("\r\n\r\n");
    }
    const std::string& head() const { return head_; }
    /// The data of the next event of this kind.
    json::object next(const std::string& kind) {
        for (;;) {
            const std::string event = client_.reader().through("\n\n");
            const bool history = event.starts_with("event: history\n");
            if (event.empty() ||
                (event.find("data: ") != event.npos && history == (kind == "history")))
                return event.empty() ? json::object() : data_of(event);
        }
    }
    /// Reads pictures until one is like this.
    template <class Like>
    bool sees(Like like) {
        const auto begin = Clock::now();
        while (Clock::now() - begin < patience)
            if (like(next("picture"))) return true;
        return false;
    }
    Client& client() { return client_; }

 private:
    static json::object data_of(const std::string& event) {
        return json::parse(event.substr(event.find("data: ") + 6)).as_object();
    }
    Client client_;
    std::string head_;
};

const json::object& only_queue(const json::object& picture) {
    return picture.at("queues").as_array().at(0).as_object();
}

TEST(LivePage, IsServedWithItsFiles) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    const auto page = gateway.admin("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    for (const char* file : {"/page.js", "/cluster.js", "/page.css", "/page.svg"})
        EXPECT_EQ(gateway.admin(file).status, 200) << file;
}

TEST(LivePage, ShowsEachChangeOfTheLine) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Viewer viewer(gateway);
    EXPECT_NE(viewer.head().find("text/event-stream"), std::string::npos) << viewer.head();
    EXPECT_TRUE(viewer.next("history").contains("queues")) << "the charts come first";
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 3));
    EXPECT_TRUE(viewer.sees([](const json::object& picture) {
        const auto& queue = only_queue(picture);
        return queue.at("in_flight") == 1 && queue.at("waiting") == 3;
    }));
    const auto picture = viewer.next("picture");
    const auto& tickets = only_queue(picture).at("tickets").as_object();
    EXPECT_EQ(tickets.at("in_flight").at(0).at("target"), "/first");
    EXPECT_EQ(tickets.at("in_flight").at(0).at("client"), "served");
    EXPECT_EQ(tickets.at("waiting").at(2).at("number"), 4);
    EXPECT_EQ(picture.at("ready"), true);
    EXPECT_EQ(picture.at("viewers"), 1);
    first.reset();
    EXPECT_TRUE(viewer.sees([](const json::object& now) {
        const auto& running = only_queue(now).at("tickets").at("in_flight");
        return running.at(0).at("client") == "gone";
    })) << "its client has left";
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(
        viewer.sees([](const json::object& now) { return only_queue(now).at("in_flight") == 0; }));
}

TEST(LivePage, ShowsAReloadAndItsProblems) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Viewer viewer(gateway);
    EXPECT_TRUE(viewer.next("picture").at("config").at("last_reload").is_null());
    EXPECT_FALSE(gateway.reload("nonsense: [\n"));
    EXPECT_TRUE(viewer.sees([](const json::object& picture) {
        return !picture.at("config").at("problems").as_array().empty();
    }));
    EXPECT_TRUE(gateway.reload(one_queue("", "max_in_flight: 2")));
    EXPECT_TRUE(viewer.sees([](const json::object& picture) {
        return picture.at("config").at("problems").as_array().empty() &&
               only_queue(picture).at("max_in_flight") == 2;
    }));
}

TEST(LivePage, HasALimitOfViewersAndLetsOthersInLater) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", max_viewers: 2 }\n",
                    with(backend));
    Viewer one(gateway), two(gateway);
    Client third(gateway.admin_address());
    third.get("/api/v1/events");
    const auto refused = third.read();
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("admin.max_viewers"), std::string::npos) << refused.body;
    EXPECT_EQ(gateway.admin("/api/v1/queues").status, 200);
    one.client().close();
    EXPECT_TRUE(eventually([&] {
        Client next(gateway.admin_address());
        next.get("/api/v1/events");
        return next.reader().through("\r\n\r\n").starts_with("HTTP/1.1 200");
    })) << "a connection that has ended is no viewer";
    EXPECT_FALSE(two.next("picture").empty());
}

// A viewer that takes nothing is closed by write_timeout, and meanwhile holds one text, not all.
TEST(LivePage, DoesNotWaitForAViewerThatReadsNothing) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", write_timeout: 5s }\n",
                    with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 100));
    Client lazy(gateway.admin_address(), 4 << 10);
    lazy.get("/api/v1/events");
    Viewer other(gateway);
    EXPECT_TRUE(other.sees([](const json::object& picture) { return picture.at("viewers") == 2; }));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(other.next("picture").empty());
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
}

TEST(LivePage, FindsATicketByItsRequestId) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 3));
    const auto queue = json::parse(gateway.admin("/api/v1/queues/q").body);
    const std::string id(queue.at("tickets").at("waiting").at(1).at("request_id").as_string());
    const auto found = json::parse(gateway.admin("/api/v1/tickets?request_id=" + id).body);
    ASSERT_EQ(found.at("tickets").as_array().size(), 1u);
    EXPECT_EQ(found.at("tickets").at(0).at("number"), 3);
    EXPECT_EQ(found.at("tickets").at(0).at("position"), 1);
    EXPECT_EQ(found.at("tickets").at(0).at("queue"), "q");
    EXPECT_EQ(gateway.admin("/api/v1/tickets?request_id=abc").status, 400) << "too many would fit";
    EXPECT_EQ(gateway.admin("/api/v1/tickets").status, 400);
    const auto none = json::parse(gateway.admin("/api/v1/tickets?request_id=nobody").body);
    EXPECT_TRUE(none.at("tickets").as_array().empty());
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
}

TEST(LivePage, EndsWithTheProcess) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Viewer viewer(gateway);
    gateway.drain();
    EXPECT_EQ(gateway.exit_code(), 0) << "a viewer holds up nothing";
}

}  // namespace
}  // namespace ticketgate::test

#include "app/descriptors.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "config/load.hpp"

namespace ticketgate {
namespace {

std::vector<std::string> told(const std::string& clients, std::uint64_t most) {
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:80\"}]\n"
        "upstreams: {a: {url: \"http://a\"}}\n"
        "routes: [{prefix: /, upstream: a}]\n"
        "clients: {" +
            clients + "}\n",
        "c.yaml", config::environment_of({}));
    std::vector<std::string> out;
    for (const auto& problem : descriptor_problems(*loaded.config, most))
        out.push_back(config::print(problem));
    return out;
}

TEST(Descriptors, WarnsOfMoreClientsThanDescriptors) {
    EXPECT_EQ(
        told("max_connections: 20001", 20000),
        std::vector<std::string>{
            "c.yaml:4:11: warning: clients.max_connections: a process started in this way may "
            "open 20000 files (ulimit -n, LimitNOFILE), and each request needs two"});
    EXPECT_TRUE(told("max_connections: 20000", 20000).empty());
    EXPECT_TRUE(told("", 1024).empty()) << "nobody chose the default";
    EXPECT_GT(most_descriptors(), 0u);
}

TEST(Descriptors, WarnsOfMoreWorkersThanDescriptors) {
    const auto warned = [](int one, int other, std::uint64_t most) {
        const auto of = [](int max) {
            return "{workers: {command: [/bin/true], min: 1, max: " + std::to_string(max) +
                   "}, fastcgi: {root: /w}}";
        };
        const auto loaded = config::load_text(
            "listen: [{address: \"127.0.0.1:80\"}]\nupstreams:\n  a: " + of(one) +
                "\n  b: " + of(other) +
                "\nroutes: [{prefix: /, upstream: a, routes: [{prefix: /b, upstream: " + "b}]}]\n",
            "c.yaml", config::environment_of({}));
        std::string out;
        for (const auto& problem : descriptor_problems(*loaded.config, most))
            out += config::print(problem);
        return out;
    };
    EXPECT_EQ(most_workers_beside_requests(256), 18u);
    EXPECT_EQ(most_workers_beside_requests(4), 1u);
    EXPECT_EQ(warned(1, 17, 256), "");
    const auto why = warned(2, 17, 256);
    EXPECT_NE(why.find("upstreams.b.workers.max: "), why.npos) << why;
    EXPECT_NE(why.find("enough for 18 workers beside their requests, and 19 are wanted in all: "
                       "raise the limit to 266"),
              why.npos)
        << why;
    EXPECT_EQ(warned(2, 17, 266), "");
}

TEST(Descriptors, AreTooFewWhereOneRequestFindsNoneBesideThoseOfTheProcess) {
    for (const std::uint64_t used : {18, 27, 100, 1000}) {
        std::uint64_t most = used;
        while (!why_too_few_descriptors(used, most).empty()) ++most;
        const auto client = static_cast<int>(used), file = client + 2;
        EXPECT_LT(client, first_reserved_descriptor(most)) << "accepting would pause";
        EXPECT_LT(file, first_kept_descriptor(most)) << "no body could be spooled";
        const auto why = why_too_few_descriptors(used, most - 1);
        EXPECT_NE(why.find("a limit of " + std::to_string(most - 1)), why.npos) << why;
        EXPECT_NE(why.find("to " + std::to_string(most) + " at the very least"), why.npos) << why;
    }
    EXPECT_FALSE(why_too_few_descriptors(18, 24).empty());
    EXPECT_TRUE(why_too_few_descriptors(18, 25).empty());
    EXPECT_TRUE(why_too_few_descriptors(18, std::numeric_limits<std::uint64_t>::max()).empty());
    EXPECT_NO_THROW(demand_descriptors());
}

TEST(Descriptors, ReservesAnEighthForTheNeedsOfConnections) {
    EXPECT_EQ(first_reserved_descriptor(256), 224);
    EXPECT_EQ(first_reserved_from_ids(256), 232) << "a quarter of those are for ids";
    EXPECT_EQ(first_kept_descriptor(256), 240) << "half of them are for neither bodies nor files";
    EXPECT_EQ(first_kept_descriptor(40), 36) << "four, at least";
    EXPECT_EQ(first_kept_descriptor(1'000'000), 1'000'000 - 512);
    EXPECT_EQ(most_id_connections(10'000, 1024), 256u);
    EXPECT_EQ(most_id_connections(100, 1024), 100u);
    EXPECT_EQ(most_id_connections(100, 2), 1u);
    EXPECT_EQ(first_reserved_descriptor(1024), 896);
    EXPECT_EQ(first_reserved_descriptor(1'000'000), 1'000'000 - 1024);
    EXPECT_EQ(first_reserved_descriptor(std::numeric_limits<std::uint64_t>::max()),
              std::numeric_limits<int>::max() - 1024);
}

}  // namespace
}  // namespace ticketgate

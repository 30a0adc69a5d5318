// Values that would be taken for something else than their writer meant.
#include <algorithm>

#include "loading.hpp"

namespace ticketgate::config {
namespace {

TEST(Meant, WordsThatWouldBeNamesOfHeaders) {
    const std::pair<std::string, std::string> cases[] = {
        {one_route + "clients: {path_headers: [defualt]}\n",
         "c.yaml:5:11: clients.path_headers: \"defualt\" is taken for a header; for the built-in "
         "list write default"},
        {one_route + "clients: {address_headers: [X-A, Defaults]}\n",
         "c.yaml:5:11: clients.address_headers: \"Defaults\" is taken for a header; for the "
         "built-in list write default"},
        {one_route + "ids: {request_id: {header: off}}\n",
         "c.yaml:5:28: ids.request_id.header: a header has no value off; to write the id into "
         "none, "
         "write headers: []"},
        {"routes: [{prefix: /, ids: {request_id: {header: off}}}]\n",
         "c.yaml:4:49: routes[0].ids.request_id.header: a header has no value off; to write the id "
         "into none, write headers: []"}};
    for (const auto& [text, told] : cases) {
        const auto loaded = load(base + text);
        EXPECT_FALSE(loaded.config) << text;
        ASSERT_FALSE(loaded.problems.empty()) << text;
        EXPECT_EQ(print(loaded.problems[0]), told);
    }
    EXPECT_TRUE(
        load(base + one_route + "clients: {path_headers: [default, X-Default-Path]}\n").config);
}

TEST(Meant, TokensThatNoClientCouldSend) {
    for (const std::string section :
         {"admin: {address: \"127.0.0.1:9901\"", "id_service: {address: \"127.0.0.1:4444\""})
        for (const std::string token : {"a\\tb", "a\\nb", "\\x7f"}) {
            const auto loaded = load(base + one_route + section + ", token: \"" + token + "\"}\n");
            EXPECT_FALSE(loaded.config) << section << token;
            ASSERT_FALSE(loaded.problems.empty());
            const bool told = std::ranges::any_of(loaded.problems, [](const Problem& one) {
                return print(one).find(
                           ".token: has a control character, such as a line end or a "
                           "tab; take it out") != std::string::npos;
            });
            EXPECT_TRUE(told) << print(loaded.problems[0]);
        }
    EXPECT_TRUE(
        load(base + one_route + "admin: {address: \"127.0.0.1:9901\", token: \"a bé\"}\n").config);
}

}  // namespace
}  // namespace ticketgate::config

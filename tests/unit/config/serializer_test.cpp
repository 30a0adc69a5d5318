// The inheritance of the original program: every value for seven URIs.
#include <boost/json.hpp>
#include <filesystem>

#include "config/route_index.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) {
    return std::string(value.as_string());
}

std::vector<std::string> texts_of(const json::value& list) {
    std::vector<std::string> out;
    for (const auto& item : list.as_array()) out.push_back(text_of(item));
    return out;
}

// The original uses the configured answer only when mime and body both exceed one character.
Answer answer_of(const json::object& seed) {
    Answer answer;
    answer.status = static_cast<std::uint16_t>(seed.at("error_code").as_int64());
    const auto mime = text_of(seed.at("error_mime")), body = text_of(seed.at("error_body"));
    if (mime.size() <= 1 || body.size() <= 1) return answer;
    answer.content_type = mime;
    answer.body = body;
    return answer;
}

TEST(Serializer, MergeExampleComesOutValueForValue) {
    const auto vector = json::parse(file_text(source_dir + "/tests/vectors/serializer.json"));
    const auto config = good(file_text(source_dir + "/tests/unit/config/serializer.yaml"));
    const RouteIndex routes(config);
    const auto& effective = vector.at("merge").at("effective").as_array();
    ASSERT_EQ(effective.size(), 7u);
    for (const auto& each : effective) {
        const auto uri = text_of(each.at("uri"));
        const auto& seed = each.at("config").as_object();
        const auto normal = std::filesystem::path(uri).lexically_normal().string();
        const auto match = routes.match(normal);
        ASSERT_TRUE(match.matched()) << uri;
        const auto settings = routes.resolve(match);
        const auto queue =
            seed.at("enabled").as_bool() ? std::optional(text_of(seed.at("prefix"))) : std::nullopt;
        const auto length = seed.at("queue_len").as_int64();
        EXPECT_EQ(settings.queue, queue) << uri;
        EXPECT_EQ(settings.skip_methods, texts_of(seed.at("skip_methods"))) << uri;
        EXPECT_EQ(settings.wait_timeout, seconds(seed.at("timeout_s").as_int64())) << uri;
        EXPECT_EQ(settings.max_waiting,
                  length == 0 ? unlimited : static_cast<std::uint32_t>(length))
            << uri;
        EXPECT_EQ(settings.on_full, answer_of(seed)) << uri;
        EXPECT_EQ(settings.on_wait_timeout, answer_of(seed)) << uri;
    }
}

}  // namespace
}  // namespace ticketgate::config

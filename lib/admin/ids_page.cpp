#include "admin/ids_page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <string>

#include "base/text.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;
namespace json = boost::json;

constexpr unsigned most_ids = 10'000;  // making more would block the control thread for too long

HttpResponse refusal(const std::string& why) {
    return page(http::status::bad_request, why + "\n");
}

std::string all_formats() {
    std::string out;
    for (const auto name : ids::format_names) (out += out.empty() ? "" : " ").append(name);
    return out;
}

struct Wish {
    ids::Format format = ids::Format::txid;
    unsigned count = 1;
    std::string wrong;  // why the query is not valid; empty: it is
};

void read(std::string_view name, std::string_view value, Wish& wish) {
    if (name == "format") {
        const auto format = ids::find_format(value);
        if (format) wish.format = *format;
        const auto near = nearest(value, ids::format_names);
        if (!format)
            wish.wrong = "no such format" +
                         (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
                         "; the formats are " + all_formats();
    } else if (name == "n") {
        const char* const end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, wish.count);
        if (error != std::errc{} || stop != end || wish.count == 0 || wish.count > most_ids)
            wish.wrong = "n must be a number from 1 to " + std::to_string(most_ids);
    } else {
        wish.wrong = "unknown parameter; the parameters are format and n";
    }
}

Wish wish_of(const Query& query) {
    Wish wish;
    for (const auto& parameter : query)
        if (wish.wrong.empty()) read(parameter.key, parameter.value, wish);
    return wish;
}

}  // namespace

HttpResponse ids_page(const Query& query, ids::Generator& generator, bool snowflakes,
                      WallTime now) {
    const auto wish = wish_of(query);
    if (!wish.wrong.empty()) return refusal(wish.wrong);
    if (wish.format == ids::Format::snowflake && !snowflakes)
        return refusal(
            "the id service makes the snowflakes of this worker number; get them from it, or set "
            "another worker or datacenter for id_service or ids.machine");
    json::array list;
    for (unsigned i = 0; i < wish.count; ++i) {
        const auto id = generator.next(wish.format, now);
        if (id.empty()) return refusal(ids::why_not(wish.format, generator.machine()));
        list.emplace_back(json::string_view(id.view().data(), id.view().size()));
    }
    const auto name = ids::name_of(wish.format);
    const json::object body{{"format", json::string_view(name.data(), name.size())},
                            {"ids", std::move(list)}};
    return page(http::status::ok, json::serialize(body) + "\n", json_text);
}

}  // namespace ticketgate::admin

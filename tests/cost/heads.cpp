#include "cost/heads.hpp"

#include <array>
#include <random>
#include <string_view>

namespace ticketgate::cost {
namespace {

const std::string line_end = "\r\n";

std::string repeated(std::string_view unit, std::size_t bytes) {
    std::string out;
    while (out.size() + unit.size() <= bytes) out += unit;
    return out;
}

std::string request(const std::string& target, const std::string& fields) {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + line_end;
}

std::string field(std::string_view name, std::string_view value) {
    return std::string(name).append(": ").append(value).append(line_end);
}

// `name` followed by a number of fixed width.
std::string numbered(std::string_view name, std::size_t number) {
    const auto digits = std::to_string(number);
    return std::string(name) + std::string(6 - digits.size(), '0') + digits;
}

std::string small_fields(std::string_view name, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; out.size() < bytes; ++i) out += field(numbered(name, i), "1");
    return out;
}

// Half of the bytes are in one value, half in fields.
template <char... unit>
std::string value_beside_fields(std::string_view name, std::size_t bytes) {
    const char text[] = {unit..., 0};
    return request("/",
                   field(name, "x" + repeated(text, bytes / 2)) + small_fields("X-", bytes / 2));
}

std::string options_beside_fields(std::size_t bytes) {
    const std::size_t each = bytes / 2 / 60;
    const std::string name(each - 8, 'x');
    std::string options, fields;
    for (std::size_t i = 0; i < 60; ++i) options += numbered(name, i) + ",";
    while (fields.size() < bytes / 2) fields += field(numbered(name, 999), "1");
    return request("/", field("Connection", options) + fields);
}

std::string many_connections(std::size_t bytes) {
    std::string fields;
    while (fields.size() < bytes / 2) fields += field("Connection", "close");
    return request("/", field("Connection", "x") + fields + small_fields("X-", bytes / 2));
}

template <char... unit>
std::string target(std::size_t bytes) {
    const char text[] = {unit..., 0};
    return request("/" + repeated(text, bytes), "");
}

std::string same_field(std::string_view name, std::string_view value, std::size_t bytes) {
    return request("/", repeated(field(name, value), bytes));
}

}  // namespace

std::string small_requests(std::size_t bytes) {
    return repeated("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", bytes);
}

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        {"commas in Connection", [](auto n) { return value_beside_fields<','>("Connection", n); }},
        {"blanks in Connection",
         [](auto n) { return value_beside_fields<',', ' '>("Connection", n); }},
        {"options and fields", options_beside_fields},
        {"many Connection fields", many_connections},
        {"commas in Upgrade", [](auto n) { return value_beside_fields<','>("Upgrade", n); }},
        {"commas in Accept", [](auto n) { return value_beside_fields<'a', ','>("Accept", n); }},
        {"commas in X-Forwarded-For",
         [](auto n) { return value_beside_fields<'1', ','>("X-Forwarded-For", n); }},
        {"a long id", [](auto n) { return value_beside_fields<'1'>("X-Request-Id", n); }},
        {"many names", [](auto n) { return request("/", small_fields("X-Name-", n)); }},
        {"many unusual names", [](auto n) { return request("/", small_fields("X_Name_", n)); }},
        {"one long name",
         [](auto n) {
             return request("/", field(std::string(n / 2, 'x'), "1") + small_fields("X", n / 2));
         }},
        {"one name", [](auto n) { return same_field("X-Name", "value", n); }},
        {"cookies", [](auto n) { return same_field("Cookie", "a=b", n); }},
        {"ids", [](auto n) { return same_field("X-Request-Id", "id", n); }},
        {"forwarded", [](auto n) { return same_field("X-Forwarded-For", "10.0.0.1", n); }},
        {"accepts", [](auto n) { return same_field("Accept", "text/html", n); }},
        {"segments", target<'a', '/'>},
        {"dots", target<'.', '.', '/'>},
        {"down and up", target<'a', '/', '.', '.', '/'>},
        {"slashes", target<'/'>},
        {"coded slashes", target<'%', '2', 'F', '.', '.'>},
        {"backslashes", target<'\\', '.', '.'>},
        {"codes", target<'%', '4', '1'>},
        {"scripts", target<'a', '.', 'p', 'h', 'p', '/'>},
        {"a long segment", target<'a'>},
        {"a query", target<'?', '%', '4', '1', '/'>},
        {"empty lines", [](auto n) { return repeated(line_end, n) + request("/", ""); }},
        {"small requests", small_requests},
    };
    return all;
}

std::string random_head(std::uint64_t seed, std::size_t bytes) {
    constexpr std::array units{",",  " ,", "a,", "close,", "x-a,", "a",  "/",   "../", "%2F",
                               "\\", "a/", ";",  "=",      "\t",   "\"", "%41", "//",  ".php/"};
    constexpr std::array names{"Connection", "Upgrade",      "Accept",    "X-Forwarded-For",
                               "Cookie",     "X-Request-Id", "Unique-Id", "TE",
                               "Keep-Alive", "X-A",          "X_A",       "Forwarded"};
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto some = [&] { return repeated(units[below(units.size())], below(bytes / 2)); };
    std::string fields, path = "/";
    if (below(3) == 0) path += repeated(units[6 + below(6)], below(bytes / 2));
    for (int part = 0; part < 4 && fields.size() < bytes; ++part) {
        const std::string_view name = names[below(names.size())];
        switch (below(4)) {
            case 0:
                fields += field(name, some() + "x");
                break;
            case 1:
                fields += repeated(field(name, "x"), below(bytes / 2));
                break;
            case 2:
                fields += small_fields(name, below(bytes / 2));
                break;
            default:
                fields += field(name, some() + "x") + small_fields("X-", below(bytes / 2));
        }
    }
    return request(path, fields);
}

}  // namespace ticketgate::cost

#include "admin/print_json.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

void append(std::string& out, const json::value& value);

void append(std::string& out, double number) {
    std::array<char, 400> digits;  // the longest double has 309 digits before the point
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                   std::chars_format::fixed, 6)
                         .ptr;
    out.append(digits.data(), end);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out += '0';
}

void append(std::string& out, const json::array& list) {
    out += '[';
    for (const auto& value : list) {
        if (&value != list.begin()) out += ',';
        append(out, value);
    }
    out += ']';
}

void append(std::string& out, const json::object& object) {
    out += '{';
    for (const auto& member : object) {
        if (&member != object.begin()) out += ',';
        out += json::serialize(member.key());
        out += ':';
        append(out, member.value());
    }
    out += '}';
}

void append(std::string& out, const json::value& value) {
    if (value.is_object()) return append(out, value.get_object());
    if (value.is_array()) return append(out, value.get_array());
    if (value.is_double()) return append(out, value.get_double());
    out += json::serialize(value);
}

}  // namespace

std::string print_json(const json::value& value) {
    std::string out;
    append(out, value);
    return out;
}

}  // namespace ticketgate::admin

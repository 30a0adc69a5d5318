#include <charconv>

#include "base/text.hpp"
#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

// `0`, `1`, `0.05`: at most six decimals.
std::optional<std::uint32_t> millionths_of(std::string_view text) {
    const auto point = std::min(text.find('.'), text.size());
    std::string digits(text.substr(std::min(point + 1, text.size())));
    const bool bare = point == text.size();
    if (text.substr(0, point).size() != 1 || digits.size() > 6 || digits.empty() != bare)
        return std::nullopt;
    digits.resize(6, '0');
    digits.insert(0, text.substr(0, point));
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool read = error == std::errc{} && end == digits.data() + digits.size();
    return read && number <= whole_share ? std::optional(number) : std::nullopt;
}

// Empty: it is one, and `out` has its parts.
std::string why_no_collector(const std::string& text, CollectorUrl& out) {
    const auto scheme = text.find("://");
    const auto path = scheme == text.npos ? text.npos : text.find('/', scheme + 3);
    Upstream at;
    std::string why;
    if (!parse_url(text.substr(0, path), at, why)) return why;
    if (at.host.empty() || is_fcgi_url(text))
        return "write http://host:port/path or https://host:port/path";
    if (text.find_first_of(" #@") != text.npos || !is_header_value(text))
        return "has a blank, a control character, # or @";
    out = {text, at.https, at.host, at.port};
    if (path != text.npos && text.size() > path + 1) out.path = text.substr(path);
    return {};
}

}  // namespace

bool read_share(const Value& value, Share& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    if (is_on(value.node) || is_off(value.node)) {
        out.millionths = is_on(value.node) ? whole_share : 0;
        return true;
    }
    const auto millionths = millionths_of(value.node.text);
    if (!millionths) return value.unexpected();
    out.millionths = *millionths;
    return true;
}

bool read_collector(const Value& value, CollectorUrl& out) {
    if (!value.expect(Node::Kind::scalar)) return false;
    const std::string& text = value.node.text;
    const auto why = why_no_collector(text, out);
    return why.empty() || value.fail("\"" + text + "\": " + why);
}

void parse_section(SectionReader& section, Tracing& out) {
    section.read_all(out);
    if (out.ca_file.empty() || out.endpoint.https || out.endpoint.url.empty()) return;
    const auto path = section.path_of("ca_file");
    section.reading().problems.error(section.reading().marks[path], path,
                                     "has no effect; write endpoint: https://host:port/path");
}

}  // namespace ticketgate::config

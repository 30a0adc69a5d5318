#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {

bool read_url(const Value& value, Upstream& out) {
    Upstream at = out;
    std::string why;
    if (value.node.kind != Node::Kind::scalar)
        why = "expected " + expected(value.key);
    else
        (void)parse_url(value.node.text, at, why);  // false exactly if it sets a reason
    if (why.empty() && value.key.kind == Kind::fcgi_url && !is_fcgi_url(at.url))
        why = "is not " + expected(value.key);
    out.https = at.https;  // prevents a second problem: tls: has no effect
    if (!why.empty()) return value.fail("\"" + value.node.text + "\": " + why);
    out = std::move(at);
    return true;
}

bool read_status_url(const Value& value, FcgiStatus& out) {
    const auto& text = value.node.text;
    if (text.starts_with("http://") || text.starts_with("https://"))
        return value.fail("\"" + text +
                          "\": php-fpm is asked by FastCGI; write fastcgi://host:port, and the "
                          "page's path as path: /status");
    Upstream at;
    if (!read_url(value, at)) return false;
    out.url = at.url;
    out.host = at.host;
    out.port = at.port;
    out.unix_path = at.unix_path;
    return true;
}

bool read_status_path(const Value& value, FcgiStatus& out) {
    std::optional<std::string> path;
    if (!read(value, path)) return false;
    out.path = path.value_or("/");
    return true;
}

// Drops slashes at the end.
bool read_root(const Value& value, Fcgi& out) {
    if (!read(value, out.root)) return false;
    while (out.root.size() > 1 && out.root.ends_with('/')) out.root.pop_back();
    if (out.root == "/") out.root.clear();
    return true;
}

void parse_section(SectionReader& section, Fcgi& out) {
    section.read_all(out);
    if (!out.split && !out.script)
        section.reading().problems.error(
            section.reading().marks[section.path_of("split")], section.path_of("split"),
            "with false every path runs script, which is off; set it, as in script: /index.php");
}

void parse_section(SectionReader& section, Upstream& out) {
    section.read_all(out);
    if (out.workers) return check_workers(section, out);
    Reading& reading = section.reading();
    const auto path = section.path_of("fastcgi");
    const bool usable = !out.url.empty();
    if (usable && is_fcgi_url(out.url) && !out.fcgi && !section.has("fastcgi"))
        reading.problems.error(reading.marks[section.path_of("url")], path,
                               "is missing; php-fpm needs the folder of the scripts: "
                               "fastcgi: {root: /var/www/html}");
    if (usable && !is_fcgi_url(out.url) && out.fcgi)
        reading.problems.error(reading.marks[path], path,
                               "does not fit this url, which is for HTTP; write "
                               "url: fastcgi://host:port or fastcgi+unix:/path");
}

}  // namespace ticketgate::config

#include "config/nested.hpp"
#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

// False: there is none, or none that can be used, which is told.
bool parse_url_of(SectionReader& section, Upstream& out) {
    const Entry* url = section.take("url");
    if (url == nullptr) return false;
    std::string why;
    if (url->value.kind != Node::Kind::scalar)
        why = "expected " + expected(section.key("url"));
    else
        (void)parse_url(url->value.text, out, why);  // false exactly when it gives a reason
    if (why.empty() && section.key("url").kind == Kind::fcgi_url && !is_fcgi_url(out.url))
        why = "is not " + expected(section.key("url"));
    if (!why.empty())
        section.reading().problems.error(url->value.mark, section.path_of("url"),
                                         "\"" + url->value.text + "\": " + why);
    return why.empty();
}

void parse_upstream_tls(SectionReader& section, UpstreamTls& out) {
    section.read("verify", out.verify);
    section.read("ca_file", out.ca_file);
    section.read("server_name", out.server_name);
    section.read("certificate", out.certificate);
    section.read("key", out.key);
}

void parse_status(SectionReader& section, FcgiStatus& out) {
    Upstream at;
    (void)parse_url_of(section, at);  // told
    out.url = at.url;
    out.host = at.host;
    out.port = at.port;
    out.unix_path = at.unix_path;
    std::optional<std::string> path = out.path;
    section.read("path", path);
    out.path = path.value_or("/");
}

void parse_fcgi(SectionReader& section, Fcgi& out) {
    section.read("root", out.root);
    while (out.root.size() > 1 && out.root.ends_with('/')) out.root.pop_back();
    if (out.root == "/") out.root.clear();
    section.read("script", out.script);
    section.read("index", out.index);
    section.read("split", out.split);
    section.read("params", out.params);
    section.read("keep_alive", out.keep_alive);
    parse_map(section, "status", Section::fcgi_status,
              [&](SectionReader& status) { parse_status(status, out.status.emplace()); });
    if (!out.split && !out.script)
        section.reading().problems.error(
            section.reading().marks[section.path_of("split")], section.path_of("split"),
            "false sends every path to script, which is off; set script: /index.php or such");
}

}  // namespace

void parse_upstream(SectionReader& section, Upstream& out) {
    const bool usable = parse_url_of(section, out);
    section.read("max_idle", out.max_idle);
    section.read("idle_timeout", out.idle_timeout);
    parse_map(section, "tls", Section::upstream_tls,
              [&](SectionReader& tls) { parse_upstream_tls(tls, out.tls); });
    section.read("max_head", out.max_head);
    section.read("max_headers", out.max_headers);
    parse_map(section, "fastcgi", Section::fcgi,
              [&](SectionReader& fcgi) { parse_fcgi(fcgi, out.fcgi.emplace()); });
    Reading& reading = section.reading();
    const auto path = section.path_of("fastcgi");
    if (usable && is_fcgi_url(out.url) && !out.fcgi)
        reading.problems.error(reading.marks[section.path_of("url")], path,
                               "is missing; php-fpm is told where its scripts are: "
                               "fastcgi: {root: /var/www/html}");
    if (usable && !is_fcgi_url(out.url) && out.fcgi)
        reading.problems.error(reading.marks[path], path,
                               "stands beside a url that speaks HTTP; write "
                               "url: fastcgi://host:port or fastcgi+unix:/path");
}

}  // namespace ticketgate::config

#include <algorithm>

#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

bool is_umask(const std::string& text) {
    return text.size() <= 4 && !text.empty() &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
}

}  // namespace

void parse_section(SectionReader& section, Workers& out) {
    section.read_all(out);
    Reading& reading = section.reading();
    const auto error = [&](const char* key, const std::string& why) {
        reading.problems.error(reading.marks[section.path_of(key)], section.path_of(key), why);
    };
    const auto command = section.path_of("command");
    if (reading.marks.contains(command) && reading.problems.has_read(command) &&
        out.command.empty())
        error("command", "is empty; write the program, as in [php-cgi]");
    if (!out.umask.empty() && !is_umask(out.umask))
        error("umask", "expected up to four octal digits in quotes, such as \"027\"");
    if (!out.group.empty() && out.user.empty()) error("group", "needs user as well");
    if (out.max < out.min)
        error("max", std::to_string(out.max) + " is less than min, " + std::to_string(out.min));
}

void check_workers(SectionReader& section, Upstream& out) {
    Reading& reading = section.reading();
    const auto error = [&](const char* key, const std::string& why) {
        reading.problems.error(reading.marks[section.path_of(key)], section.path_of(key), why);
    };
    if (reading.marks.contains(section.path_of("url")))
        error("url", "workers are in its place; remove one of the two");
    out.url = "workers";
    if (!out.fcgi && !section.has("fastcgi"))
        error("workers",
              "need the folder of the scripts beside them: fastcgi: {root: /var/www/html}");
    if (out.fcgi && out.fcgi->status)
        error("fastcgi.status", "is for php-fpm; ticketgate knows what its own workers do");
}

}  // namespace ticketgate::config

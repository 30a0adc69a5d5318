#include "config/parse.hpp"

namespace ticketgate::config {

void parse_section(SectionReader& section, IdService& out) {
    section.read("token", out);
    const bool given = !out.token.empty();
    read_secret_file(section, "token", out.token);
    const std::string from = given ? "token" : "token_file";
    check_secret(section, from, out.token);
    if (out.token.size() > 255) {
        const auto path = section.path_of(from);
        section.reading().problems.error(section.reading().marks[path], path,
                                         "a token has at most 255 bytes");
    }
    section.read_all(out);
}

}  // namespace ticketgate::config

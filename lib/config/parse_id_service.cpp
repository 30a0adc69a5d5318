#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// Warns if others can read the file, as for TLS keys.
void warn_of_readers(const Value& file) {
    const auto name = file.reading.folder / file.node.text;
    std::error_code error;
    const auto mode = std::filesystem::status(name, error).permissions();
    if (error || (mode & std::filesystem::perms::others_read) == std::filesystem::perms::none)
        return;
    file.reading.problems.warn(
        file.node.mark, file.path,
        name.string() + ": every user of this machine can read the token; run chmod o-r");
}

// Reads the token from a file, without a line end at its end.
void read_token_file(const Value& value, bool given, std::string& out) {
    if (given) {
        (void)value.fail("conflicts with token; keep one of them");
    } else if (read_body_file(value, out)) {
        while (out.ends_with('\n') || out.ends_with('\r')) out.pop_back();
        if (out.empty()) (void)value.fail("the file contains no token");
        warn_of_readers(value);
    }
}

}  // namespace

void parse_section(SectionReader& section, IdService& out) {
    section.read("token", out);
    const bool given = !out.token.empty();
    if (const Entry* file = section.take("token_file")) {
        const auto path = section.path_of("token_file");
        read_token_file({file->value, section.key("token_file"), path, section.reading()}, given,
                        out.token);
    }
    if (out.token.size() > 255) {
        const auto path = section.path_of(given ? "token" : "token_file");
        section.reading().problems.error(section.reading().marks[path], path,
                                         "a token has at most 255 bytes");
    }
    section.read_all(out);
}

}  // namespace ticketgate::config

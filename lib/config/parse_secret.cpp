#include <algorithm>

#include "config/parse.hpp"

namespace ticketgate::config {
namespace {

// Warns if others can read the file, as for TLS keys.
void warn_of_readers(const Value& file, const std::string& secret) {
    const auto name = file.reading.folder / file.node.text;
    std::error_code error;
    const auto mode = std::filesystem::status(name, error).permissions();
    if (error || (mode & std::filesystem::perms::others_read) == std::filesystem::perms::none)
        return;
    file.reading.problems.warn(
        file.node.mark, file.path,
        name.string() + ": every user of this machine can read the " + secret + "; run chmod o-r");
}

}  // namespace

// Reads it without a line end at its end.
void read_secret_file(SectionReader& section, const std::string& secret, std::string& out) {
    const std::string key = secret + "_file", path = section.path_of(key);
    const Entry* const file = section.take(key);
    if (file == nullptr) return;
    const Value value{file->value, section.key(key), path, section.reading()};
    if (!out.empty()) {
        (void)value.fail("conflicts with " + secret + "; keep one of them");
    } else if (read_body_file(value, out)) {
        while (out.ends_with('\n') || out.ends_with('\r')) out.pop_back();
        if (out.empty()) (void)value.fail("the file contains no " + secret);
        warn_of_readers(value, secret);
    }
}

void check_secret(SectionReader& section, const std::string& name, const std::string& secret) {
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (std::ranges::none_of(secret, is_control)) return;
    const auto path = section.path_of(name);
    section.reading().problems.error(
        section.reading().marks[path], path,
        "has a control character, such as a line end or a tab; take it out");
}

}  // namespace ticketgate::config

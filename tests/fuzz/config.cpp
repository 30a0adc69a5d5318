// A config file: for any text, loading returns a usable config or errors with their places.
#include <string>

#include "config/dump.hpp"
#include "config/load.hpp"
#include "config/route_index.hpp"
#include "config/validate.hpp"
#include "fuzz/expect.hpp"

namespace ticketgate::fuzz {
namespace {

const config::Environment variables = config::environment_of({{"PORT", "8080"}, {"EMPTY", ""}});

void check_problem(const config::Problem& problem, std::string_view text) {
    expect(!problem.message.empty() && problem.file == "c.yaml", "a problem says what and where");
    std::uint32_t lines = 1;
    for (const char c : text) lines += c == '\n' || c == '\r' ? 1 : 0;
    // U+0085, U+2028 and U+2029 are line ends for some.
    if (text.find_first_of("\xc2\xe2") == text.npos)
        expect(problem.line <= lines + 1, "in a line that is there");
    const std::string shown = config::print(problem);
    for (const char c : shown)
        expect(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "on one line, printable");
}

void ask(const config::Config& config) {
    const config::RouteIndex index(config);
    for (const char* path : {"/", "/a", "/a/b/c", "/index.php", "*"}) {
        const auto match = index.match(path);
        const auto settings = index.resolve(match);
        expect(!match.matched() || settings.upstream.empty() ||
                   config.upstreams.count(settings.upstream) == 1,
               "an upstream that a route names is there");
        expect(!settings.queue || config.queues.count(*settings.queue) == 1, "and its queue");
        if (match.matched())
            expect(!config::explain(config, index, {.path = path, .method = "GET"}, match,
                                    config::Way::queues, config::Shown::all)
                        .empty(),
                   "explain says something");
    }
    (void)config::notes(config);
}

}  // namespace
}  // namespace ticketgate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace ticketgate;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    // Skips texts with body files: fuzzing must not read files of this machine.
    if (text.find("_file") != text.npos) return 0;
    const auto loaded = config::load_text(text, "c.yaml", fuzz::variables);
    bool errors = false;
    for (const auto& problem : loaded.problems) {
        fuzz::check_problem(problem, text);
        errors = errors || !problem.warning;
    }
    fuzz::expect(loaded.config.has_value() == !errors, "a config or an error");
    if (loaded.config) fuzz::ask(*loaded.config);
    return 0;
}

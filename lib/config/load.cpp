#include "config/load.hpp"

#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "config/parse.hpp"
#include "config/tree.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

// Adds the queues that only routes name, with the defaults of the model.
void add_named_queues(Config& config) {
    const auto add = [&](const RouteOverrides& overrides) {
        const auto& queue = overrides.queue.value;
        if (queue && *queue) config.queues.try_emplace(**queue);
    };
    add(config.defaults);
    for (const RouteNode& route : config.routes) add(route.overrides);
}

}  // namespace

Loaded load_text(std::string_view text, const std::string& name, const Environment& environment) {
    Problems problems;
    Loaded loaded;
    if (const auto root = parse_tree(text, name, environment, problems)) {
        auto config =
            parse(*root, std::filesystem::path(name).parent_path(), problems, loaded.text_files);
        check_references(config, problems);
        add_named_queues(config);
        loaded.unread = problems.unread();
        Problems meaning(loaded.unread);
        check_meaning(config, meaning);
        problems.add(meaning.take());
        (problems.any_errors() ? loaded.draft : loaded.config) = std::move(config);
    }
    loaded.problems = problems.take();
    return loaded;
}

void Loaded::add(std::vector<Problem> more) {
    Problems known(unread);
    known.add(std::move(more));
    for (Problem& problem : known.take()) problems.push_back(std::move(problem));
    sort(problems);
    if (config && has_errors(problems)) draft = std::exchange(config, std::nullopt);
}

std::optional<std::string> read_text(const std::string& path, std::vector<Problem>& problems) {
    auto got = read_file(path, max_file_bytes);
    if (got) return std::move(got.text);
    const auto reason = "cannot read the file: " + got.why;
    problems.push_back({path, 0, 0, "", reason, false});
    return std::nullopt;
}

Loaded load_file(const std::string& path, const Environment& environment) {
    Loaded loaded;
    const auto text = read_text(path, loaded.problems);
    return text ? load_text(*text, path, environment) : loaded;
}

}  // namespace ticketgate::config

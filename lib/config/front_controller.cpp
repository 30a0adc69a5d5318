#include "config/front_controller.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "config/each_id.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view extension = ".php";

void add_fallback(const FilesOverrides& files, std::vector<std::string>& out) {
    if (!files.tries.value || files.tries.value->empty()) return;
    const auto& last = files.tries.value->back();
    if (last.starts_with('/') && last.ends_with(extension)) out.push_back(last);
}

std::string_view folder_of(std::string_view script) {
    return script.substr(0, script.rfind('/'));
}

// Null: its upstream is no FastCGI server.
const Fcgi* fcgi_of(const Config& config, const Settings& settings) {
    const auto upstream = config.upstreams.find(settings.upstream);
    const bool found = upstream != config.upstreams.end() && upstream->second.fcgi;
    return found ? &*upstream->second.fcgi : nullptr;
}

bool tries(const Settings& settings, std::string_view what) {
    const Files& files = settings.files;
    return !files.root.empty() && std::ranges::find(files.tries, what) != files.tries.end();
}

// The page in `rest`, from which an application has cut the script's name as text: `admin` of
// `/index.phpadmin` has no slash.
std::string page_behind(std::string_view rest) {
    std::string page(rest);
    if (!page.starts_with('/')) page.insert(0, "/");
    return page;
}

// The paths of the page in `rest`.
std::vector<Spelling> spellings_of(std::string_view script, std::string_view rest, bool certain) {
    const auto folder = folder_of(script);
    std::string page = page_behind(rest);
    std::vector<Spelling> out{{std::string(folder) + page, certain}};
    if (!folder.empty()) out.push_back({std::move(page), false});
    return out;
}

// WordPress ends the page at a question mark, which PATH_INFO has decoded. Returns the page before
// it; empty: the path has none.
std::string before_question(const std::string& page) {
    const auto end = page.find("%3F");
    return end == page.npos ? std::string() : page_behind(page.substr(0, end));
}

}  // namespace

std::vector<std::string> front_controllers(const Config& config) {
    std::vector<std::string> out;
    for (const auto& [name, upstream] : config.upstreams) {
        add_fallback(upstream.files, out);
        if (upstream.fcgi && upstream.fcgi->script) out.push_back(*upstream.fcgi->script);
    }
    for_each_overrides(config, [&](const std::string& /*path*/, const RouteOverrides& own) {
        add_fallback(own.files, out);
    });
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::string front_controller(const Config& config, const Settings& settings) {
    const Fcgi* const fcgi = fcgi_of(config, settings);
    if (fcgi == nullptr) return {};
    const auto& last = settings.files.tries.back();
    if (!settings.files.root.empty() && last != "upstream")
        return last.ends_with(extension) ? last : "";
    return fcgi->script.value_or("");
}

std::string folder_script(const Config& config, const Settings& settings) {
    const Fcgi* const fcgi = fcgi_of(config, settings);
    if (fcgi == nullptr || fcgi->split || !tries(settings, "path/")) return {};
    return fcgi->script.value_or("");
}

bool runs_named_scripts(const Config& config, const Settings& settings) {
    const Fcgi* const fcgi = fcgi_of(config, settings);
    if (fcgi == nullptr || !fcgi->split) return false;
    return settings.files.root.empty() || tries(settings, "path") ||
           !settings.files.tries.back().ends_with(extension);
}

std::vector<Spelling> other_spellings(std::string_view script, std::string_view path) {
    const auto folder = folder_of(script);
    std::vector<Spelling> out;
    const auto add = [&](std::string_view rest, bool certain) {
        for (auto& one : spellings_of(script, rest, certain)) out.push_back(std::move(one));
    };
    if (path.starts_with(script)) {
        const auto rest = path.substr(script.size());
        const std::string page = page_behind(rest), asked = before_question(page);
        if (!rest.empty() && page != rest) out.push_back({std::string(script) + page});
        add(page, true);
        if (asked.empty()) return out;
        out.push_back({std::string(script) + asked});
        add(asked, true);
    } else if (!folder.empty()) {
        const bool below = path.starts_with(folder);
        if (below) add(path.substr(folder.size()), false);
        if (!below || !path.substr(folder.size()).starts_with('/'))
            out.push_back({std::string(folder).append(path), false});
        std::erase(out, Spelling{std::string(path), false});
    }
    return out;
}

bool has_odd_name(std::string_view script, std::string_view path) {
    const auto file = script.substr(script.rfind('/') + 1);
    if (path.starts_with(script)) path.remove_prefix(script.size());
    const auto same = [](char x, char y) { return to_lower(x) == to_lower(y); };
    return !std::ranges::search(path, file, same).empty();
}

}  // namespace ticketgate::config

#include "config/front_controller.hpp"

#include <algorithm>

#include "config/each_id.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view extension = ".php";

void add_fallback(const FilesOverrides& files, std::vector<std::string>& out) {
    if (!files.tries.value || files.tries.value->empty()) return;
    const auto& last = files.tries.value->back();
    if (last.starts_with('/') && last.ends_with(extension)) out.push_back(last);
}

// Of `admin` in `/index.phpadmin`, too: applications compare the script's name as text.
std::string page_behind(std::string_view rest) {
    std::string page(rest);
    if (!page.starts_with('/')) page.insert(0, "/");
    return page;
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

std::vector<Spelling> other_spellings(std::string_view script, std::string_view path) {
    const auto folder = script.substr(0, script.rfind('/'));
    const auto is_below = [&](std::string_view outer) {
        return path.starts_with(outer) && path.substr(outer.size()).starts_with('/');
    };
    std::vector<Spelling> out;
    if (path.starts_with(script)) {
        std::string rest = page_behind(path.substr(script.size()));
        if (path != script && !is_below(script)) out.push_back({std::string(script) + rest});
        out.push_back({std::string(folder) + rest});
        if (!folder.empty()) out.push_back({std::move(rest), false});
    } else if (!folder.empty() && is_below(folder)) {
        out.push_back({std::string(path.substr(folder.size())), false});
    } else if (const auto at = path.find(script); !folder.empty() && at != path.npos) {
        out.push_back({page_behind(path.substr(at + script.size())), false});
    }
    return out;
}

}  // namespace ticketgate::config

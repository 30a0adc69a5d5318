#include "config/regex_reach.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/regex_sample.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array<std::string_view, 22> file_endings{
    "css", "js",    "mjs",  "map", "png", "jpg",  "jpeg", "gif", "svg", "webp", "avif",
    "ico", "woff2", "woff", "ttf", "txt", "html", "json", "xml", "pdf", "mp4",  "webm"};

bool names_queue(const RouteNode& route) {
    return route.overrides.queue.given() && *route.overrides.queue.value;
}

void add(std::vector<std::string>& places, std::string place) {
    while (place.ends_with('/')) place.pop_back();
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
}

}  // namespace

RegexReach::RegexReach(const Config& config, const RouteNode& route, std::string outer,
                       const std::function<bool(const std::string& path)>& applies) {
    add(places, std::move(outer));
    add(places, folder_of(sample_of(route.regex)));
    for (const auto ending : file_endings)
        if (std::ranges::any_of(places, [&](const std::string& place) {
                return applies((place + "/b.").append(ending));
            }))
            endings.push_back(ending);
    for (const RouteNode& other : config.routes)
        if (names_queue(other))
            add(places, other.is_regex() ? folder_of(sample_of(other.regex)) : other.prefix);
}

std::string folder_of(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/') + 1));
}

bool is_script(std::string_view place) {
    return place.ends_with(".php");
}

std::string script_at(const std::string& place) {
    return is_script(place) ? place : place + "/a.php";
}

}  // namespace ticketgate::config

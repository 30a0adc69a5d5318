#include "config/route_index.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "config/pattern.hpp"

namespace ticketgate::config {
namespace {

struct Prefix {
    std::string text;
    const RouteNode* node;
    int shorter = -1;  // index of the longest other prefix that this text starts with, byte by byte
};

struct Regex {
    const RouteNode* node;
    std::unique_ptr<RE2>
        alone;  // used if the set runs out of memory: a path must never bypass its queue
    std::string_view under;  // prefix of the enclosing route; empty: any path
};

}  // namespace

struct RouteIndex::Tables {
    Settings built_in;  // includes the file's ids
    RouteOverrides defaults;
    std::vector<RouteNode> nodes;
    std::vector<Prefix> prefixes;   // sorted by text
    std::vector<Regex> regexes;     // in the order of the file
    std::unique_ptr<RE2::Set> set;  // null: no regexes, or too many for one set

    void add_prefixes();
    void add_regexes();
    int deepest(std::string_view path) const;
    std::vector<std::uint16_t> matching(std::string_view path) const;
};

bool encloses(std::string_view prefix, std::string_view normal_path) {
    if (prefix == "/") return true;
    if (!normal_path.starts_with(prefix)) return false;
    return normal_path.size() == prefix.size() || prefix.ends_with('/') ||
           normal_path[prefix.size()] == '/';
}

void RouteIndex::Tables::add_prefixes() {
    for (const RouteNode& node : nodes)
        if (!node.is_regex()) prefixes.push_back({node.prefix, &node});
    std::stable_sort(prefixes.begin(), prefixes.end(),
                     [](const Prefix& a, const Prefix& b) { return a.text < b.text; });
    // In sorted order, all prefixes of a text are on the chain of its left neighbour.
    for (std::size_t i = 1; i < prefixes.size(); ++i) {
        int at = static_cast<int>(i) - 1;
        while (at >= 0 &&
               !prefixes[i].text.starts_with(prefixes[static_cast<std::size_t>(at)].text))
            at = prefixes[static_cast<std::size_t>(at)].shorter;
        prefixes[i].shorter = at;
    }
}

void RouteIndex::Tables::add_regexes() {
    for (const RouteNode& node : nodes) {
        if (!node.is_regex()) continue;
        const std::string_view under = node.parent < 0
                                           ? std::string_view{}
                                           : nodes[static_cast<std::size_t>(node.parent)].prefix;
        regexes.push_back({&node, std::make_unique<RE2>(node.regex, pattern_options()), under});
    }
    if (regexes.empty()) return;
    auto all = std::make_unique<RE2::Set>(pattern_options(), RE2::UNANCHORED);
    for (const Regex& regex : regexes)
        if (all->Add(regex.node->regex, nullptr) < 0) return;
    if (all->Compile()) set = std::move(all);
}

// Finds the last prefix not above the path by binary search; the deepest enclosing prefix is on its
// chain.
int RouteIndex::Tables::deepest(std::string_view path) const {
    const auto above =
        std::upper_bound(prefixes.begin(), prefixes.end(), path,
                         [](std::string_view p, const Prefix& x) { return p < x.text; });
    int at = static_cast<int>(above - prefixes.begin()) - 1;
    while (at >= 0 && !encloses(prefixes[static_cast<std::size_t>(at)].text, path))
        at = prefixes[static_cast<std::size_t>(at)].shorter;
    if (at < 0 && !prefixes.empty() && prefixes[0].text == "/") return 0;  // `*` of OPTIONS
    return at;
}

std::vector<std::uint16_t> RouteIndex::Tables::matching(std::string_view path) const {
    std::vector<int> hits;
    RE2::Set::ErrorInfo error{};
    const bool asked = set && (set->Match(path, &hits, &error) || error.kind == RE2::Set::kNoError);
    if (!asked) {
        hits.clear();
        for (std::size_t i = 0; i < regexes.size(); ++i)
            if (RE2::PartialMatch(path, *regexes[i].alone)) hits.push_back(static_cast<int>(i));
    }
    std::sort(hits.begin(), hits.end());
    std::vector<std::uint16_t> found;
    for (const int hit : hits) {
        const auto i = static_cast<std::size_t>(hit);
        if ((regexes[i].under.empty() || encloses(regexes[i].under, path)))
            found.push_back(static_cast<std::uint16_t>(i));
    }
    return found;
}

RouteIndex::RouteIndex(const Config& config) {
    auto tables = std::make_unique<Tables>();
    tables->built_in.ids = config.ids;
    tables->defaults = config.defaults;
    tables->nodes = config.routes;
    tables->add_prefixes();
    tables->add_regexes();
    tables_ = std::move(tables);
}

RouteIndex::~RouteIndex() = default;
RouteIndex::RouteIndex(RouteIndex&&) noexcept = default;
RouteIndex& RouteIndex::operator=(RouteIndex&&) noexcept = default;

RouteIndex::Match RouteIndex::match(std::string_view normal_path) const {
    Match match;
    match.prefix = tables_->deepest(normal_path);
    if (!tables_->regexes.empty()) match.regexes = tables_->matching(normal_path);
    return match;
}

std::vector<const RouteNode*> RouteIndex::routes(const Match& match) const {
    std::vector<const RouteNode*> chain;
    const auto& prefixes = tables_->prefixes;
    const auto deepest = prefix(match.prefix);
    for (int at = match.prefix; at >= 0; at = prefixes[static_cast<std::size_t>(at)].shorter)
        if (const Prefix& outer = prefixes[static_cast<std::size_t>(at)];
            encloses(outer.text, deepest))
            chain.push_back(outer.node);
    std::reverse(chain.begin(), chain.end());
    for (const auto index : match.regexes) chain.push_back(tables_->regexes[index].node);
    return chain;
}

Settings RouteIndex::resolve(const Match& match) const {
    auto settings = config::resolve(tables_->built_in, tables_->defaults);
    for (const RouteNode* route : routes(match))
        settings = config::resolve(std::move(settings), route->overrides);
    return settings;
}

std::vector<Origin> RouteIndex::origins(const Match& match) const {
    auto origins = config::resolve(built_in_origins(), tables_->defaults);
    for (const RouteNode* route : routes(match))
        origins = config::resolve(std::move(origins), route->overrides);
    return origins;
}

std::string_view RouteIndex::prefix(int index) const {
    return index < 0 ? std::string_view{} : tables_->prefixes[static_cast<std::size_t>(index)].text;
}

std::size_t RouteIndex::prefix_count() const {
    return tables_->prefixes.size();
}

}  // namespace ticketgate::config

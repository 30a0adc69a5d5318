#include "config/route_index.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "config/matcher.hpp"
#include "config/pattern.hpp"

namespace ticketgate::config {
namespace {

struct Regex {
    std::uint16_t node;
    std::unique_ptr<RE2>
        alone;  // asked when the set ran out of memory: a path must never slip past its queue
    std::string_view under;  // prefix of the route it is nested in; empty: everywhere
};

// What a route asks for, with the routes around it.
struct Effective {
    std::optional<Conditions> conditions;    // absent: no request can fulfil them
    std::unique_ptr<const Matcher> matcher;  // null: there is none but the host

    bool names_host(std::string_view bare) const {
        const auto covers = [&](const auto& pattern) { return covers_host(pattern, bare); };
        return conditions && std::ranges::any_of(conditions->hosts, covers);
    }
};

}  // namespace

struct RouteIndex::Tables {
    Settings built_in;                                // with the file's ids
    std::map<std::string, RouteOverrides> upstreams;  // those that set files
    RouteOverrides defaults;
    std::vector<RouteNode> nodes;
    std::vector<Effective> effective;  // by node
    Sites sites;
    std::vector<Regex> regexes;     // in the order of the file
    std::unique_ptr<RE2::Set> set;  // null when there are none, or when they do not fit into one
    std::vector<std::string> methods;
    bool any_conditions = false, any_hosts = false;

    void add_conditions();
    void add_prefixes();
    void add_regexes();
    const RouteNode* parent(const RouteNode& node) const {
        return node.parent < 0 ? nullptr : &nodes[static_cast<std::size_t>(node.parent)];
    }
    Holds holds(std::size_t node, const Asked& asked) const;
    bool follows(std::size_t inner, std::size_t outer) const;
    template <class Applies>
    void match_prefixes(int site, std::string_view path, Match& match, Applies applies) const;
    std::vector<std::uint16_t> matching(std::string_view path) const;
    void match_regexes(const Asked& asked, Match& match) const;
};

// A route stands behind the one that it is nested in.
void RouteIndex::Tables::add_conditions() {
    for (const RouteNode& node : nodes) {
        Effective own{.conditions = node.when, .matcher = nullptr};
        if (node.parent >= 0) {
            const auto& outer = effective[static_cast<std::size_t>(node.parent)].conditions;
            own.conditions = outer ? both_of(*outer, node.when) : std::nullopt;
        }
        any_conditions = any_conditions || !node.when.empty();
        any_hosts = any_hosts || !node.when.hosts.empty();
        if (own.conditions && own.conditions->others() != 0)
            own.matcher = std::make_unique<const Matcher>(*own.conditions);
        for (const auto& method : node.when.methods)
            if (std::ranges::find(methods, method) == methods.end()) methods.push_back(method);
        effective.push_back(std::move(own));
    }
}

void RouteIndex::Tables::add_prefixes() {
    std::vector<PrefixRoute> prefixes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto& when = effective[i].conditions;
        if (nodes[i].is_regex() || !when) continue;
        prefixes.push_back(
            {nodes[i].prefix, when->hosts, when->others(), static_cast<std::uint16_t>(i)});
    }
    sites.build(std::move(prefixes));
}

void RouteIndex::Tables::add_regexes() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const RouteNode& node = nodes[i];
        if (!node.is_regex()) continue;
        const RouteNode* const outer = parent(node);
        regexes.push_back({static_cast<std::uint16_t>(i),
                           std::make_unique<RE2>(node.regex, pattern_options()),
                           outer == nullptr ? std::string_view() : outer->prefix});
    }
    if (regexes.empty()) return;
    auto all = std::make_unique<RE2::Set>(pattern_options(), RE2::UNANCHORED);
    for (const Regex& regex : regexes)
        if (all->Add(nodes[regex.node].regex, nullptr) < 0) return;
    if (all->Compile()) set = std::move(all);
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

Holds RouteIndex::Tables::holds(std::size_t node, const Asked& asked) const {
    const auto& matcher = effective[node].matcher;
    return matcher == nullptr ? Holds::yes : matcher->holds(asked);
}

// Do the conditions of `outer` hold wherever those of `inner` do?
bool RouteIndex::Tables::follows(std::size_t inner, std::size_t outer) const {
    const Effective &own = effective[inner], &its = effective[outer];
    if (!own.conditions || !its.conditions) return false;
    const auto covered = [&](const auto& host) { return its.names_host(host); };
    const auto& hosts = own.conditions->hosts;
    if (!its.conditions->hosts.empty() && (hosts.empty() || !std::ranges::all_of(hosts, covered)))
        return false;
    return its.matcher == nullptr || its.matcher->follows_from(Matcher(*own.conditions));
}

template <class Applies>
void RouteIndex::Tables::match_prefixes(int site, std::string_view path, Match& match,
                                        Applies applies) const {
    const int at = sites.position(site, path);
    if (at == Sites::none || (at != Sites::mixed && sites.is_plain(at))) {
        match.prefix = at;
        return;
    }
    for (const auto node : sites.routes(site, path)) {
        const Holds held = applies(node);
        if (held == Holds::yes) match.prefixes.push_back(node);
        if (held == Holds::unclear) match.unclear = true;
    }
}

void RouteIndex::Tables::match_regexes(const Asked& asked, Match& match) const {
    std::string ipv6;
    const auto host = bare_host(asked.host, ipv6);
    for (const auto i : matching(asked.path)) {
        const Effective& own = effective[regexes[i].node];
        if (!own.conditions || (!own.conditions->hosts.empty() && !own.names_host(host))) continue;
        const Holds held = holds(regexes[i].node, asked);
        if (held == Holds::yes) match.regexes.push_back(i);
        if (held == Holds::unclear) match.unclear = true;
    }
}

RouteIndex::RouteIndex(const Config& config) {
    auto tables = std::make_unique<Tables>();
    tables->built_in.ids = config.ids;
    tables->defaults = config.defaults;
    for (const auto& [name, upstream] : config.upstreams)
        if (upstream.files != FilesOverrides()) tables->upstreams[name].files = upstream.files;
    tables->nodes = config.routes;
    tables->add_conditions();
    tables->add_prefixes();
    tables->add_regexes();
    tables_ = std::move(tables);
}

RouteIndex::~RouteIndex() = default;
RouteIndex::RouteIndex(RouteIndex&&) noexcept = default;
RouteIndex& RouteIndex::operator=(RouteIndex&&) noexcept = default;

RouteIndex::Match RouteIndex::match(std::string_view normal_path) const {
    return match(Asked{.path = normal_path});
}

RouteIndex::Match RouteIndex::match(const Asked& asked) const {
    Match match;
    tables_->match_prefixes(tables_->sites.of_host(asked.host), asked.path, match,
                            [&](std::size_t node) { return tables_->holds(node, asked); });
    if (tables_->regexes.empty()) return match;
    if (tables_->any_conditions)
        tables_->match_regexes(asked, match);
    else
        match.regexes = tables_->matching(asked.path);
    return match;
}

RouteIndex::Match RouteIndex::match_as(const Conditions& when, std::string_view path,
                                       std::string_view method) const {
    std::string host = when.hosts.empty() ? "" : when.hosts.front();
    if (host.starts_with('*')) host[0] = 'x';
    const std::string_view listener =
        when.listeners.empty() ? std::string_view() : std::string_view(when.listeners.front());
    return match({.path = path, .host = host, .method = method, .listener = listener});
}

RouteIndex::Match RouteIndex::match_as(const Conditions& when, std::string_view path) const {
    return match_as(when, path, when.methods.empty() ? "" : std::string_view(when.methods.front()));
}

RouteIndex::Match RouteIndex::match_within(std::size_t route) const {
    Match match;
    const RouteNode& node = tables_->nodes[route];
    const RouteNode* const outer = tables_->parent(node);
    const auto& when = tables_->effective[route].conditions;
    const bool everywhere = !when || when->hosts.empty();
    const int site = everywhere ? 0 : tables_->sites.of_pattern(when->hosts.front());
    const std::string_view around = outer == nullptr ? "/" : std::string_view(outer->prefix);
    tables_->match_prefixes(
        site, node.is_regex() ? around : node.prefix, match, [&](std::size_t other) {
            return other == route || tables_->follows(route, other) ? Holds::yes : Holds::no;
        });
    for (std::size_t i = 0; i < tables_->regexes.size(); ++i)
        if (tables_->regexes[i].node == route)
            match.regexes.push_back(static_cast<std::uint16_t>(i));
    return match;
}

bool RouteIndex::same(const Match& a, const Match& b) const {
    return a == b || (a.unclear == b.unclear && routes(a) == routes(b));
}

bool RouteIndex::has_conditions() const {
    return tables_->any_conditions;
}

bool RouteIndex::has_hosts() const {
    return tables_->any_hosts;
}

bool RouteIndex::names_host(std::string_view host) const {
    if (tables_->sites.of_host(host) != 0) return true;
    std::string ipv6;
    const auto bare = bare_host(host, ipv6);
    return std::ranges::any_of(tables_->regexes, [&](const Regex& regex) {
        return tables_->effective[regex.node].names_host(bare);
    });
}

const std::vector<std::string>& RouteIndex::methods() const {
    return tables_->methods;
}

const Conditions* RouteIndex::conditions(std::size_t route) const {
    const auto& own = tables_->effective[route].conditions;
    return own ? &*own : nullptr;
}

std::vector<const RouteNode*> RouteIndex::routes(const Match& match) const {
    std::vector<const RouteNode*> chain;
    const auto add = [&](std::uint16_t node) { chain.push_back(&tables_->nodes[node]); };
    if (match.prefix >= 0)
        for (const auto node : tables_->sites.routes(match.prefix)) add(node);
    for (const auto node : match.prefixes) add(node);
    for (const auto index : match.regexes) add(tables_->regexes[index].node);
    return chain;
}

// An upstream gives the lowest of all settings, and is itself one of those that routes give.
Settings RouteIndex::resolve(const Match& match) const {
    auto settings = resolve_from(tables_->built_in, match);
    const auto upstream = tables_->upstreams.find(settings.upstream);
    if (upstream == tables_->upstreams.end()) return settings;
    return resolve_from(config::resolve(tables_->built_in, upstream->second), match);
}

Settings RouteIndex::resolve_from(Settings lowest, const Match& match) const {
    auto settings = config::resolve(std::move(lowest), tables_->defaults);
    for (const RouteNode* route : routes(match))
        settings = config::resolve(std::move(settings), route->overrides);
    return settings;
}

std::vector<Origin> RouteIndex::origins(const Match& match) const {
    auto lowest = built_in_origins();
    const auto upstream = tables_->upstreams.find(resolve(match).upstream);
    if (upstream != tables_->upstreams.end())
        lowest = config::resolve(std::move(lowest), upstream->second);
    auto origins = config::resolve(std::move(lowest), tables_->defaults);
    for (const RouteNode* route : routes(match))
        origins = config::resolve(std::move(origins), route->overrides);
    return origins;
}

std::string_view RouteIndex::prefix(int index) const {
    return index < 0 ? std::string_view{} : tables_->sites.prefix(index);
}

std::size_t RouteIndex::prefix_count() const {
    return tables_->sites.size();
}

bool RouteIndex::stands_alone(int prefix) const {
    return tables_->sites.is_plain(prefix);
}

}  // namespace ticketgate::config

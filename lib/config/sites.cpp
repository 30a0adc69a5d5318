#include "config/sites.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"

namespace ticketgate::config {

bool encloses(std::string_view prefix, std::string_view normal_path) {
    if (prefix == "/") return true;
    if (!normal_path.starts_with(prefix)) return false;
    return normal_path.size() == prefix.size() || prefix.ends_with('/') ||
           normal_path[prefix.size()] == '/';
}

// A route with its place in the order: shorter prefixes first, then wider hosts, then fewer other
// conditions, then the order of the file.
struct Sites::Applying {
    std::size_t length;
    int site;  // those below a site have lower numbers
    std::uint32_t others;
    std::uint16_t node;
    bool may_repeat;  // it names several hosts
    auto key() const { return std::tuple(length, site, others, node); }
};

std::size_t Sites::Hash::operator()(std::string_view host) const {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : host)
        hash = (hash ^ static_cast<std::uint8_t>(to_lower(c))) * 0x100000001b3;
    return hash;
}

bool Sites::Equal::operator()(std::string_view a, std::string_view b) const {
    return iequals(a, b);
}

// Names that the same routes name, on the same site below, share one site.
int Sites::add_site(int below, std::vector<std::uint16_t> members) {
    const auto [known, fresh] = alike_.try_emplace({below, members}, 0);
    if (!fresh) return known->second;
    const int number = known->second = static_cast<int>(sites_.size());
    const auto order = [this](std::uint16_t i) {
        const PrefixRoute& route = routes_[i];
        return std::tuple(std::string_view(route.prefix), route.others, route.node);
    };
    std::ranges::sort(members, {}, order);
    Site site{.below = below, .begin = static_cast<int>(entries_.size())};
    for (const auto i : members) {
        const PrefixRoute& route = routes_[i];
        const int at = static_cast<int>(entries_.size());
        if (route.prefix == "/") site.root = at;
        entries_.push_back({.text = route.prefix,
                            .node = route.node,
                            .others = static_cast<std::uint32_t>(route.others),
                            .site = number,
                            .may_repeat = route.hosts.size() > 1});
        link(at, site.begin);
        if (below != none) entries_.back().outer = position(below, route.prefix);
    }
    site.end = static_cast<int>(entries_.size());
    sites_.push_back(site);
    for (int at = site.begin; at < site.end; ++at) {
        Entry& entry = entries_[static_cast<std::size_t>(at)];
        entry.plain = entry.others == 0 && (entry.shorter == none || is_plain(entry.shorter)) &&
                      (entry.outer == none || (entry.outer >= 0 && is_plain(entry.outer)));
    }
    return number;
}

// Sorted, whatever a text begins with stands before it, on the chain of its left neighbour.
void Sites::link(int entry, int first) {
    const auto text_of = [this](int i) { return entries_[static_cast<std::size_t>(i)].text; };
    int at = entry == first ? none : entry - 1;
    while (at != none && !text_of(entry).starts_with(text_of(at)))
        at = entries_[static_cast<std::size_t>(at)].shorter;
    entries_[static_cast<std::size_t>(entry)].shorter = at;
}

void Sites::build(std::vector<PrefixRoute> routes) {
    routes_ = std::move(routes);
    std::vector<std::uint16_t> everywhere;
    std::map<std::pair<std::size_t, std::string>, std::vector<std::uint16_t>> wildcards;
    std::map<std::string, std::vector<std::uint16_t>> exact;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto place = static_cast<std::uint16_t>(i);
        if (routes_[i].hosts.empty()) everywhere.push_back(place);
        for (const auto& host : routes_[i].hosts) {
            auto& members =
                host.starts_with("*.") ? wildcards[{host.size(), host.substr(1)}] : exact[host];
            members.push_back(place);
        }
    }
    add_site(none, std::move(everywhere));
    for (auto& [key, members] : wildcards)  // the shortest first: longer ones stand on them
        wildcards_.emplace(key.second, add_site(widest("x" + key.second), std::move(members)));
    for (auto& [host, members] : exact)
        exact_.emplace(host, add_site(widest(host), std::move(members)));
    alike_.clear();
}

// The site of the longest wildcard that stands for this host. At most as many look-ups as a name
// has labels: no name in the config is longer than max_host.
int Sites::widest(std::string_view host) const {
    if (wildcards_.empty()) return 0;
    auto dot = host.find('.', host.size() > max_host + 1 ? host.size() - max_host - 1 : 1);
    for (; dot < host.size(); dot = host.find('.', dot + 1))
        if (const auto found = wildcards_.find(host.substr(dot)); found != wildcards_.end())
            return found->second;
    return 0;
}

int Sites::of_host(std::string_view field) const {
    if (!has_hosts()) return 0;
    std::string ipv6;
    const auto host = bare_host(field, ipv6);
    if (const auto found = exact_.find(host); found != exact_.end()) return found->second;
    return widest(host);
}

int Sites::of_pattern(const std::string& pattern) const {
    const bool wildcard = pattern.starts_with("*.");
    const ByName& names = wildcard ? wildcards_ : exact_;
    const auto found = names.find(wildcard ? pattern.substr(1) : pattern);
    return found == names.end() ? 0 : found->second;
}

// Binary search finds the last prefix not above the path; the deepest one that encloses it is on
// its chain.
int Sites::deepest(const Site& site, std::string_view path) const {
    const auto begin = entries_.begin() + site.begin, end = entries_.begin() + site.end;
    const auto above = std::upper_bound(
        begin, end, path, [](std::string_view p, const Entry& x) { return p < x.text; });
    int at = static_cast<int>(above - entries_.begin()) - 1;
    if (at < site.begin) return site.root;  // `*` of OPTIONS
    while (at != none && !encloses(entries_[static_cast<std::size_t>(at)].text, path))
        at = entries_[static_cast<std::size_t>(at)].shorter;
    return at == none ? site.root : at;
}

int Sites::position(int site, std::string_view path) const {
    const Site& own = sites_[static_cast<std::size_t>(site)];
    const int at = deepest(own, path);
    if (own.below == none) return at;
    const int outer = position(own.below, path);
    if (at == none || outer == mixed) return outer;
    return entries_[static_cast<std::size_t>(at)].outer == outer ? at : mixed;
}

void Sites::collect(int site, std::string_view path, std::vector<Applying>& out) const {
    for (; site != none; site = sites_[static_cast<std::size_t>(site)].below) {
        int at = deepest(sites_[static_cast<std::size_t>(site)], path);
        while (at != none) {
            const Entry& entry = entries_[static_cast<std::size_t>(at)];
            if (encloses(entry.text, path))
                out.push_back(
                    {entry.text.size(), site, entry.others, entry.node, entry.may_repeat});
            at = entry.shorter;
        }
    }
}

std::vector<std::uint16_t> Sites::routes(int site, std::string_view path) const {
    std::vector<Applying> all;
    collect(site, path, all);
    std::ranges::sort(all, {}, &Applying::key);
    std::vector<std::uint16_t> out;
    for (const Applying& one : all) {
        if (one.may_repeat) std::erase(out, one.node);  // the narrower name counts
        out.push_back(one.node);
    }
    return out;
}

std::vector<std::uint16_t> Sites::routes(int entry) const {
    const Entry& at = entries_[static_cast<std::size_t>(entry)];
    return routes(at.site, at.text);
}

}  // namespace ticketgate::config

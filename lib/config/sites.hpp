// Prefix routes by host, so that a path is looked up among those of its own host only. A site is
// the table of all routes that one host has to itself, on top of the site of the widest name that
// also stands for that host: `*.a.org` stands on `*.org`, which stands on the routes without a
// host. Only for route_index.cpp. Immutable once built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/conditions.hpp"

namespace ticketgate::config {

/// A prefix route, as the sites see it.
struct PrefixRoute {
    std::string prefix;
    std::vector<std::string> hosts;  ///< of the routes around it as well; empty: every host
    std::size_t others = 0;          ///< Conditions::others()
    std::uint16_t node = 0;          ///< its place in the file
};

class Sites {
 public:
    static constexpr int none = -1, mixed = -2;

    void build(std::vector<PrefixRoute> routes);

    /// The site of a Host field; 0: no name stands for it.
    int of_host(std::string_view field) const;
    /// Of a name as the config has it.
    int of_pattern(const std::string& pattern) const;
    bool has_hosts() const { return !exact_.empty() || !wildcards_.empty(); }

    /// The entry that stands for all routes of this path: itself, with those that it lies in.
    /// `mixed`: no single entry does.
    int position(int site, std::string_view path) const;
    /// Do all routes of the entry apply without further conditions?
    bool is_plain(int entry) const { return entries_[static_cast<std::size_t>(entry)].plain; }
    /// The routes of a path, in the order in which they apply.
    std::vector<std::uint16_t> routes(int site, std::string_view path) const;
    std::vector<std::uint16_t> routes(int entry) const;

    std::string_view prefix(int entry) const {
        return entries_[static_cast<std::size_t>(entry)].text;
    }
    std::size_t size() const { return entries_.size(); }

 private:
    struct Entry {
        std::string_view text;  // of routes_
        std::uint16_t node = 0;
        std::uint32_t others = 0;
        int shorter = none;  // the longest other prefix that this one begins with, byte by byte
        int outer = none;    // position of its text in the site below
        int site = 0;
        bool may_repeat = false;  // it stands in several sites
        bool plain = true;
    };
    struct Site {
        int below = none;
        int begin = 0, end = 0;  // of entries_, sorted by text
        int root = none;         // the last entry for `/`
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view host) const;
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const;
    };
    using ByName = std::unordered_map<std::string, int, Hash, Equal>;
    struct Applying;

    int add_site(int below, std::vector<std::uint16_t> members);
    void link(int entry, int first);
    int widest(std::string_view host) const;
    int deepest(const Site& site, std::string_view path) const;
    void collect(int site, std::string_view path, std::vector<Applying>& out) const;

    std::vector<PrefixRoute> routes_;
    std::vector<Entry> entries_;
    std::vector<Site> sites_;
    ByName exact_, wildcards_;  // of wildcards: what follows the `*`
    std::map<std::pair<int, std::vector<std::uint16_t>>, int> alike_;  // while it is built
};

/// By whole segments: `/a` matches `/a` and `/a/b`, not `/ab`; `/a/` matches `/a/` and below it;
/// `/` everything.
bool encloses(std::string_view prefix, std::string_view normal_path);

}  // namespace ticketgate::config

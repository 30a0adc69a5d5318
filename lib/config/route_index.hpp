// Finds the routes of a request, and the settings that apply. Built once from a Config,
// self-contained and immutable; any thread. Without regex routes and conditions, match() does not
// allocate; with them, it allocates a little for each request.
//
// Effective settings = built-in defaults ← `defaults:` ← every prefix route that encloses the path
// by whole segments, outermost first ← the regex routes that match it, in the order of the file. Of
// routes with one prefix, those without a host apply first, then wider names, then narrower ones,
// then the exact name; of these, those with fewer other conditions first; then as in the file.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/asked.hpp"
#include "config/config.hpp"
#include "config/inherit.hpp"
#include "config/sites.hpp"

namespace ticketgate::config {

class RouteIndex {
 public:
    explicit RouteIndex(const Config& config);
    ~RouteIndex();
    RouteIndex(RouteIndex&&) noexcept;
    RouteIndex& operator=(RouteIndex&&) noexcept;

    struct Match {
        /// A prefix route that stands for itself and all around it, 0 to prefix_count() - 1; -1:
        /// none does.
        int prefix = -1;
        std::vector<std::uint16_t> regexes;  ///< regex routes in the order of the file
        /// Where `prefix` is -1: the prefix routes, by their places in the file, in the order in
        /// which they apply.
        std::vector<std::uint16_t> prefixes = {};
        /// A header field that a route asks for has several readings, of which some fulfil it.
        bool unclear = false;

        bool matched() const { return prefix >= 0 || !regexes.empty() || !prefixes.empty(); }
        auto operator<=>(const Match&) const = default;
    };

    /// Of a request without a host.
    Match match(std::string_view normal_path) const;
    Match match(const Asked& asked) const;
    /// Matches a request to the first host and the first listener that `when` lists.
    Match match_as(const Conditions& when, std::string_view path, std::string_view method) const;
    /// The same with the first method that `when` lists; empty: any.
    Match match_as(const Conditions& when, std::string_view path) const;
    /// Of every request to which this route applies, as far as its conditions tell.
    Match match_within(std::size_t route) const;
    /// Are these the same routes?
    bool same(const Match& a, const Match& b) const;

    /// Does any route look at more than the path?
    bool has_conditions() const;
    bool has_hosts() const;
    /// Does a route name this host, given as a Host field?
    bool names_host(std::string_view host) const;
    /// The methods that routes name.
    const std::vector<std::string>& methods() const;
    /// Conditions of a route and of those around it; null: no request can fulfil them.
    const Conditions* conditions(std::size_t route) const;

    /// Returns the settings that apply. Without regexes, `prefix` determines them: cache them.
    Settings resolve(const Match& match) const;

    /// Returns the place that set each setting of resolve(match).
    std::vector<Origin> origins(const Match& match) const;

    /// Returns the routes of a match, in the order in which they apply.
    std::vector<const RouteNode*> routes(const Match& match) const;

    /// Returns the text of a prefix route, for labels and tests.
    std::string_view prefix(int index) const;

    std::size_t prefix_count() const;
    /// Can it be the `prefix` of a match?
    bool stands_alone(int prefix) const;

 private:
    struct Tables;
    Settings resolve_from(Settings lowest, const Match& match) const;
    std::unique_ptr<const Tables> tables_;
};

}  // namespace ticketgate::config

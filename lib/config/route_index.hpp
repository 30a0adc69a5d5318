// Finds the routes of a path, and the settings that apply. Built once from a Config, self-contained
// and immutable; any thread. Without regex routes, match() does not allocate; with them, RE2::Set
// allocates a little for each path.
//
// Effective settings = built-in defaults ← `defaults:` ← every prefix route that encloses the path
// by whole segments, outermost first ← the regex routes that match it, in the order of the file.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/inherit.hpp"

namespace ticketgate::config {

/// Matches whole segments: `/a` encloses `/a` and `/a/b`, not `/ab`; `/a/` encloses `/a/` and paths
/// below it; `/` encloses every path.
bool encloses(std::string_view prefix, std::string_view normal_path);

class RouteIndex {
 public:
    explicit RouteIndex(const Config& config);
    ~RouteIndex();
    RouteIndex(RouteIndex&&) noexcept;
    RouteIndex& operator=(RouteIndex&&) noexcept;

    struct Match {
        int prefix = -1;  ///< deepest prefix route, 0 to prefix_count() - 1; -1: none
        std::vector<std::uint16_t> regexes;  ///< regex routes in the order of the file

        bool matched() const { return prefix >= 0 || !regexes.empty(); }
        auto operator<=>(const Match&) const = default;
    };

    Match match(std::string_view normal_path) const;

    /// Returns the settings that apply. Without regexes, `prefix` determines them: cache them.
    Settings resolve(const Match& match) const;

    /// Returns the place that set each setting of resolve(match).
    std::vector<Origin> origins(const Match& match) const;

    /// Returns the routes of a match, in the order in which they apply.
    std::vector<const RouteNode*> routes(const Match& match) const;

    /// Returns the text of a prefix route, for labels and tests.
    std::string_view prefix(int index) const;

    std::size_t prefix_count() const;

 private:
    struct Tables;
    std::unique_ptr<const Tables> tables_;
};

}  // namespace ticketgate::config

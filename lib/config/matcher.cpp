#include "config/matcher.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "config/pattern.hpp"

namespace ticketgate::config {
namespace {

using Is = HeaderCondition::Is;

bool lists_method(const std::vector<std::string>& list, std::string_view method) {
    return std::ranges::any_of(list, [&](const auto& one) { return covers_method(one, method); });
}

template <class Items>
bool has(const Items& items, const auto& item) {
    return std::ranges::find(items, item) != items.end();
}

std::string joined(const std::vector<std::string_view>& values) {
    std::string out(values[0]);
    for (std::size_t i = 1; i < values.size(); ++i) out.append(", ").append(values[i]);
    return out;
}

}  // namespace

struct Matcher::Header {
    HeaderCondition asks;
    std::unique_ptr<const RE2> pattern;

    bool holds(std::string_view value) const {
        if (asks.is == Is::exactly) return value == asks.text;
        if (asks.is == Is::like) return RE2::PartialMatch(value, *pattern);
        return asks.is == Is::present;
    }
    bool holds_without() const { return asks.is == Is::absent; }
};

Matcher::Matcher(const Conditions& conditions) : conditions_(conditions), from_(conditions.from) {
    for (const auto& header : conditions.headers)
        headers_.push_back({header, header.is == Is::like ? std::make_unique<const RE2>(
                                                                header.text, pattern_options())
                                                          : nullptr});
}

Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;

// Servers take the first value, the last, each of them, or all with commas between them.
Holds Matcher::header_holds(const Header& header, const HeaderReadings& readings) const {
    const auto& values = readings.values;
    bool yes = false, no = false;
    const auto note = [&](bool held) { (held ? yes : no) = true; };
    if (values.empty() || readings.may_be_absent) note(header.holds_without());
    for (const auto value : values) {
        if (yes && no) return Holds::unclear;
        note(header.holds(value));
    }
    if (values.size() > 1) note(header.holds(joined(values)));
    return yes && no ? Holds::unclear : yes ? Holds::yes : Holds::no;
}

Holds Matcher::holds(const Asked& asked) const {
    if (!conditions_.listeners.empty() && !has(conditions_.listeners, asked.listener))
        return Holds::no;
    if (!conditions_.methods.empty() && !lists_method(conditions_.methods, asked.method))
        return Holds::no;
    if (conditions_.from.empty() && headers_.empty()) return Holds::yes;
    if (asked.circumstances == nullptr) return Holds::no;
    if (!conditions_.from.empty() && !from_.contains(asked.circumstances->client()))
        return Holds::no;
    Holds all = Holds::yes;
    for (const Header& header : headers_)
        all = both(all, header_holds(header, asked.circumstances->header(header.asks.name)));
    return all;
}

bool Matcher::follows_from(const Matcher& other) const {
    const Conditions &own = conditions_, &its = other.conditions_;
    const auto all_in = [](const auto& inner, const auto& outer, auto covered) {
        return outer.empty() || (!inner.empty() && std::ranges::all_of(inner, [&](const auto& one) {
                   return covered(outer, one);
               }));
    };
    const auto listed = [](const auto& list, const auto& one) { return has(list, one); };
    const auto all_headers =
        std::ranges::all_of(own.headers, [&](const auto& one) { return has(its.headers, one); });
    return all_headers && all_in(its.listeners, own.listeners, listed) &&
           all_in(its.methods, own.methods, lists_method) &&
           (own.from.empty() || (!its.from.empty() && from_.contains(other.from_)));
}

}  // namespace ticketgate::config

// The conditions of one route except its host, ready to be asked. Immutable; any thread.
#pragma once

#include <memory>
#include <vector>

#include "config/asked.hpp"
#include "config/conditions.hpp"
#include "config/networks.hpp"

namespace re2 {
class RE2;
}

namespace ticketgate::config {

/// `unclear`: servers may read the request in ways of which some fulfil the condition.
enum class Holds { no, yes, unclear };

inline Holds both(Holds a, Holds b) {
    if (a == Holds::no || b == Holds::no) return Holds::no;
    return a == Holds::unclear || b == Holds::unclear ? Holds::unclear : Holds::yes;
}

class Matcher {
 public:
    explicit Matcher(const Conditions& conditions);
    ~Matcher();
    Matcher(Matcher&&) noexcept;

    Holds holds(const Asked& asked) const;
    /// Does this condition hold for every request for which the other one does?
    bool follows_from(const Matcher& other) const;
    bool empty() const { return conditions_.others() == 0; }

 private:
    struct Header;
    Holds header_holds(const Header& header, const HeaderReadings& readings) const;

    Conditions conditions_;
    Networks from_;
    std::vector<Header> headers_;
};

}  // namespace ticketgate::config

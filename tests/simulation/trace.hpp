// What happened in a world, in order: a rolling hash always (two runs of one seed must agree), and
// lines on stdout when a person asked for one seed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "simulation/clock.hpp"

namespace ticketgate::sim {

class Trace {
 public:
    explicit Trace(bool print) : print_(print) {}

    /// `text` is called only if somebody reads it.
    template <class Text>
    void note(char who, std::uint64_t which, std::uint64_t what, Text text) {
        for (const std::uint64_t value : {std::uint64_t(who), which, what})
            hash_ = (hash_ ^ value) * 0x100000001b3u;
        if (print_) print(who, which, text());
    }
    std::uint64_t hash() const { return hash_; }
    bool prints() const { return print_; }
    std::uint64_t step = 0;

 private:
    void print(char who, std::uint64_t which, const std::string& text) const {
        std::printf("%6llu %12.6f  %c%llu  %s\n", static_cast<unsigned long long>(step),
                    to_s(clock.now - Clock::begin), who, static_cast<unsigned long long>(which),
                    text.c_str());
    }
    const bool print_;
    std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace ticketgate::sim

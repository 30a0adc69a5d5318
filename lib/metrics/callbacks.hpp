// Callbacks of one object in a registry: they leave it before the object does, also where its
// constructor fails halfway. A member of that object; the registry outlives it.
#pragma once

#include <utility>
#include <vector>

#include "metrics/registry.hpp"

namespace ticketgate::metrics {

class Callbacks {
 public:
    explicit Callbacks(Registry& registry) : registry_(registry) {}
    ~Callbacks() { clear(); }
    Callbacks(const Callbacks&) = delete;
    Callbacks& operator=(const Callbacks&) = delete;

    /// Where there is no memory to note it, it leaves the registry at once.
    void add(const Callback& one) { note(callbacks_, one); }
    void add(const Refresh& one) { note(refreshes_, one); }

    void clear() {
        for (const Refresh* const one : std::exchange(refreshes_, {})) registry_.remove(*one);
        for (const Callback* const one : std::exchange(callbacks_, {})) registry_.remove(*one);
    }

 private:
    template <class One>
    void note(std::vector<const One*>& all, const One& one) {
        try {
            all.push_back(&one);
        } catch (...) {
            registry_.remove(one);
            throw;
        }
    }
    Registry& registry_;
    std::vector<const Refresh*> refreshes_;
    std::vector<const Callback*> callbacks_;
};

}  // namespace ticketgate::metrics

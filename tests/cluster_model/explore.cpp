// Tries every order of events on a small cluster, breadth first, so that the way to a fault is the
// shortest one.
//
//   tg_cluster_model [--workers] [--fine] [--replicas N] [--epochs N] [--crashes N] [--drains N]
//                    [--losses N] [--unlists N] [--most N]
//
// The numbers bound the faults that may happen (world.hpp). Exit 0: no order breaks a promise. 1:
// the way to one that does is printed. 2: usage, or more worlds than --most (0: no limit).
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <unordered_set>

#include "cluster_model/world.hpp"

namespace {

using ticketgate::cluster::model::Limits;
using ticketgate::cluster::model::Step;
using ticketgate::cluster::model::World;

// How a world was reached.
struct Way {
    std::uint32_t from;
    Step step;
};

struct Explorer {
    Limits limits;
    std::uint64_t most = 0;
    std::unordered_set<std::string> known{};
    std::deque<std::pair<World, std::uint32_t>> open{};
    std::vector<Way> ways{};

    void print(std::uint32_t at, const std::string& what) const {
        std::vector<std::string> steps;
        for (; at != 0; at = ways[at].from) steps.push_back(to_string(ways[at].step));
        std::printf("%s after %zu steps:\n", what.c_str(), steps.size());
        for (auto it = steps.rbegin(); it != steps.rend(); ++it) std::printf("  %s\n", it->c_str());
    }

    bool step(const World& from, std::uint32_t at, const Step& step) {
        World next = from;
        const std::string broken = next.take(step, limits);
        if (broken.empty() && !known.insert(next.image()).second) return true;
        ways.push_back({at, step});
        const auto here = static_cast<std::uint32_t>(ways.size() - 1);
        if (!broken.empty()) return print(here, broken), false;
        open.emplace_back(std::move(next), here);
        return true;
    }

    int run() {
        World first(limits);
        known.insert(first.image());
        ways.push_back({0, {}});
        open.emplace_back(std::move(first), 0);
        while (!open.empty()) {
            const auto [world, at] = std::move(open.front());
            open.pop_front();
            for (const Step& each : world.possible(limits))
                if (!step(world, at, each)) return 1;
            if (most != 0 && known.size() > most) {
                std::printf("more than %llu worlds\n", static_cast<unsigned long long>(most));
                return 2;
            }
        }
        std::printf("%zu worlds, none broken\n", known.size());
        return 0;
    }
};

template <class T>
bool number(const char* text, T& into) {
    return text != nullptr &&
           std::from_chars(text, text + std::strlen(text), into).ec == std::errc();
}

bool option(Explorer& explorer, const char* name, const char* value) {
    const std::string_view key = name;
    if (key == "--replicas") return number(value, explorer.limits.replicas);
    if (key == "--epochs") return number(value, explorer.limits.epochs);
    if (key == "--crashes") return number(value, explorer.limits.crashes);
    if (key == "--drains") return number(value, explorer.limits.drains);
    if (key == "--losses") return number(value, explorer.limits.losses);
    if (key == "--unlists") return number(value, explorer.limits.unlists);
    return key == "--most" && number(value, explorer.most);
}

}  // namespace

int main(int count, char** arguments) {
    Explorer explorer{{}};
    for (int i = 1; i < count; ++i) {
        if (std::string_view(arguments[i]) == "--workers") {
            explorer.limits.workers = true;
        } else if (std::string_view(arguments[i]) == "--fine") {
            explorer.limits.fine = true;
        } else if (i + 1 == count || !option(explorer, arguments[i], arguments[i + 1])) {
            std::fprintf(stderr, "tg_cluster_model: %s: see explore.cpp\n", arguments[i]);
            return 2;
        } else {
            ++i;
        }
    }
    const int code = explorer.run();
    if (code != 1) return code;
    std::fprintf(stderr, "replay: tg_cluster_model");
    for (int i = 1; i < count; ++i) std::fprintf(stderr, " %s", arguments[i]);
    std::fprintf(stderr, "\n");
    return code;
}

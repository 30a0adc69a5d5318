// Every path of a few pieces: tg_path_model --pieces N, or tg_path_model PATH... Exits with 1 at
// the first that breaks the promise of routing (promise.hpp).
#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "path_model/promise.hpp"

namespace {

// Those that servers read differently, and two plain segments, of which each has a route.
constexpr std::array<std::string_view, 13> pieces{"/",   "q",  "x",   "..", ".",   "%2e", "%2F",
                                                  "%5C", "\\", "%71", ";",  "%25", "%0a"};

bool keeps(const std::string& path) {
    const std::string broken = ticketgate::paths::broken_by(path);
    if (broken.empty()) return true;
    std::fprintf(stderr, "broken: %s\nreplay: tg_path_model '%s'\n", broken.c_str(), path.c_str());
    return false;
}

// Each path with up to `left` more pieces.
bool keeps_behind(const std::string& path, int left, unsigned long& seen) {
    ++seen;
    if (!keeps(path)) return false;
    if (left == 0) return true;
    for (const std::string_view piece : pieces)
        if (!keeps_behind(path + std::string(piece), left - 1, seen)) return false;
    return true;
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::string_view(words[1]) == "--pieces") {
        const std::string_view text = words[2];
        int most = -1;
        const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), most);
        if (wrong != std::errc() || end != text.data() + text.size() || most < 0 || most > 9)
            return std::fprintf(stderr, "--pieces N: 0 to 9\n"), 2;
        unsigned long seen = 0;
        if (!keeps_behind("/", most, seen)) return 1;
        std::printf("%lu paths\n", seen);
        return 0;
    }
    if (count < 2) return std::fprintf(stderr, "tg_path_model --pieces N | PATH...\n"), 2;
    for (int i = 1; i < count; ++i)
        if (!keeps(words[i])) return 1;
    return 0;
}

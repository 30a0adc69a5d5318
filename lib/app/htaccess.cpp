#include "app/htaccess.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace ticketgate {
namespace {

using Words = std::vector<std::string>;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// In lower case, without quotes; of a section without its brackets, but for the first.
Words words_of(std::string_view line) {
    Words out;
    bool begins = true;
    for (const char c : line) {
        if (is_blank(c) || c == '>') {
            begins = true;
            continue;
        }
        if (std::exchange(begins, false)) out.emplace_back();
        if (c != '"') out.back() += to_lower(c);
    }
    return out;
}

template <std::size_t size>
bool is_one(std::string_view word, const std::array<std::string_view, size>& known) {
    return std::ranges::find(known, word) != known.end();
}

bool means_every_file(std::string_view pattern) {
    constexpr std::array<std::string_view, 9> every{"*",    ".*", ".",    "^",     "^.*",
                                                    "^.*$", "",   "(.*)", "^(.*)$"};
    return is_one(pattern, every);
}

// The rules that hold for the folder itself, or those that hold for some of its files.
struct Scope {
    bool refuses = false, grants = false, by_order = false, allows = false;

    bool closed() const { return (refuses || (by_order && !allows)) && !grants; }
};

class Rules {
 public:
    void read(const Words& words) {
        if (words.empty() || words.front().starts_with('#')) return;
        if (words.front().starts_with('<')) return section(words);
        if (exempts_) return;
        access(words, of_files_ ? files_ : folder_);
        rewrite(words);
    }
    Guarded found() const {
        if (folder_.closed()) return files_.grants ? Guarded::some : Guarded::all;
        return files_.closed() || some_ ? Guarded::some : Guarded::nothing;
    }

 private:
    void section(const Words& words) {
        const std::string& name = words.front();
        if (name == "</files" || name == "</filesmatch") of_files_ = false;
        if (name == "<files" || name == "<filesmatch")
            of_files_ = words.size() < 2 || !means_every_file(words.back());
        if (name == "<limitexcept") exempts_ = true;
        if (name == "</limitexcept") exempts_ = false;
    }
    static void access(const Words& words, Scope& scope) {
        constexpr std::array<std::string_view, 7> who{"local", "ip",    "host", "valid-user",
                                                      "user",  "group", "not"};
        const auto word = [&](std::size_t i) {
            return i < words.size() ? std::string_view(words[i]) : std::string_view();
        };
        const auto name = word(0);
        if (name == "require" && word(1) == "all") {
            scope.refuses |= word(2) == "denied";
            scope.grants |= word(2) == "granted";
        }
        if (name == "require") scope.refuses |= is_one(word(1), who);
        if (name == "deny") scope.refuses |= word(1) == "from";
        if (name == "allow") scope.allows |= word(1) == "from";
        if (name == "allow") scope.grants |= word(2) == "all";
        if (name == "order") scope.by_order |= word(1) == "allow,deny";
    }
    void rewrite(const Words& words) {
        const std::string& name = words.front();
        if (name == "rewritecond") asks_ = true;
        if (name == "rewriterule" && words.size() > 3 && forbids(words.back()))
            refuse(!asks_ && means_every_file(words[1]));
        if (name == "rewriterule") asks_ = false;
        constexpr std::array<std::string_view, 4> refusals{"403", "404", "410", "gone"};
        if ((name == "redirect" || name == "redirectmatch") && words.size() > 2 &&
            is_one(words[1], refusals))
            refuse(means_every_file(words[2]) || words[2] == "/");
    }
    // The flags of a rule, such as `[f,l]`.
    static bool forbids(std::string flags) {
        if (!flags.starts_with('[')) return false;
        for (char& c : flags)
            if (c == '[' || c == ']') c = ',';
        constexpr std::array<std::string_view, 6> refusals{",f,",    ",forbidden,", ",g,",
                                                           ",gone,", ",r=403,",     ",r=404,"};
        return std::ranges::any_of(
            refusals, [&](std::string_view one) { return flags.find(one) != flags.npos; });
    }
    void refuse(bool all) { (all && !of_files_ ? folder_.refuses : some_) = true; }

    Scope folder_, files_;
    bool of_files_ = false, exempts_ = false, asks_ = false, some_ = false;
};

}  // namespace

Guarded guarded_by(std::string rules) {
    for (std::size_t at = 0; (at = rules.find("\\\n", at)) != rules.npos;)
        rules.replace(at, 2, "  ");
    Rules out;
    for (std::string_view left = rules; !left.empty();) {
        const auto end = std::min(left.find('\n'), left.size());
        out.read(words_of(left.substr(0, end)));
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return out.found();
}

}  // namespace ticketgate

#include "config/regex_sample.hpp"

#include <algorithm>

namespace ticketgate::config {
namespace {

class Sampler {
 public:
    explicit Sampler(std::string_view regex) : left_(regex) {}

    std::string sample() {
        while (!left_.empty()) step(take());
        return out_;
    }

 private:
    char take() {
        const char first = left_.front();
        left_.remove_prefix(1);
        return first;
    }
    void skip_past(char end) {
        left_.remove_prefix(std::min(left_.find(end), left_.size() - 1) + 1);
    }

    void step(char c) {
        switch (c) {
            case '^':
            case '$':
            case ')':
            case '*':
            case '+':
            case '?':
                return;
            case '.':
                out_ += 'x';
                return;
            case '\\':
                return escape();
            case '[':
                return one_of();
            case '{':
                return left_.empty() ? void() : skip_past('}');
            case '(':
                return open();
            case '|':
                return skip_choices();
            default:
                out_ += c;
        }
    }
    void escape() {
        if (left_.empty()) return;
        const char c = take();
        const auto letter = std::string_view("dwWDsSbBAz").find(c);
        if (letter == std::string_view::npos)
            out_ += c;
        else if (letter < 4)
            out_ += letter == 3 ? 'x' : '1';
    }
    void one_of() {
        if (left_.empty()) return;
        const char first = take();
        out_ += first == '^' ? 'x' : first;
        if (!left_.empty()) skip_past(']');
    }
    // A group may begin with flags: `(?i)`, `(?:`.
    void open() {
        if (!left_.starts_with('?')) return;
        const auto end = left_.find_first_of(":)>");
        left_.remove_prefix(std::min(end, left_.size() - 1) + 1);
    }
    void skip_choices() {
        int depth = 1;
        while (!left_.empty() && depth != 0) {
            const char c = take();
            if (c == '\\' && !left_.empty()) take();
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
    }

    std::string_view left_;
    std::string out_;
};

}  // namespace

std::string sample_of(std::string_view regex) {
    return Sampler(regex).sample();
}

std::string quoted(std::string_view prefix) {
    std::string out;
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    for (const char c : prefix) {
        if (std::string_view("\\.^$|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

}  // namespace ticketgate::config

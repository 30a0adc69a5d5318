#include "config/problem.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ticketgate::config {

std::string print(const Problem& problem) {
    std::string out = problem.file;
    if (problem.line != 0)
        out += ':' + std::to_string(problem.line) + ':' + std::to_string(problem.column);
    out += problem.warning ? ": warning: " : ": ";
    if (!problem.path.empty()) out += problem.path + ": ";
    out += problem.message;
    // The message may contain bytes of the file: they must not control the terminal.
    const auto control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(out.begin(), out.end(), control, '?');
    return out;
}

bool has_errors(const std::vector<Problem>& problems) {
    return std::any_of(problems.begin(), problems.end(),
                       [](const Problem& p) { return !p.warning; });
}

void sort(std::vector<Problem>& problems) {
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
}

void Problems::add(std::vector<Problem> problems) {
    for (Problem& problem : problems) {
        if (!knows(problem.path)) continue;
        if (!problem.warning) unread_.add(problem.path);
        list_.push_back(std::move(problem));
    }
}

void Problems::error(const Mark& at, std::string path, std::string message) {
    add({{at.file, at.line, at.column, std::move(path), std::move(message), false}});
}

void Problems::warn(const Mark& at, std::string path, std::string message) {
    add({{at.file, at.line, at.column, std::move(path), std::move(message), true}});
}

std::vector<Problem> Problems::take() {
    sort(list_);
    return std::exchange(list_, {});
}

std::string hint(std::string_view near) {
    return near.empty() ? "" : "; did you mean " + std::string(near) + "?";
}

}  // namespace ticketgate::config

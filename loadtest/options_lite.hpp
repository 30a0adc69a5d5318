#pragma once
// Command line of the load tools: `--name value`, `--flag`, and words. Unknown names end the tool
// with its usage, so a mistyped limit never measures something else.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "http_lite.hpp"

namespace loadtest {

class Options {
 public:
    // `usage` names every option as "--name VALUE" or "[--flag]"; it defines the known options.
    Options(int argc, char** argv, std::string_view usage) : usage_{usage} {
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = argv[i];
            if (!word.starts_with("--")) {
                words_.emplace_back(word);
            } else if (usage.find("[" + std::string{word} + "]") != std::string_view::npos) {
                values_[std::string{word}] = "1";
            } else if (usage.find(std::string{word} + " ") == std::string_view::npos ||
                       i + 1 == argc) {
                stop(word);
            } else {
                values_[std::string{word}] = argv[++i];
            }
        }
    }

    std::string text(const std::string& name, std::string otherwise = {}) const {
        const auto found = values_.find(name);
        return found == values_.end() ? otherwise : found->second;
    }
    std::uint64_t number(const std::string& name, std::uint64_t otherwise = 0) const {
        return to_number(text(name), otherwise);
    }
    bool given(const std::string& name) const { return values_.contains(name); }
    const std::vector<std::string>& words() const { return words_; }

    [[noreturn]] void stop(std::string_view word) const {
        std::fprintf(stderr, "not understood: %s\n%s\n", std::string{word}.c_str(),
                     std::string{usage_}.c_str());
        std::exit(2);
    }

 private:
    std::string_view usage_;
    std::map<std::string, std::string> values_;
    std::vector<std::string> words_;
};

}  // namespace loadtest

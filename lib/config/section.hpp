// Reads one map of the file against its section of keys.hpp. The constructor reports unknown keys,
// read_all() reads keys bound to the struct, and take() serves the rest. A key that no code reads
// aborts the program: so the table and the parser cannot drift apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys.hpp"
#include "config/overrides.hpp"
#include "config/values.hpp"

namespace ticketgate::config {

class SectionReader {
 public:
    SectionReader(const Node& node, Section section, std::string path, Reading& reading);
    ~SectionReader();
    SectionReader(const SectionReader&) = delete;
    SectionReader& operator=(const SectionReader&) = delete;

    /// Returns the value of a key that is read by hand; null if it is absent.
    const Entry* take(std::string_view name);

    /// Reads every key that is bound to a field of `T` and has not been read yet. A field keeps its
    /// value if its key is absent or invalid (which is reported).
    template <class T>
    void read_all(T& out) {
        read_all(model_type<T>(), &out);
    }

    /// Reads one key in the same way.
    template <class T>
    void read(std::string_view name, T& out) {
        read(key(name), model_type<T>(), &out);
    }

    std::string path_of(std::string_view name) const;
    const Key& key(std::string_view name) const { return *find_key(section_, name); }
    Reading& reading() { return reading_; }
    /// The key is there, or a misspelt one that is most like it.
    bool has(std::string_view name) const;

 private:
    void read_all(ModelType type, void* out);
    void read(const Key& key, ModelType type, void* out);

    const Node& node_;
    Section section_;
    std::string path_;
    Reading& reading_;
    const int exceptions_;            // that pass at construction
    std::vector<bool> asked_;         // by position in the table
    std::vector<std::string> meant_;  // by misspelt keys, which are not missing too
};

/// Returns `a.b`, or `b` at the top.
std::string join(std::string_view path, std::string_view name);

}  // namespace ticketgate::config

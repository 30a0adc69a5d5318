// One map of the file, read against its section of keys.hpp. Unknown keys are told when it begins;
// each read() takes one key. A key of the table that nobody read, or a read() of a key that the
// table does not have, is our bug and ends the program: so the table, the parser and the schema
// cannot drift apart.
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

    /// The value of the key, for those that are read by hand; null when it is not there.
    const Entry* take(std::string_view name);

    /// A plain value: left as it is when the key is not there, or wrong (which is then told).
    template <class T>
    void read(std::string_view name, T& out) {
        if (const Entry* entry = take(name))
            (void)read_entry(*entry, name, out);  // a problem says why not
    }

    /// A value that a route may leave out: notes the place even when the value is wrong, so that
    /// nobody calls it missing.
    template <class T>
    void read(std::string_view name, Setting<T>& out) {
        const Entry* entry = take(name);
        if (entry == nullptr) return;
        out.mark = entry->mark;
        T value{};
        if (read_entry(*entry, name, value)) out.value = std::move(value);
    }

    std::string path_of(std::string_view name) const;
    const Key& key(std::string_view name) const { return *find_key(section_, name); }
    Reading& reading() { return reading_; }
    bool is_map() const { return node_.kind == Node::Kind::map; }

 private:
    template <class T>
    bool read_entry(const Entry& entry, std::string_view name, T& out) {
        const std::string path = path_of(name);
        const Value value{entry.value, *find_key(section_, name), path, reading_};
        return config::read(value, out);
    }

    const Node& node_;
    Section section_;
    std::string path_;
    Reading& reading_;
    std::vector<bool> asked_;  // by position in the table
};

/// `a.b`, or `b` at the top.
std::string join(std::string_view path, std::string_view name);

}  // namespace ticketgate::config

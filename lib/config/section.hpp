// One map of the file, read against its section of keys.hpp. Unknown keys are told when it begins;
// read_all() reads what is bound to the struct, and the rest is taken by hand. A key of the table
// that nobody read is our bug and ends the program: so the table and the parser cannot drift apart.
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

    /// Reads every key that is bound to a field of `T` and was not read before. A field is left as
    /// it is when its key is not there, or wrong (which is then told).
    template <class T>
    void read_all(T& out) {
        read_all(model_type<T>(), &out);
    }

    /// The same for one key.
    template <class T>
    void read(std::string_view name, T& out) {
        read(key(name), model_type<T>(), &out);
    }

    std::string path_of(std::string_view name) const;
    const Key& key(std::string_view name) const { return *find_key(section_, name); }
    Reading& reading() { return reading_; }

 private:
    void read_all(ModelType type, void* out);
    void read(const Key& key, ModelType type, void* out);

    const Node& node_;
    Section section_;
    std::string path_;
    Reading& reading_;
    std::vector<bool> asked_;  // by position in the table
};

/// `a.b`, or `b` at the top.
std::string join(std::string_view path, std::string_view name);

}  // namespace ticketgate::config

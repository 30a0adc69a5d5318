// Iterates over the settings of a route in the order of the table, without those of `ids.other`.
#pragma once

#include <string>
#include <string_view>

#include "config/keys.hpp"
#include "config/overrides.hpp"

namespace ticketgate::config {

/// One setting: a row of the table, and the structs that hold its field.
struct Walked {
    const Key& key;
    std::string_view above;  ///< `on_full.`; empty for a setting outside a section
    const void* said;
    void* field;

    std::string name() const { return std::string(above) + std::string(key.name); }
    const Mark& mark() const { return key.bound.mark(said); }
    void inherit() const { key.bound.inherit(said, field); }
    std::string spell() const { return key.bound.field.spell(key, field); }
};

/// Calls use(Walked) for each setting of `section`: first for single values, then for those in
/// sections below. `said` and `field` are the two forms of its struct.
template <class Use>
void walk(Section section, const void* said, void* field, const Use& use,
          const std::string& above = {}) {
    for (const Key& key : keys_of(section))
        if (key.bound.inherit != nullptr) use(Walked{key, above, said, field});
    for (const Key& key : keys_of(section))
        if (key.kind == Kind::section && key.bound.said.inside != nullptr)
            walk(key.section, key.bound.said.inside(said),
                 const_cast<void*>(key.bound.field.inside(field)), use,
                 above + std::string(key.name) + ".");
}

/// Calls use(name, overrides, effective) for each answer, such as `on_full`.
template <class Use>
void for_each_answer(const RouteOverrides& said, const Settings& settings, Use use) {
    for (const Key& key : keys_of(Section::settings))
        if (key.section == Section::answer)
            use(key.name, *static_cast<const AnswerOverrides*>(key.bound.said.inside(&said)),
                *static_cast<const Answer*>(key.bound.field.inside(&settings)));
}

}  // namespace ticketgate::config

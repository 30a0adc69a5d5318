// How a row of the table reaches its field in the model: functions without the field's type, made
// from pointers to members in rows.hpp.
#pragma once

#include <memory>
#include <string>

#include "config/forms.hpp"

namespace ticketgate::config {

struct Key;
struct Value;

/// Stands for one type of the model.
using ModelType = const void*;

template <class T>
inline constexpr char model_tag = 0;

template <class T>
constexpr ModelType model_type() {
    return &model_tag<T>;
}

/// A field of the struct that `owner` stands for. Each function takes a pointer to such a struct.
struct Binding {
    ModelType owner = nullptr;  ///< null: the row has no field
    /// Value of the file → field. False after a problem was told; the field is then as before.
    bool (*read)(const Value& value, void* owner) = nullptr;
    /// Field → its spelling in the file; null for sections.
    std::string (*spell)(const Key& key, const void* owner) = nullptr;
    /// The struct below a section. Of an optional section, a list or a map: one with all defaults.
    const void* (*inside)(const void* owner) = nullptr;
    /// A struct with all defaults.
    std::shared_ptr<void> (*make)() = nullptr;
};

/// The fields of a row. A setting of routes has two: the merged one and what a route says.
struct Bindings {
    Binding field = {}, said = {};
    /// Replaces the merged value where the route gives one.
    void (*inherit)(const void* said, void* field) = nullptr;
    const Mark& (*mark)(const void* said) = nullptr;  ///< where the route gives one

    /// The field in a struct of that type; null when there is none.
    const Binding* in(ModelType type) const {
        if (type == field.owner) return &field;
        return type == said.owner ? &said : nullptr;
    }
};

}  // namespace ticketgate::config

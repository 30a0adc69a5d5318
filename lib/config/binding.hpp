// Binds a row of the table to its field in the model, with functions that do not need the field's
// type. rows.hpp makes them from pointers to members.
#pragma once

#include <memory>
#include <string>

#include "config/forms.hpp"

namespace ticketgate::config {

struct Key;
struct Value;

/// Identifies a type of the model.
using ModelType = const void*;

template <class T>
inline constexpr char model_tag = 0;

template <class T>
constexpr ModelType model_type() {
    return &model_tag<T>;
}

/// Binds to a field of the struct type `owner`. Each function takes a pointer to such a struct.
struct Binding {
    ModelType owner = nullptr;  ///< null: the row has no field
    /// Reads a value of the file. On failure, reports it, returns false and keeps the field.
    bool (*read)(const Value& value, void* owner) = nullptr;
    /// Prints the field as the file spells it; null for sections.
    std::string (*spell)(const Key& key, const void* owner) = nullptr;
    /// Returns the struct below a section; for an optional, a list or a map: one with all defaults.
    const void* (*inside)(const void* owner) = nullptr;
    /// Makes a struct with all defaults.
    std::shared_ptr<void> (*make)() = nullptr;
};

/// The fields of a row. A setting of routes has two: the merged value and one route's value.
struct Bindings {
    Binding field = {}, said = {};
    /// Replaces the merged value if the route gives one.
    void (*inherit)(const void* said, void* field) = nullptr;
    const Mark& (*mark)(const void* said) = nullptr;  ///< its place in the file

    /// Returns the field in a struct of that type; null if there is none.
    const Binding* in(ModelType type) const {
        if (type == field.owner) return &field;
        return type == said.owner ? &said : nullptr;
    }
};

}  // namespace ticketgate::config

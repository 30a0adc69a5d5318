// Building blocks for the rows of keys_*.cpp. `field<&Clients::max_uri>` binds a row to that field,
// `setting<...>` to both forms of a setting of routes.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include "config/keys.hpp"
#include "config/parse.hpp"
#include "config/spell.hpp"

namespace ticketgate::config {

inline constexpr std::uint64_t kib = 1024, mib = kib * 1024, gib = mib * 1024, tib = gib * 1024;

namespace binding {

template <auto First, auto... Rest>
auto& reach(auto& owner) {
    if constexpr (sizeof...(Rest) == 0)
        return owner.*First;
    else
        return reach<Rest...>(owner.*First);
}

template <auto... Path>
struct Owned;

template <class Type, class T, T Type::*First, auto... Rest>
struct Owned<First, Rest...> {
    using Owner = Type;
};

template <auto... Path>
using OwnerOf = typename Owned<Path...>::Owner;

template <auto... Path>
using FieldOf =
    std::remove_reference_t<decltype(reach<Path...>(std::declval<OwnerOf<Path...>&>()))>;

template <class Owner, auto... Path>
std::string spell_field(const Key& key, const void* owner) {
    return spell(key, reach<Path...>(*static_cast<const Owner*>(owner)));
}

template <class Owner>
std::shared_ptr<void> make_owner() {
    return std::make_shared<Owner>();
}

/// `Read` takes the value and the whole struct.
template <class Owner, auto Read, auto... Path>
constexpr Binding bind_whole() {
    return {
        .owner = model_type<Owner>(),
        .read = [](const Value& v, void* owner) { return Read(v, *static_cast<Owner*>(owner)); },
        .spell = spell_field<Owner, Path...>,
        .make = make_owner<Owner>};
}

template <auto... Path>
bool read_field(const Value& value, OwnerOf<Path...>& owner) {
    return read(value, reach<Path...>(owner));
}

template <auto Read, auto... Path>
bool read_with(const Value& value, OwnerOf<Path...>& owner) {
    return Read(value, reach<Path...>(owner));
}

template <auto... Path>
constexpr Binding bind_field() {
    return bind_whole<OwnerOf<Path...>, read_field<Path...>, Path...>();
}

// Returns the section's struct: the field, or a default element of an optional, list or map.
template <class T>
const void* below(const T& field) {
    if constexpr (requires { typename T::mapped_type; }) {
        static const typename T::mapped_type fresh{};
        return &fresh;
    } else if constexpr (requires { typename T::value_type; }) {
        static const typename T::value_type fresh{};
        return &fresh;
    } else {
        return &field;
    }
}

template <class T>
bool read_part(const Value& value, T& out) {
    return read_section(value, out);
}

template <class T>
bool read_named_parts(const Value& value, T& out) {
    return read_named(value, out);
}

template <auto Read, auto... Path>
constexpr Binding bind_section() {
    using Owner = OwnerOf<Path...>;
    return {.owner = model_type<Owner>(),
            .read =
                [](const Value& value, void* owner) {
                    return Read(value, reach<Path...>(*static_cast<Owner*>(owner)));
                },
            .inside =
                [](const void* owner) {
                    return below(reach<Path...>(*static_cast<const Owner*>(owner)));
                },
            .make = make_owner<Owner>};
}

template <auto Field, auto SaidField>
void inherit_field(const void* said, void* field) {
    const auto& given = static_cast<const OwnerOf<SaidField>*>(said)->*SaidField;
    if (given.value) static_cast<OwnerOf<Field>*>(field)->*Field = *given.value;
}

template <auto SaidField>
const Mark& mark_field(const void* said) {
    return (static_cast<const OwnerOf<SaidField>*>(said)->*SaidField).mark;
}

// Binds the form that routes give; never printed in that form.
template <auto SaidField>
constexpr Binding bind_said() {
    return {.owner = model_type<OwnerOf<SaidField>>(),
            .read =
                [](const Value& value, void* owner) {
                    return read(value, static_cast<OwnerOf<SaidField>*>(owner)->*SaidField);
                },
            .make = make_owner<OwnerOf<SaidField>>};
}

}  // namespace binding

template <auto... Path>
inline constexpr Bindings field{.field = binding::bind_field<Path...>()};

/// A field with its own reader.
template <auto Read, auto... Path>
inline constexpr Bindings field_by{
    .field = binding::bind_whole<binding::OwnerOf<Path...>, binding::read_with<Read, Path...>,
                                 Path...>()};

/// A field that `Read` fills together with other fields of the struct.
template <class Owner, auto Read, auto... Path>
inline constexpr Bindings filled_by{.field = binding::bind_whole<Owner, Read, Path...>()};

template <auto Field, auto SaidField>
inline constexpr Bindings setting{.field = binding::bind_field<Field>(),
                                  .said = binding::bind_said<SaidField>(),
                                  .inherit = binding::inherit_field<Field, SaidField>,
                                  .mark = binding::mark_field<SaidField>};

/// A struct below a key.
template <auto... Path>
inline constexpr Bindings part{
    .field = binding::bind_section<binding::read_part<binding::FieldOf<Path...>>, Path...>()};

/// A struct below a key of a route.
template <auto Field, auto SaidField>
inline constexpr Bindings setting_part{
    .field = binding::bind_section<binding::read_part<binding::FieldOf<Field>>, Field>(),
    .said = binding::bind_section<binding::read_part<binding::FieldOf<SaidField>>, SaidField>()};

template <auto Field>
inline constexpr Bindings named_parts{
    .field = binding::bind_section<binding::read_named_parts<binding::FieldOf<Field>>, Field>()};

/// A list, or another form of section that `Read` reads.
template <auto Read, auto Field>
inline constexpr Bindings part_by{.field = binding::bind_section<Read, Field>()};

constexpr Key plain(std::string_view name, Kind kind, Bindings bound, std::string_view why) {
    return {.name = name, .kind = kind, .why = why, .bound = bound};
}

constexpr Key flag(std::string_view name, Bindings bound, std::string_view why) {
    return plain(name, Kind::flag, bound, why);
}

constexpr Key number(std::string_view name, Kind kind, Bindings bound, std::uint64_t min,
                     std::uint64_t max, std::string_view why, std::string_view word) {
    Key key = plain(name, kind, bound, why);
    key.min = min;
    key.max = max;
    key.word = word;
    return key;
}

constexpr Key duration(std::string_view name, Bindings bound, std::string_view why,
                       std::string_view word = {}, std::uint64_t min = 1) {
    return number(name, Kind::duration, bound, min, year_ms, why, word);
}

constexpr Key size(std::string_view name, Bindings bound, std::string_view why,
                   std::uint64_t min = 0, std::uint64_t max = 1024 * tib) {
    return number(name, Kind::size, bound, min, max, why, {});
}

constexpr Key count(std::string_view name, Bindings bound, std::uint64_t min, std::uint64_t max,
                    std::string_view why, std::string_view word = {}) {
    return number(name, Kind::count, bound, min, max, why, word);
}

constexpr Key choice(std::string_view name, Bindings bound, std::string_view choices,
                     std::string_view why) {
    Key key = plain(name, Kind::choice, bound, why);
    key.choices = choices;
    return key;
}

constexpr Key nested(std::string_view name, Kind kind, Section section, Bindings bound,
                     std::string_view why) {
    Key key = plain(name, kind, bound, why);
    key.section = section;
    return key;
}

/// Another key that fills the field of `other`.
constexpr Key instead_of(std::string_view other, std::string_view name, Kind kind,
                         std::string_view why) {
    Key key = plain(name, kind, {}, why);
    key.same_as = other;
    return key;
}

constexpr Key required(Key key) {
    key.required = true;
    return key;
}

constexpr Key required_unless(std::string_view other, Key key) {
    key.unless = other;
    return required(key);
}

/// Has no fixed default: it depends on the section's position.
constexpr Key varying(Key key) {
    key.varies = true;
    return key;
}

/// The example has it commented out.
constexpr Key commented(Key key) {
    key.commented = true;
    return key;
}

constexpr Key like(std::string_view example, Key key) {
    key.example = example;
    return key;
}

template <std::size_t A, std::size_t B>
constexpr auto both(const std::array<Key, A>& a, const std::array<Key, B>& b) {
    std::array<Key, A + B> all{};
    std::copy(a.begin(), a.end(), all.begin());
    std::copy(b.begin(), b.end(), all.begin() + A);
    return all;
}

}  // namespace ticketgate::config

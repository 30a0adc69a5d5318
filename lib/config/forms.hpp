// The two forms of a struct of settings. `Whole` has a value in each field; `Said` has the values
// that one place of the file gives, if any. A struct that routes inherit is a template of its form,
// so its fields are listed only once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ticketgate::config {

/// The place that set a value; line 0: a built-in default.
struct Mark {
    std::string file;
    std::uint32_t line = 0, column = 0;
    bool operator==(const Mark&) const = default;
};

/// A setting that one route (or `defaults:`) may leave out.
template <class T>
struct Setting {
    std::optional<T> value;  ///< absent: inherited
    Mark mark;               ///< its place; line 0: not in the file

    bool given() const { return mark.line != 0; }
    bool operator==(const Setting&) const = default;
};

/// Every field has a value, initially its default.
struct Whole {
    template <class T>
    using Field = T;
    template <class T>
    using WholeOnly = T;
    template <class T>
    static T initial(T value) {
        return value;
    }
};

/// Every field may be absent, and initially is.
struct Said {
    struct Nothing {
        bool operator==(const Nothing&) const = default;
    };
    struct Absent {
        template <class T>  // NOLINTNEXTLINE(google-explicit-constructor): an initial value
        operator Setting<T>() const {
            return {};
        }
    };
    template <class T>
    using Field = Setting<T>;
    template <class T>
    using WholeOnly = Nothing;
    template <class T>
    static Absent initial(const T&) {
        return {};
    }
};

template <class Form, class T>
using In = typename Form::template Field<T>;

/// A field that routes cannot set.
template <class Form, class T>
using WholeOnly = typename Form::template WholeOnly<T>;

}  // namespace ticketgate::config

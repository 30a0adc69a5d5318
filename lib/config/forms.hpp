// The two forms of a struct of settings: `Whole` has a value in each field, `Said` has what one
// place of the file says, which may be nothing. A struct that routes inherit is a template of its
// form, so its fields are listed once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ticketgate::config {

/// Where a value was set; line 0 is a built-in default.
struct Mark {
    std::string file;
    std::uint32_t line = 0, column = 0;
    bool operator==(const Mark&) const = default;
};

/// A setting that one route (or `defaults:`) may leave out.
template <class T>
struct Setting {
    std::optional<T> value;  ///< absent: inherited
    Mark mark;               ///< where; line 0 when it is not in the file

    bool given() const { return mark.line != 0; }
    bool operator==(const Setting&) const = default;
};

/// Every field holds its value, and begins with its default.
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

/// Every field may be absent, and begins so.
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

/// A field that no route can set.
template <class Form, class T>
using WholeOnly = typename Form::template WholeOnly<T>;

}  // namespace ticketgate::config
